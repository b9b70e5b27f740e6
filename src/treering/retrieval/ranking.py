"""What is asked of an index, what it answers, and how its scores become one list."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from treering.retrieval.signals import Floats

Slots = NDArray[np.intp]

_MIDDLE = 14.0
"""The sum of signals that scores 0.5. About 4 is usual for what has nothing to do with a question,
20 for the best answer of a vault that has one."""
_SPREAD = 4.0


@dataclass(frozen=True, slots=True)
class Ask:
    """One question to an index, and which memories may answer it.

    `vector` is the unit float32 vector of `text`, None without an embedder's answer. `session`
    lifts the memories of that session; with `session_only` no others are returned (none at all
    where `session` is None). `window` is [from, to) in milliseconds: of a message's date, and
    overlapped by a reflection's coverage. `importance` is a minimum, which raw memories never
    reach. Filters choose rows and never change a score; with `levels` a captured statement is a row
    of its own, beside its message.
    """

    text: str
    vector: Floats | None = None
    limit: int | None = None
    tiers: frozenset[int] | None = None
    levels: frozenset[int] | None = None
    importance: int | None = None
    session: int | None = None
    session_only: bool = False
    window: tuple[int, int] | None = None


@dataclass(frozen=True, slots=True)
class Ranking:
    """Memories, best first; all fields but `signals` are parallel to `seqs`.

    `scores` lie in (0, 1), `matched` says which rows are above the recall floor, `passages` names
    each row's best passages, best first.
    """

    seqs: tuple[int, ...]
    scores: tuple[float, ...]
    matched: tuple[bool, ...]
    passages: tuple[tuple[int, ...], ...]
    signals: Mapping[str, Floats]

    @property
    def why(self) -> list[dict[str, float]]:
        """What each signal contributed to each row, signals that were silent left out."""
        rows: list[dict[str, float]] = [{} for _ in self.seqs]
        for name, contributions in self.signals.items():
            for row in np.flatnonzero(contributions).tolist():
                rows[row][name] = float(contributions[row])
        return rows


def squash(fused: NDArray[np.float64]) -> NDArray[np.float64]:
    """Map sums of signals to scores in (0, 1), keeping their order."""
    return 1 / (1 + np.exp((_MIDDLE - fused) / _SPREAD))


def best(fused: Floats, seqs: NDArray[np.int64], slots: Slots, limit: int | None) -> Slots:
    """Return the best `limit` of `slots` by score, best first, ties by newer seq."""
    if limit is not None and limit < len(slots):
        scores = fused[slots]
        slots = slots[scores >= np.partition(scores, -limit)[-limit]]
    return slots[np.lexsort((-seqs[slots], -fused[slots]))][:limit]


def blend(fused: Floats, raw: Slots, reflections: Slots) -> Slots:
    """Merge two ranked lists by score, reflections at most half (rounded up) of the first n.

    The n-th reflection waits for n - 1 raw memories, while there are any. On a tie the raw memory
    is first.
    """
    ahead = np.searchsorted(-fused[raw], -fused[reflections], side="right")
    ahead = np.maximum(ahead, np.minimum(np.arange(len(reflections)), len(raw)))
    return np.insert(raw, ahead, reflections)
