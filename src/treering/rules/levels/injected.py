"""The levels block where a client sends it back: recognised, so that it never becomes memory."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from treering.rules.levels.shown import (
    CONTRADICTIONS,
    CORRECTION,
    INDEX,
    PINNED,
    RECALLED,
    WEAK_DOMAINS,
)

_IN_ORDER = (CORRECTION, WEAK_DOMAINS, PINNED, INDEX, RECALLED, CONTRADICTIONS)
_TELLING = frozenset({CORRECTION, WEAK_DOMAINS, INDEX, CONTRADICTIONS})
"""A person may well write `### Pinned` or `### Recalled` above a list of their own."""
_PLACE = {heading: place for place, heading in enumerate(_IN_ORDER)}
_ESCAPED_PLACE = _PLACE | {json.dumps(one)[1:-1]: place for one, place in _PLACE.items()}

_line = re.compile(r"([^\n]*)(?:\n|\Z)")
_escaped_line = re.compile(r"((?:[^\\]|\\[^n])*?)(?:\\r)?(?:\\n|\Z)", re.DOTALL)
_json_string = re.compile(r'(?:[^"\\\n]|\\[^\n])+')


def without_levels(text: str) -> str:
    """`text` without a levels block, be it as it was sent or inside a string of JSON.

    A block is sections in our order, each with a list under its heading, at least one of them under
    a heading that nobody else writes. A person's own `### Pinned` is left alone, and so is what is
    set off by an empty line behind the last item.
    """
    if "### " not in text:
        return text
    text = _without(text, _line, _PLACE)
    if "\\n" not in text:
        return text
    return _json_string.sub(lambda found: _without(found[0], _escaped_line, _ESCAPED_PLACE), text)


def is_ours(text: str) -> bool:
    """Whether a passage opens with a heading of a block, as far as that can be told of it alone."""
    return text.startswith(_IN_ORDER)


@dataclass(slots=True)
class _Run:
    """Sections that follow each other; `end` is where the last line ends that is surely theirs."""

    start: int
    end: int
    place: int
    is_telling: bool = False
    _is_after_gap: bool = False

    def enter(self, place: int, end: int, below: str) -> None:
        heading = _IN_ORDER[place]
        is_telling = heading in _TELLING and (heading != CONTRADICTIONS or below.startswith("- ["))
        self.is_telling = self.is_telling or is_telling
        self.place, self.end, self._is_after_gap = place, end, False

    def takes(self, start: int, end: int, text: str) -> bool:
        """Whether a line may be of the last section: an item, or a further line of one.

        What is set off by an empty line is one only where another item or section follows.
        """
        if not text.strip():
            self._is_after_gap = True
            return True
        is_item = _is_item(text)
        if (is_item and self._is_after_gap) or not (is_item or text.startswith("  ")):
            return False
        if is_item or self.end == start:
            self.end = end
        self._is_after_gap = False
        return True


def _without(text: str, line: re.Pattern[str], places: dict[str, int]) -> str:
    if "### " not in text:
        return text
    lines = [(found.start(), found.end(), found[1].rstrip("\r")) for found in line.finditer(text)]
    kept: list[str] = []
    done = 0
    for run in _runs(lines, places):
        kept.append(text[done : run.start])
        done = run.end
    return "".join([*kept, text[done:]]) if kept else text


def _runs(lines: Sequence[tuple[int, int, str]], places: dict[str, int]) -> list[_Run]:
    found: list[_Run] = []
    run: _Run | None = None
    for (start, end, text), (_, _, below) in pairwise([*lines, (0, 0, "")]):
        place = places.get(text.rstrip())
        if place is not None and _is_item(below):
            if run is None or place <= run.place:
                run = _Run(start, end, place)
                found.append(run)
            run.enter(place, end, below)
        elif run is not None and not run.takes(start, end, text):
            run = None
    return [run for run in found if run.is_telling]


def _is_item(text: str) -> bool:
    return text.startswith("- ") or text == "-"
