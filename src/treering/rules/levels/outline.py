"""The headings over a line of a message: which of them qualifies what stands there."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from treering.rules.levels.words import GENERIC, LIMITS


@dataclass(frozen=True, slots=True)
class _Heading:
    level: int
    start: int
    qualifies: bool


class Outline:
    """The headings that are open while a message is read from top to bottom.

    `## Staging` qualifies what stands under it, `## Rules` does not. Of several the innermost that
    qualifies counts. A title, the only heading of the highest level above others, names what the
    whole message is about, and qualifies only with a word like `staging` or `only` in it.
    """

    def __init__(self, levels: Sequence[int]) -> None:
        self._has_title = len(levels) > 1 and levels[0] == 1 and levels.count(1) == 1
        self._open: list[_Heading] = []
        self._latest = -1

    def enter(self, level: int, start: int, words: Sequence[str]) -> None:
        """Open a heading of folded `words`; those of its level and below end."""
        while self._open and self._open[-1].level >= level:
            self._open.pop()
        says_something = not GENERIC.issuperset(words)
        is_title = self._has_title and level == 1
        qualifies = not LIMITS.isdisjoint(words) if is_title else says_something
        self._open.append(_Heading(level, start, qualifies))
        if qualifies:
            self._latest = start

    @property
    def lead(self) -> int | None:
        """Where the heading begins that qualifies what stands here, and can be taken along."""
        over = self._qualifying()
        return over if over == self._latest else None

    @property
    def is_lost(self) -> bool:
        """Whether one qualifies what stands here, with the section of another in between."""
        return self._qualifying() not in (None, self._latest)

    def _qualifying(self) -> int | None:
        return next((one.start for one in reversed(self._open) if one.qualifies), None)
