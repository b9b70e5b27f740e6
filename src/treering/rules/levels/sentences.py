"""A message as sentences, and those that stand under a lead-in or a heading together with it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

from treering.rules.levels.claims import claim_of
from treering.rules.levels.conversation import is_meta
from treering.rules.levels.layout import Kind, Line, goes_on, lines_of, next_text
from treering.rules.levels.lexemes import lexemes, opaque_spans
from treering.rules.levels.outline import Outline
from treering.rules.levels.words import GENERIC, OPENINGS, SCOPES, word_set


@dataclass(frozen=True, slots=True)
class Sentence:
    """`message[start:end]`; `follows` says that the sentence before it is part of the same block.

    `lead` is where what qualifies it begins, a lead-in (`In production:`) or a heading; None where
    nothing does. `is_lost` says that something does that stands too far off.
    """

    start: int
    end: int
    follows: bool = False
    lead: int | None = None
    is_lost: bool = False
    is_item: bool = False


@dataclass(frozen=True, slots=True)
class Passage:
    """`message[start:end]`, which says the same alone as where it stands; `parts` in order."""

    start: int
    end: int
    parts: tuple[Sentence, ...]

    @property
    def is_led(self) -> bool:
        """Whether it is a lead-in or a heading with what stands under it."""
        return self.parts[0].lead is not None

    @property
    def follows(self) -> bool:
        """Whether the sentence before it is part of the same block."""
        return self.parts[0].follows


def sentences(message: str) -> list[Sentence]:
    """The sentences of a message, without fenced code and without quoted lines (`> …`)."""
    return list(_Reading(message).sentences())


def passages(message: str) -> list[Passage]:
    """What a statement can be made of: each sentence, or a lead-in with all that it qualifies.

    `In production:` with its list, a heading with its section. Left out is what stands under a
    heading that is too far off to be taken along: alone it would say more than was said.
    """
    found = enumerate(sentences(message))
    grouped = groupby(found, key=lambda one: (one[1].lead, one[0] * (one[1].lead is None)))
    runs = (tuple(sentence for _, sentence in run) for _, run in grouped)
    return [Passage(run[0].start, run[-1].end, run) for run in runs if not run[0].is_lost]


_end = re.compile(r"[.!?…]{1,9}[\"'”’)\]*_]{0,9}(?=\s|$)|[。！？｡]{1,9}[」』”）]{0,9}|[؟](?=\s|$)")
_abbreviation = re.compile(
    r"(?:^|[\s(])(?:e\.g|i\.e|vs|cf|approx|mr|mrs|ms|dr|no|nr|incl|resp|etc|fig|z\.b|bzw|ca|p\.ex)\.$",
    re.IGNORECASE,
)
_points_down = re.compile(r"\b(?:following|below|these)\b", re.IGNORECASE)
_FINAL = ".!?…。！？;"
_MAX_SCOPE = 5
_STATING = word_set("always never must should shouldn mustn do don prefer make ensure is are")
_TITLE = 60
"""A line above a list that is no longer, and ends without punctuation, is the list's title."""


