"""Receipts: from any claim down to the messages under it, and from a message up."""

from __future__ import annotations

from treering.errors import NotFound
from treering.model import Caller, Kind, Memory, Source
from treering.replies import InspectReply
from treering.requests import InspectRequest
from treering.rules.tokens import estimate_tokens
from treering.store.base import Reader
from treering.vault.context import Context
from treering.vault.rows import linked_row, memory_of, source_row, span_of

MAX_SOURCES = 500


def inspect(context: Context, request: InspectRequest, caller: Caller) -> InspectReply:
    """A reflection's sources, best backed first; or what was built on a raw memory."""
    with context.store.read() as reader:
        memory = memory_of(reader, request.memory_id)
        if memory.kind is Kind.REFLECTION:
            reply = _reflection(reader, memory)
        elif memory.source is Source.RULES:
            reply = _captured_statement(reader, memory)
        else:
            reply = _raw(reader, memory)
    shown = [*(reply.sources or ()), *(reply.consolidated_into or ()), *(reply.statements or ())]
    tokens = sum(estimate_tokens(row.content) for row in shown)
    context.meter.read(request.endpoint, tokens, caller)
    return reply


def _reflection(reader: Reader, memory: Memory) -> InspectReply:
    batch = None if memory.batch is None else reader.batch_by_seq(memory.batch)
    if batch is None:
        raise NotFound("batch", memory.id)
    present = reader.members(batch.seq)
    support = reader.support(memory.seq)
    by_support = sorted(present, key=lambda seq: -support.get(seq, 0.0))
    sources = _existing(reader, by_support[:MAX_SOURCES])
    return InspectReply(
        memory_id=memory.id,
        tier=int(memory.tier),
        batch_id=batch.id,
        covers=span_of(batch.covers),
        sources=[source_row(source, support.get(source.seq, 0.0)) for source in sources],
        sources_total=batch.size,
        sources_deleted=batch.size - len(present),
        truncated=len(present) > MAX_SOURCES,
    )


def _captured_statement(reader: Reader, memory: Memory) -> InspectReply:
    messages = _existing(reader, reader.captured_in(memory.seq))
    return InspectReply(
        memory_id=memory.id,
        tier=int(memory.tier),
        sources=[source_row(message, None) for message in messages],
        sources_total=len(messages),
        sources_deleted=0,
        truncated=False,
    )


def _raw(reader: Reader, memory: Memory) -> InspectReply:
    return InspectReply(
        memory_id=memory.id,
        tier=int(memory.tier),
        consolidated_into=[
            linked_row(reflection)
            for reflection in _existing(reader, reader.built_on([memory.seq]))
        ],
        statements=[
            linked_row(statement)
            for statement in _existing(reader, reader.captured_from(memory.seq))
        ],
    )


def _existing(reader: Reader, seqs: list[int]) -> list[Memory]:
    found = reader.memories(seqs)
    return [found[seq] for seq in seqs if seq in found]
