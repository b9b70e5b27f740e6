"""Deleting, for good."""

from __future__ import annotations

from collections.abc import Iterable

from treering.model import Caller, Kind, Memory, Source
from treering.replies import DeleteReply, Receipt, WipeReply
from treering.requests import DeleteRequest, WipeRequest
from treering.store.base import Reader, Writer
from treering.vault.context import Context
from treering.vault.levels.wordings import stands_alone, unsay


def delete_ids(context: Context, request: DeleteRequest, caller: Caller) -> DeleteReply:
    """Delete memories by id; reflections built on them stay, in `derived`, unless cascaded.

    Raises RateLimited, with nothing deleted, when receipts are asked for too fast.
    """
    if request.receipt:
        context.erasure.allow_receipt()
    ids = list(dict.fromkeys(request.ids))
    with context.store.write() as tx:
        found = tx.seqs_of(ids)
        asked = list(dict.fromkeys(found.values()))
        derived = _built_on(tx, asked) if asked else []
        built = [seq for seq in derived if seq not in set(asked)]
        cascaded = built if request.cascade else []
        captured = _orphaned(tx, asked)
        going = [*asked, *cascaded, *captured]
        memories = tx.memories(going)
        tokens = sum(memories[seq].tokens for seq in (*asked, *cascaded))
        left = [] if request.cascade else built
        derived_ids = [memory.id for memory in tx.memories(left).values()]
        unsaid = unsay(tx, asked, frozenset(going))
        tx.delete(going)
        context.meter.write(tx, request.endpoint, tokens, caller)
    if unsaid:
        context.embedding.start_filling()
    erasure = context.erasure.now() if going else "done"
    return DeleteReply(
        requested=len(request.ids),
        deleted=len(asked),
        do_deleted=len(asked),
        not_found=len(ids) - len(found),
        also_deleted=len(cascaded) + len(captured),
        legacy_fallback_used=0,
        failed=[],
        derived=derived_ids,
        erasure=erasure,
        receipt=_receipt(context, memories.values()) if request.receipt else None,
    )


def wipe(context: Context, request: WipeRequest, caller: Caller) -> WipeReply:
    """Delete every memory of the vault, or those of one session."""
    unsaid = False
    with context.store.write() as tx:
        if request.session_id is None:
            deleted = tx.wipe()
        else:
            seqs = tx.session_seqs(request.session_id)
            staying = _said_elsewhere(tx, seqs, tx.session_seqs(request.session_id, Kind.STATEMENT))
            asked = [seq for seq in seqs if seq not in staying]
            going = [*asked, *_orphaned(tx, asked)]
            unsaid = unsay(tx, asked, frozenset(going))
            tx.delete(going)
            tx.leave_session(list(staying))
            deleted = len(asked)
    if unsaid:
        context.embedding.start_filling()
    context.erasure.now()
    return WipeReply(deleted=deleted)


def _receipt(context: Context, gone: Iterable[Memory]) -> Receipt:
    return context.erasure.receipt([memory.content for memory in gone])


def _built_on(reader: Reader, seqs: list[int]) -> list[int]:
    """Every reflection that stands on one of these, over both tiers."""
    found: dict[int, None] = {}
    frontier = seqs
    while frontier:
        frontier = [seq for seq in reader.built_on(frontier) if seq not in found]
        found.update(dict.fromkeys(frontier))
    return list(found)


def _said_elsewhere(tx: Writer, session: list[int], statements: list[int]) -> frozenset[int]:
    """Which statements of a session messages outside it say too, or a person edited."""
    inside = frozenset(session)
    return frozenset(
        memory.seq
        for memory in tx.memories(statements).values()
        if not inside.issuperset(tx.captured_in(memory.seq))
        or (memory.source is Source.RULES and stands_alone(tx, memory))
    )


def _orphaned(tx: Writer, messages: list[int]) -> list[int]:
    """Captured statements whose last source message is among those that go."""
    going = set(messages)
    captured = dict.fromkeys(seq for message in messages for seq in tx.captured_from(message))
    return [
        seq
        for seq in captured
        if seq not in going and going.issuperset(tx.captured_in(seq)) and _is_captured(tx, seq)
    ]


def _is_captured(tx: Writer, seq: int) -> bool:
    memory = tx.memories([seq]).get(seq)
    return memory is not None and not stands_alone(tx, memory)
