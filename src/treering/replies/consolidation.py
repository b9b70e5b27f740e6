"""What checking out, committing and reverting answer."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from treering.replies.fields import DebtReply, Span


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
class RevertReply:
    """What undoing a commit deleted, and what it returned to the pool."""

    batch_id: str
    reverted: bool
    deleted: int
    sources_returned: int
    reflection: DebtReply
