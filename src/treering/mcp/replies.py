"""What the model that consolidates is answered: the HTTP replies without any memory's id."""

from __future__ import annotations

from dataclasses import dataclass

from treering.replies import (
    Batch,
    BatchMemory,
    CheckoutReply,
    CommitReply,
    DebtReply,
    NothingToConsolidate,
    ReflectionContract,
    Span,
    TierDefinitions,
)


@dataclass(frozen=True, slots=True)
class ModelsBatch:
    """A leased batch as the model reads it."""

    batch_id: str
    tier: int
    count: int
    est_tokens: int
    covers: Span
    lease_expires_at: str
    memories: list[BatchMemory]
    reflection_contract: ReflectionContract
    tier_definitions: TierDefinitions


@dataclass(frozen=True, slots=True)
class Committed:
    """What a commit stored: `created` counts the reflections."""

    batch_id: str
    committed: bool
    already_committed: bool
    tier: int
    created: int
    sources_consolidated: int
    reflection: DebtReply


def models_batch(reply: CheckoutReply) -> ModelsBatch | NothingToConsolidate:
    """A checkout without its `source_ids`."""
    if not isinstance(reply, Batch):
        return reply
    return ModelsBatch(
        batch_id=reply.batch_id,
        tier=reply.tier,
        count=reply.count,
        est_tokens=reply.est_tokens,
        covers=reply.covers,
        lease_expires_at=reply.lease_expires_at,
        memories=reply.memories,
        reflection_contract=reply.reflection_contract,
        tier_definitions=reply.tier_definitions,
    )


def committed(reply: CommitReply) -> Committed:
    """A commit with a count instead of the ids that it created."""
    return Committed(
        batch_id=reply.batch_id,
        committed=reply.committed,
        already_committed=reply.already_committed,
        tier=reply.tier,
        created=len(reply.created),
        sources_consolidated=reply.sources_consolidated,
        reflection=reply.reflection,
    )
