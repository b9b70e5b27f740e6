"""A new statement beside those held: the same again, one that says more or less, or another."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from treering.rules.levels.tokens import anchors, ordered_tokens, restatement_key


class Outcome(StrEnum):
    """What a new statement is beside a held one.

    `restated`: the same again; `contained`: the held one says it already; `fuller`: it says all of
    the held one and more; `new`: both are kept.
    """

    RESTATED = "restated"
    CONTAINED = "contained"
    FULLER = "fuller"
    NEW = "new"


@dataclass(frozen=True, slots=True)
class Reconciled:
    """What becomes of a new statement: the id of the held one it merges into, and the text kept."""

    outcome: Outcome
    content: str
    merged_into: str | None = None


def reconcile(new: str, held: Mapping[str, str] | Iterable[tuple[str, str]]) -> Reconciled:
    """Merge `new` into one of the held statements, which are texts by id, or keep it.

    An exact restatement goes before anything else; then the first held one that merges.
    """
    pairs = list(held.items() if isinstance(held, Mapping) else held)
    key = restatement_key(new)
    for memory_id, content in pairs:
        if restatement_key(content) == key:
            return Reconciled(Outcome.RESTATED, content, memory_id)
    for memory_id, content in pairs:
        outcome = compare(new, content)
        if outcome is not Outcome.NEW:
            kept = new if outcome is Outcome.FULLER else content
            return Reconciled(outcome, kept, memory_id)
    return Reconciled(Outcome.NEW, new)


def compare(new: str, held: str) -> Outcome:
    """What `new` is beside one held statement.

    Two merge only when the tokens of one stand in the other in one piece and their anchors are
    equal: what one has more comes before or after, and holds no negation, number, identifier or
    limiting word. What stands in between may say the opposite (`always refuse to log requests`).
    """
    if restatement_key(new) == restatement_key(held):
        return Outcome.RESTATED
    ours, theirs = ordered_tokens(new), ordered_tokens(held)
    if not ours or not theirs or anchors(new) != anchors(held):
        return Outcome.NEW
    if ours == theirs:
        return Outcome.FULLER if len(new) > len(held) else Outcome.CONTAINED
    if _stands_in(ours, theirs):
        return Outcome.CONTAINED
    return Outcome.FULLER if _stands_in(theirs, ours) else Outcome.NEW


def _stands_in(part: Sequence[str], whole: Sequence[str]) -> bool:
    """Whether `part` stands in `whole` in one piece."""
    size = len(part)
    return any(whole[at : at + size] == part for at in range(len(whole) - size + 1))