class _Reading:
    """One message while it is read."""

    def __init__(self, message: str) -> None:
        self._message = message
        self._lines = lines_of(message)
        self._opaque = opaque_spans(message)
        self._outline = Outline([line.level for line in self._lines if line.kind is Kind.HEADING])

    def sentences(self) -> Iterator[Sentence]:
        at = 0
        while at < len(self._lines):
            line = self._lines[at]
            if line.kind in (Kind.BLANK, Kind.ASIDE):
                at += 1
                continue
            if line.kind is Kind.HEADING:
                self._outline.enter(line.level, line.start, self._words(line.start, line.end))
            stop = self._paragraph(at)
            own = list(self._split(at, stop))
            end = self._reach(at, stop, own[-1])
            under = self._outline.lead
            lead = own[-1].start if under is None and end > stop else under
            for sentence in own[:-1]:
                yield self._placed(sentence, under)
            yield self._placed(own[-1], lead)
            while stop < end:
                at = next_text(self._lines, stop, past=(Kind.BLANK, Kind.ASIDE))
                stop = self._paragraph(at)
                for sentence in self._split(at, stop):
                    yield self._placed(sentence, lead)
            at = stop

    def _placed(self, one: Sentence, lead: int | None) -> Sentence:
        is_lost = self._outline.is_lost
        return Sentence(one.start, one.end, one.follows, lead, is_lost, one.is_item)

    def _paragraph(self, at: int) -> int:
        """Where the paragraph that begins at a line ends."""
        stop = at + 1
        while stop < len(self._lines) and self._goes_on(stop):
            stop += 1
        return stop

    def _goes_on(self, at: int) -> bool:
        return goes_on(self._message, self._lines[at - 1], self._lines[at])

    def _reach(self, at: int, stop: int, lead: Sentence) -> int:
        """Where what the last sentence of a paragraph introduces ends: at `stop` if it does not."""
        first = self._lines[at]
        below = next_text(self._lines, stop)
        if below == len(self._lines) or first.kind is Kind.HEADING or self._says_nothing(lead):
            return stop
        has_colon = self._message[lead.start : lead.end].rstrip("*_ ").endswith((":", "："))
        if self._lines[below].kind in (Kind.PLAIN, Kind.INDENTED):
            return self._end_of_lines(below) if has_colon or self._names_a_scope(lead) else stop
        listed = (
            next_text(self._lines, below, past=(Kind.BLANK, Kind.ASIDE)) if has_colon else below
        )
        if listed == len(self._lines) or self._lines[listed].kind is not Kind.ITEM:
            return stop
        if first.kind is Kind.ITEM and self._lines[listed].column <= first.column:
            return self._end_of_siblings(stop, first) if has_colon else stop
        if first.kind is Kind.ITEM or has_colon or self._is_title(lead, is_near=listed == stop):
            return self._end_of_list(stop, first)
        return stop

    def _says_nothing(self, lead: Sentence) -> bool:
        words = self._words(lead.start, lead.end)
        return all(word in GENERIC for word in words) or is_meta(
            self._message[lead.start : lead.end].rstrip(":： ")
        )

    def _is_title(self, lead: Sentence, *, is_near: bool) -> bool:
        """Whether a sentence without a colon introduces the list under it."""
        text = self._message[lead.start : lead.end]
        if text[-1] in _FINAL:
            is_about_list = not SCOPES.isdisjoint(self._words(lead.start, lead.end))
            return bool(_points_down.search(text)) or (is_near and is_about_list)
        return (is_near or len(text) <= _TITLE) and claim_of(lexemes(text)) is None

    def _names_a_scope(self, lead: Sentence) -> bool:
        """Whether a line is no sentence, and says where or when the lines under it hold."""
        words = self._words(lead.start, lead.end)
        if self._message[lead.end - 1] in _FINAL or not 0 < len(words) <= _MAX_SCOPE:
            return False
        names_one = words[0] in OPENINGS or not SCOPES.isdisjoint(words)
        return names_one and _STATING.isdisjoint(words)

    def _end_of_lines(self, at: int) -> int:
        """The end of the lines right below each other, up to the next lead-in among them."""
        column = self._lines[at].column
        stop = at + 1
        while stop < len(self._lines):
            line = self._lines[stop]
            if line.kind not in (Kind.PLAIN, Kind.INDENTED, Kind.ITEM):
                break
            if self._ends_open(line) and line.column <= column and not self._goes_on(stop):
                break
            stop += 1
        return stop

    def _end_of_list(self, at: int, lead: Line) -> int:
        """The end of a list, with the code and the empty lines between its items."""
        depth = lead.column if lead.kind is Kind.ITEM else -1
        return self._end_of_items(at, lambda line: line.column > depth)

    def _end_of_siblings(self, at: int, lead: Line) -> int:
        """The end of the items after one that introduces them, up to another that does."""
        return self._end_of_items(
            at,
            lambda line: (
                line.column > lead.column
                or (line.column == lead.column and not self._ends_open(line))
            ),
        )

    def _end_of_items(self, at: int, belongs: Callable[[Line], bool]) -> int:
        stop = at
        while True:
            after = next_text(self._lines, stop, past=(Kind.BLANK, Kind.ASIDE))
            if after == len(self._lines) or not self._is_of_list(after, belongs):
                return stop
            stop = self._paragraph(after)

    def _is_of_list(self, at: int, belongs: Callable[[Line], bool]) -> bool:
        line = self._lines[at]
        return line.kind in (Kind.ITEM, Kind.INDENTED) and belongs(line)

    def _ends_open(self, line: Line) -> bool:
        return self._message[line.start : line.end].rstrip("*_ ").endswith((":", "："))

    def _words(self, start: int, end: int) -> list[str]:
        return re.findall(r"\w+", self._message[start:end].casefold())

    def _split(self, at: int, stop: int) -> Iterator[Sentence]:
        line = self._lines[at]
        is_item = line.kind is Kind.ITEM
        before = self._lines[at - 1].kind if at else Kind.BLANK
        follows = not is_item and before in (Kind.PLAIN, Kind.INDENTED)
        for start, end in self._spans(line.start, self._lines[stop - 1].end):
            yield Sentence(start, end, follows, is_item=is_item)
            follows = True

    def _spans(self, start: int, end: int) -> Iterator[tuple[int, int]]:
        at = start
        for match in _end.finditer(self._message, start, end):
            stop = match.end()
            if _is_inside(self._opaque, match.start()) or self._is_abbreviation(at, stop):
                continue
            begin = self._skip_space(at, stop)
            if begin < stop:
                yield begin, stop
            at = stop
        begin = self._skip_space(at, end)
        if begin < end:
            yield begin, end

    def _is_abbreviation(self, start: int, stop: int) -> bool:
        return bool(_abbreviation.search(self._message[max(start, stop - 12) : stop]))

    def _skip_space(self, start: int, end: int) -> int:
        while start < end and self._message[start].isspace():
            start += 1
        return start


def _is_inside(spans: Sequence[tuple[int, int]], at: int) -> bool:
    low, high = 0, len(spans)
    while low < high:
        middle = (low + high) // 2
        if spans[middle][1] <= at:
            low = middle + 1
        else:
            high = middle
    return low < len(spans) and spans[low][0] <= at
