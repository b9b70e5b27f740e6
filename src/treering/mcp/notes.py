"""Memories as text for a model: one fenced line each, with what the other tools need of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from treering.replies import LeveledMemory, LinkedRow, MemoryRow, SourceRow, TensionReply
from treering.rules.fence import Note, block
from treering.rules.instants import instant

MAX_NOTE_CHARACTERS = 8_000
MAX_CHARACTERS = 60_000
"""How much of one memory, and of all of them, is shown as text; structured content is whole."""


def notes_of(notes: Sequence[Note]) -> str:
    """The notes inside the fence; says what is cut, and how many are left out."""
    shown: list[Note] = []
    left = MAX_CHARACTERS
    for note in notes:
        cut = _cut(note)
        if len(cut.text) > left:
            break
        shown.append(cut)
        left -= len(cut.text)
    more = len(notes) - len(shown)
    remark = f"\n{more} more are in the structured content alone; ask for fewer." if more else ""
    return block(shown) + remark


def of_row(row: MemoryRow) -> Note:
    """A memory as retrieval found it."""
    by = "reflection" if row.kind == "reflection" else row.role
    facts = [f"id {row.id}", f"tier {row.tier}", row.level]
    if row.importance is not None:
        facts.append(f"importance {row.importance}")
    if row.covers is not None:
        facts.append(f"covers {row.covers.from_} to {row.covers.to}")
    return _note(by, row.date, facts, row.content)


def of_source(row: SourceRow) -> Note:
    """A source of a reflection."""
    by = row.role if row.tier == 1 else "reflection"
    facts = [f"id {row.id}", f"tier {row.tier}"]
    if row.support is not None:
        facts.append(f"support {row.support}")
    return _note(by, row.date, facts, row.content)


def of_linked(row: LinkedRow) -> Note:
    """What was built on a memory."""
    by = "statement" if row.tier == 1 else "reflection"
    return _note(by, row.date, [f"id {row.id}", f"tier {row.tier}"], row.content)


def of_leveled(memory: LeveledMemory) -> Note:
    """A memory as the Levels API shows it."""
    text = _with_facts([f"id {memory.id}", memory.tier], memory.content)
    return Note(said_by=memory.kind, date=memory.created_at, text=text)


def of_tension(tension: TensionReply) -> Note:
    """A contradiction: its two claims, and the question that would settle it."""
    facts = [f"id {tension.id}", tension.impact]
    text = (
        f'"{tension.claim_a.statement}" conflicts with "{tension.claim_b.statement}". '
        f"Ask: {tension.actionable_question}"
    )
    if tension.resolved_by is not None:
        text += f" Resolved by: {tension.resolved_by}"
    return Note(said_by=tension.status, date=tension.created_at, text=_with_facts(facts, text))


def _note(said_by: str, date: str, facts: Sequence[str], content: str) -> Note:
    return Note(said_by=said_by, date=instant(date), text=_with_facts(facts, content))


def _with_facts(facts: Sequence[str], content: str) -> str:
    return f"({', '.join(facts)}) {content}"


def _cut(note: Note) -> Note:
    length = len(note.text)
    if length <= MAX_NOTE_CHARACTERS:
        return note
    text = note.text[:MAX_NOTE_CHARACTERS]
    return replace(note, text=f"{text} […] ({length - len(text):,} more characters)")
