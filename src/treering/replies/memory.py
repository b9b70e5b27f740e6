"""What storing, retrieving, drilling down and deleting answer."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Literal

from treering.replies.fields import (
    OMIT_NONE,
    DebtReply,
    OptionalFloat,
    OptionalInt,
    OptionalStr,
    Span,
)


@dataclass(frozen=True, slots=True)
class IngestReply:
    """What was stored; `ids` has one per message, null where it was skipped."""

    status: str
    stored: int
    ids: list[str | None]
    session_id: str | None
    pending_vectors: int
    reflection: DebtReply


@dataclass(frozen=True, slots=True)
class UploadStats:
    """Counts of an upload's lines."""

    total: int
    processed: int
    known: int
    failed: int


@dataclass(frozen=True, slots=True)
class LineError:
    """A line that was not stored, and why. Lines count from 1."""

    line: int
    problem: str


@dataclass(frozen=True, slots=True)
class UploadReply:
    """What an upload stored."""

    status: str
    vault: str
    stats: UploadStats
    errors: list[LineError]
    message: str


@dataclass(frozen=True, slots=True)
class MemoryRow:
    """A memory as retrieval shows it."""

    id: str
    content: str
    role: str
    kind: str
    tier: int
    level: str
    date: str
    importance: OptionalInt = None
    covers: Annotated[Span | None, OMIT_NONE] = None
    session_id: OptionalStr = None
    score: OptionalFloat = None
    why: Annotated[dict[str, float] | None, OMIT_NONE] = None


@dataclass(frozen=True, slots=True)
class SearchReply:
    """Memories by relevance, best first."""

    memories: list[MemoryRow]
    count: int
    reflection: DebtReply


@dataclass(frozen=True, slots=True)
class PrepareReply:
    """The block of recalled notes; `context` is empty when nothing is relevant."""

    context: str
    memories_found: int
    tokens: int
    truncated: bool
    memories: list[MemoryRow]
    reflection: DebtReply


@dataclass(frozen=True, slots=True)
class DateSearchReply:
    """Memories by time; while `truncated`, go on from the end of `returned`."""

    memories: list[MemoryRow]
    count: int
    returned: Span
    truncated: bool
    tokens: int
    reflection: DebtReply


@dataclass(frozen=True, slots=True)
class SourceRow:
    """One memory of the tier below that a reflection was built from."""

    id: str
    tier: int
    level: str
    content: str
    role: str
    importance: int | None
    date: str
    support: OptionalFloat = None


@dataclass(frozen=True, slots=True)
class LinkedRow:
    """A memory built on the one that is inspected."""

    id: str
    tier: int
    level: str
    content: str
    importance: int | None
    date: str


@dataclass(frozen=True, slots=True)
class InspectReply:
    """The tier below a reflection, or what was built on a raw memory."""

    memory_id: str
    tier: int
    batch_id: OptionalStr = None
    covers: Annotated[Span | None, OMIT_NONE] = None
    sources: Annotated[list[SourceRow] | None, OMIT_NONE] = None
    sources_total: OptionalInt = None
    sources_deleted: OptionalInt = None
    truncated: Annotated[bool | None, OMIT_NONE] = None
    consolidated_into: Annotated[list[LinkedRow] | None, OMIT_NONE] = None
    statements: Annotated[list[LinkedRow] | None, OMIT_NONE] = None


@dataclass(frozen=True, slots=True)
class Receipt:
    """A look through all bytes of the vault's files: how many of the `checked` texts are `found`.

    A text is found when 24 of its bytes in a row (all of a shorter one) stand somewhere that no
    live row accounts for; texts of under six bytes are not looked for. While `erasure` is pending
    some are found.
    """

    checked: int
    found: int
    files: int
    bytes: int


@dataclass(frozen=True, slots=True)
class DeleteReply:
    """What was deleted; `derived` names reflections built on it, which stay."""

    requested: int
    deleted: int
    do_deleted: int
    not_found: int
    also_deleted: int
    legacy_fallback_used: int
    failed: list[str]
    derived: list[str]
    erasure: Literal["done", "pending"]
    receipt: Annotated[Receipt | None, OMIT_NONE] = None


@dataclass(frozen=True, slots=True)
class WipeReply:
    """How many memories a wipe deleted."""

    deleted: int


@dataclass(frozen=True, slots=True)
class StatsReply:
    """What a vault holds."""

    memories: int
    by_tier: dict[str, int]
    by_level: dict[str, int]
    by_kind: dict[str, int]
    total_tokens: int
    oldest: str | None
    newest: str | None
    pending_vectors: int
    reflection: DebtReply


@dataclass(frozen=True, slots=True)
class WarmupReply:
    """The index is in memory."""

    status: str
    memories_loaded: int
    warmup_ms: int
