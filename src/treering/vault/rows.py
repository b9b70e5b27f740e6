"""Memories as retrieval shows them."""

from __future__ import annotations

from treering.errors import NotFound
from treering.model import Kind, Memory, Window
from treering.replies import LinkedRow, MemoryRow, SourceRow, Span
from treering.rules.fence import Note
from treering.rules.instants import to_iso
from treering.store.base import Reader


def memory_of(reader: Reader, memory_id: str) -> Memory:
    """The memory with that id; raises NotFound."""
    for memory in reader.memories(list(reader.seqs_of([memory_id]).values())).values():
        return memory
    raise NotFound("memory", memory_id)


def span_of(window: Window) -> Span:
    """A window as the wire shows it."""
    return Span(to_iso(window.start), to_iso(window.end))


def memory_row(
    memory: Memory, score: float | None = None, why: dict[str, float] | None = None
) -> MemoryRow:
    """A search result; scores are rounded to four places."""
    return MemoryRow(
        id=memory.id,
        content=memory.content,
        role=memory.role,
        kind=memory.kind.label,
        tier=int(memory.tier),
        level=memory.level.label,
        date=to_iso(memory.date),
        importance=memory.importance,
        covers=span_of(memory.covers) if memory.covers else None,
        session_id=memory.session_id,
        score=None if score is None else round(score, 4),
        why=None if why is None else {signal: round(part, 4) for signal, part in why.items()},
    )


def source_row(memory: Memory, support: float | None) -> SourceRow:
    """A source of a reflection, or the message of a captured statement."""
    return SourceRow(
        id=memory.id,
        tier=int(memory.tier),
        level=memory.level.label,
        content=memory.content,
        role=memory.role,
        importance=memory.importance,
        date=to_iso(memory.date),
        support=None if support is None else round(support, 4),
    )


def linked_row(memory: Memory) -> LinkedRow:
    """A memory that was built on another."""
    return LinkedRow(
        id=memory.id,
        tier=int(memory.tier),
        level=memory.level.label,
        content=memory.content,
        importance=memory.importance,
        date=to_iso(memory.date),
    )


def note(memory: Memory, text: str) -> Note:
    """A memory as a block of recalled notes shows it."""
    said_by = memory.role if memory.kind is not Kind.REFLECTION else "reflection"
    return Note(said_by=said_by, date=memory.date, text=text)
