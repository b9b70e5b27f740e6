"""Consolidation: check a batch out under a lease, commit what a model wrote over it.

The server never calls a model. It owns ids, lineage and importance; the model sees text and dates.
"""

from __future__ import annotations

from contextlib import closing
from dataclasses import replace

import numpy as np

from treering.errors import Conflict, LeaseExpired, NotFound
from treering.model import Caller, Tier
from treering.replies import (
    Batch,
    BatchMemory,
    CheckoutReply,
    CommitReply,
    CreatedReflection,
    NothingToConsolidate,
)
from treering.requests import CheckoutRequest, CommitRequest, Entry
from treering.retrieval.support import support
from treering.rules import batches, contract
from treering.rules.instants import to_iso
from treering.store.base import BatchRecord, BatchState, IndexLink, Reader, Writer
from treering.vault.context import Context
from treering.vault.drafts import passage_texts, reflection_memory
from treering.vault.embedding import unit_vectors
from treering.vault.rows import span_of


def checkout(context: Context, request: CheckoutRequest, caller: Caller) -> CheckoutReply:
    """Lease the oldest memories of a tier that no reflection covers and no live lease holds."""
    tier = Tier(request.tier)
    budget = batches.budget_for(tier, request.max_tokens)
    with context.store.write() as tx:
        now = context.system.now()
        with closing(tx.pool(tier, now)) as pool:
            members = batches.select(pool, budget)
        if not members:
            return NothingToConsolidate()
        batch_id = f"cb_{context.system.random(16).hex()}"
        covers = batches.coverage(members)
        expires = now + batches.LEASE_MS
        tx.lease(batch_id, tier, members, covers, now, expires)
        memories = tx.memories([member.seq for member in members])
        tokens = sum(member.tokens for member in members)
        context.meter.write(tx, request.endpoint, tokens, caller, request.session_id)
    return Batch(
        batch_id=batch_id,
        tier=tier,
        count=len(members),
        est_tokens=tokens,
        covers=span_of(covers),
        lease_expires_at=to_iso(expires),
        memories=[
            BatchMemory(memories[member.seq].content, to_iso(memories[member.seq].date))
            for member in members
        ],
        source_ids=[member.id for member in members],
        reflection_contract=contract.reflection_contract(tier),
        tier_definitions=contract.tier_definitions(tier),
    )


def commit(context: Context, request: CommitRequest, caller: Caller) -> CommitReply:
    """Store the entries over their batch in one transaction; a replay answers the first commit.

    Raises, in this order: NotFound, Conflict (wiped or reverted), LeaseExpired, InvalidRequest
    (entries), Conflict (no source left).
    """
    with context.store.read() as reader:
        batch = _open_batch(reader, request.batch_id, context.system.now())
        if batch.state is BatchState.COMMITTED:
            return _reply(context, batch, replay=True)
        entries = request.parse_entries()
        sources = reader.members(batch.seq)
    context.embedding.fill(sources)
    texts = [passage_texts(entry.text) for entry in entries]
    vectors = iter(context.embedding.all([text for parts in texts for text in parts]))
    entry_vectors = [[next(vectors) for _ in parts] for parts in texts]
    with context.store.write() as tx:
        batch = _open_batch(tx, request.batch_id, context.system.now())
        if batch.state is not BatchState.COMMITTED:
            batch = _commit(context, tx, batch, entries, entry_vectors, caller)
            return _reply(context, batch, replay=False, reader=tx)
    return _reply(context, batch, replay=True)


def _open_batch(reader: Reader, batch_id: str, now: int) -> BatchRecord:
    """The batch, unless it is one that nothing can be committed to."""
    batch = reader.batch(batch_id)
    if batch is None:
        raise NotFound("batch", batch_id)
    if batch.state in (BatchState.WIPED, BatchState.REVERTED):
        raise Conflict(f"This batch was {batch.state.value}; check out again.")
    if batch.state is BatchState.LEASED and now >= batch.expires:
        raise LeaseExpired
    return batch


def _commit(
    context: Context,
    tx: Writer,
    batch: BatchRecord,
    entries: list[Entry],
    vectors: list[list[bytes]],
    caller: Caller,
) -> BatchRecord:
    sources = tx.members(batch.seq)
    if not sources:
        raise Conflict(
            "Every memory of this batch was deleted; what was deleted can't come back as a "
            "reflection. Check out again."
        )
    now = context.system.now()
    reflections = [
        reflection_memory(
            entry.text,
            entry.importance,
            context.system.new_id(),
            Tier(batch.tier + 1),
            batch.covers,
            batch.seq,
            parts,
        )
        for entry, parts in zip(entries, vectors, strict=True)
    ]
    seqs = tx.add(reflections, now)
    tx.add_support(_links(tx, seqs, vectors, sources, context.store.meta.dims))
    created = [
        (reflection.id, entry.importance)
        for reflection, entry in zip(reflections, entries, strict=True)
    ]
    tx.commit_batch(batch, created, sources, now)
    tokens = sum(reflection.tokens for reflection in reflections)
    context.meter.write(tx, CommitRequest.endpoint, tokens, caller)
    return replace(batch, state=BatchState.COMMITTED, created=created, consolidated=len(sources))


def _links(
    tx: Writer, reflections: list[int], vectors: list[list[bytes]], sources: list[int], dims: int
) -> list[IndexLink]:
    """How closely each source backs each reflection, by their vectors.

    A reflection of several passages is weighed by its first, which opens with its point.
    """
    held = tx.vectors(sources)
    owned = [
        (owner, vector)
        for owner, seq in enumerate(sources)
        for vector in held[seq]
        if vector is not None
    ]
    weights = support(
        unit_vectors([parts[0] for parts in vectors], dims),
        unit_vectors([vector for _, vector in owned], dims),
        np.array([owner for owner, _ in owned], dtype=np.intp),
    )
    return [(reflections[entry], sources[owner], weight) for entry, owner, weight in weights]


def _reply(
    context: Context, batch: BatchRecord, *, replay: bool, reader: Reader | None = None
) -> CommitReply:
    return CommitReply(
        batch_id=batch.id,
        committed=True,
        already_committed=replay,
        tier=batch.tier + 1,
        created=[CreatedReflection(memory_id, rated) for memory_id, rated in batch.created],
        sources_consolidated=batch.consolidated,
        reflection=context.debt(reader),
    )
