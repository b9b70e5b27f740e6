"""Memories and contradictions as the Levels API shows them."""

from __future__ import annotations

from collections.abc import Sequence

from treering.model import Memory
from treering.replies import Claim, LeveledMemory, TensionReply
from treering.rules.levels.contradictions import contradiction
from treering.rules.levels.gist import gist
from treering.store.base import Reader
from treering.store.levels import Side, TensionRecord

_QUESTION = "Which of the two holds?"


def leveled(reader: Reader, seqs: Sequence[int]) -> list[LeveledMemory]:
    """Those of these memories that exist, in this order."""
    memories = reader.memories(seqs)
    given, domains = reader.gists(seqs), reader.domains(seqs)
    return [
        _leveled(memories[seq], given.get(seq), domains.get(seq, []))
        for seq in seqs
        if seq in memories
    ]


def _leveled(memory: Memory, given: str | None, domains: list[str]) -> LeveledMemory:
    return LeveledMemory(
        id=memory.id,
        content=memory.content,
        gist=gist(memory.content) if given is None else given,
        tier=memory.level.label,
        kind=memory.kind.label,
        domains=domains,
        access_count=memory.access_count,
        source=memory.source.value,
        session_id=memory.session_id,
        created_at=memory.created,
        last_accessed_at=memory.accessed,
    )


def tension_rows(reader: Reader, records: Sequence[TensionRecord]) -> list[TensionReply]:
    """Contradictions with what their claims say now, in this order."""
    named = (
        seq
        for record in records
        for seq in (record.claim_a.memory, record.claim_b.memory, record.pattern)
        if seq is not None
    )
    memories = reader.memories(list(dict.fromkeys(named)))
    return [_tension_row(record, memories) for record in records]


def _tension_row(record: TensionRecord, memories: dict[int, Memory]) -> TensionReply:
    claim_a = _claim(record.claim_a, memories, record.created)
    claim_b = _claim(record.claim_b, memories, record.created)
    pattern = None if record.pattern is None else memories.get(record.pattern)
    return TensionReply(
        id=record.id,
        status=record.status,
        claim_a=claim_a,
        claim_b=claim_b,
        impact=record.impact,
        actionable_question=record.question or _question(claim_a.statement, claim_b.statement),
        created_at=record.created,
        resolved_by=record.resolved_by,
        pattern=None if pattern is None else pattern.content,
    )


def _claim(side: Side, memories: dict[int, Memory], created: int) -> Claim:
    memory = None if side.memory is None else memories.get(side.memory)
    if memory is None:
        return Claim(source="api", statement=side.text or "", timestamp=created)
    return Claim(
        source=memory.source.value,
        statement=memory.content,
        timestamp=memory.date,
        memory_id=memory.id,
    )


def _question(held: str, new: str) -> str:
    """What to ask a person: made of what the claims say now, so that it quotes nothing else."""
    found = contradiction(new, held)
    return _QUESTION if found is None else found.question
