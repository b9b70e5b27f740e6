"""What the tests of the levels say and do again and again, in one line each."""

from __future__ import annotations

from collections.abc import Iterable

from treering import Verbs
from treering.replies import ContextReply, LeveledMemory


def taught(memory: Verbs, *texts: str) -> list[LeveledMemory]:
    """Each text stored outright."""
    return memory.store(texts).stored


def said(memory: Verbs, text: str, session_id: str | None = None) -> list[LeveledMemory]:
    """What a turn with this message stored."""
    return memory.turn(text, "Noted.", session_id=session_id).stored


def contents(memories: Iterable[LeveledMemory]) -> list[str]:
    """The texts of memories."""
    return [one.content for one in memories]


def reasons(block: ContextReply) -> dict[str, list[str]]:
    """The ids of a block's entries by reason."""
    found: dict[str, list[str]] = {}
    for entry in block.entries:
        found.setdefault(entry.reason, []).append(entry.id)
    return found
