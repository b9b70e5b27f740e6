"""What a statement still says when a message that said it is deleted."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from treering.model import Memory, Source
from treering.store.base import Reader, Writer
from treering.store.levels import BODY
from treering.vault.levels.marks import marks_of_statement
from treering.vault.levels.statements import as_memory


def stands_alone(reader: Reader, memory: Memory) -> bool:
    """Whether a statement was stored or edited outright, so that it outlives its messages."""
    return memory.source is Source.API or any(
        wording.message is None for wording in reader.wordings(memory.seq)
    )


def unsay(tx: Writer, messages: Sequence[int], going: frozenset[int]) -> bool:
    """Take out of statements that stay what only messages that go said.

    A captured one that no message says any more is one that was stored outright. A statement whose
    text goes with them falls back to the fullest text that is left. Returns whether any did, so
    that vectors are pending.
    """
    statements = dict.fromkeys(seq for message in messages for seq in tx.captured_from(message))
    staying = [seq for seq in statements if seq not in going]
    changed = [_unsay(tx, memory, going) for memory in tx.memories(staying).values()]
    return any(changed)


@dataclass(frozen=True, slots=True)
class _Left:
    """A text that a statement may still have."""

    wording: int
    text: str
    is_outright: bool


def _unsay(tx: Writer, memory: Memory, going: frozenset[int]) -> bool:
    seq, current = memory.seq, tx.current_wording(memory.seq)
    backed = {origin.wording for origin in tx.origins(seq) if origin.message not in going}
    wordings = tx.wordings(seq)
    outright = {wording.seq for wording in wordings if wording.message is None}
    if memory.source is Source.API:
        outright.add(BODY)
    kept = frozenset(backed | outright)
    tx.scrub_builds([seq])
    if current not in kept:
        texts = {wording.seq: wording.content for wording in wordings}
        texts[BODY] = tx.stored_text(seq)
        left = [_Left(each, texts[each], each in outright) for each in kept if texts.get(each)]
        best = max(left, key=lambda each: (each.is_outright, len(each.text), each.wording))
        tx.set_wording(seq, best.wording, as_memory(best.text, memory))
        tx.set_marks(seq, marks_of_statement(best.text))
    tx.empty_wordings(seq, kept)
    if not backed:
        tx.set_outright(seq)
    return current not in kept
