"""What each verb answers: one definition for the Vault's results, the wire and the client."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Annotated, Any, Literal, TypeVar

from pydantic import Field, TypeAdapter

T = TypeVar("T")

_OMIT_NONE = Field(exclude_if=lambda value: value is None)

OptionalStr = Annotated[str | None, _OMIT_NONE]
OptionalInt = Annotated[int | None, _OMIT_NONE]
OptionalFloat = Annotated[float | None, _OMIT_NONE]


@dataclass(frozen=True, slots=True)
class Span:
    """A span of time, ISO 8601 in UTC."""

    from_: Annotated[str | None, Field(alias="from")]
    to: str | None


@dataclass(frozen=True, slots=True)
class RawDebt:
    """Raw memories that no reflection covers."""

    units: int
    est_tokens: int
    importance_equiv: int


@dataclass(frozen=True, slots=True)
class Tier2Debt:
    """Reflections that no high-level reflection covers."""

    count: int
    importance: int
    est_tokens: int


@dataclass(frozen=True, slots=True)
class Unconsolidated:
    """What waits for consolidation, by tier boundary."""

    raw: RawDebt
    tier2: Tier2Debt


@dataclass(frozen=True, slots=True)
class DebtReply:
    """The reflection debt of a vault."""

    unconsolidated: Unconsolidated
    threshold_tokens: int
    threshold_importance: int
    suggestion: str | None


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
    covers: Annotated[Span | None, _OMIT_NONE] = None
    session_id: OptionalStr = None
    score: OptionalFloat = None
    why: Annotated[dict[str, float] | None, _OMIT_NONE] = None


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
    covers: Annotated[Span | None, _OMIT_NONE] = None
    sources: Annotated[list[SourceRow] | None, _OMIT_NONE] = None
    sources_total: OptionalInt = None
    sources_deleted: OptionalInt = None
    truncated: Annotated[bool | None, _OMIT_NONE] = None
    consolidated_into: Annotated[list[LinkedRow] | None, _OMIT_NONE] = None
    statements: Annotated[list[LinkedRow] | None, _OMIT_NONE] = None


@dataclass(frozen=True, slots=True)
class BatchMemory:
    """What the consolidating model reads of a memory: no id ever."""

    text: str
    date: str


@dataclass(frozen=True, slots=True)
class EntrySchema:
    """What a committed entry must look like."""

    text: str
    importance: str


@dataclass(frozen=True, slots=True)
class ReflectionContract:
    """The versioned instructions for the consolidating model, to be passed on verbatim."""

    version: int
    target_tier: int
    instructions: str
    entry_schema: EntrySchema
    min_entries: int
    max_entries: int
    recommended_entries: str


@dataclass(frozen=True, slots=True)
class TierDefinitions:
    """The field that clients older than `reflection_contract` read."""

    target_tier: int
    instruction: str


@dataclass(frozen=True, slots=True)
class Batch:
    """A leased batch. `source_ids` is for audit by the client alone, never for the model."""

    batch_id: str
    tier: int
    count: int
    est_tokens: int
    covers: Span
    lease_expires_at: str
    memories: list[BatchMemory]
    source_ids: list[str]
    reflection_contract: ReflectionContract
    tier_definitions: TierDefinitions


@dataclass(frozen=True, slots=True)
class NothingToConsolidate:
    """The end of the consolidation loop."""

    batch_id: None = None
    count: Literal[0] = 0
    message: str = "nothing unconsolidated"


CheckoutReply = Batch | NothingToConsolidate


@dataclass(frozen=True, slots=True)
class CreatedReflection:
    """A reflection that a commit stored."""

    id: str
    importance: int


@dataclass(frozen=True, slots=True)
class CommitReply:
    """What a commit stored; a replay answers what the first commit did."""

    batch_id: str
    committed: bool
    already_committed: bool
    tier: int
    created: list[CreatedReflection]
    sources_consolidated: int
    reflection: DebtReply


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


@dataclass(frozen=True, slots=True)
class KeyReply:
    """A memory key. `key`, the secret itself, is shown once: when it is made."""

    id: str
    name: str
    prefix: str
    vault_id: str
    scopes: list[str]
    created_at: str
    expires_at: str | None
    key: OptionalStr = None
    status: OptionalStr = None
    last_used_at: OptionalStr = None


@dataclass(frozen=True, slots=True)
class KeysReply:
    """The keys of an account."""

    keys: list[KeyReply]


@dataclass(frozen=True, slots=True)
class RevokedReply:
    """A key that works no more."""

    id: str
    status: str


@dataclass(frozen=True, slots=True)
class HealthReply:
    """Whether the server is well; `problems` say what is not and what to do."""

    ok: bool
    service: str
    version: str
    extractor: str
    limits: dict[str, int]
    problems: list[str]
    pending_vectors: int


def to_wire(reply: object) -> Any:
    """`reply` as JSON-ready dicts and lists."""
    return _adapter(type(reply)).dump_python(reply, mode="json", by_alias=True)


def to_json(reply: object) -> bytes:
    """`reply` as JSON text, pure ASCII, so that any text passes through it, lone surrogates too."""
    return json.dumps(to_wire(reply), separators=(",", ":")).encode("ascii")


def from_wire(kind: type[T], body: object) -> T:
    """The reply of type `kind` that `body` holds; fields this version does not know are dropped."""
    reply: T = _adapter(kind).validate_python(body)
    return reply


def _adapter(kind: Any) -> TypeAdapter[Any]:
    if kind not in _ADAPTERS:
        _ADAPTERS[kind] = TypeAdapter(kind)
    return _ADAPTERS[kind]


_ADAPTERS: dict[Any, TypeAdapter[Any]] = {}
