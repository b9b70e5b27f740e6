"""A message as the pieces that a statement can be made of: sentences, list items, whole lists."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum, auto

from treering.rules.levels.lexemes import opaque_spans
from treering.rules.levels.words import LIMITS, word_set


@dataclass(frozen=True, slots=True)
class Sentence:
    """`message[start:end]`; `follows` says that the sentence before it is part of the same block.

    A list whose lead-in qualifies its items (`In production:`) is one sentence, `is_list`.
    """

    start: int
    end: int
    follows: bool = False
    is_list: bool = False


class _Kind(Enum):
    BLANK = auto()
    PLAIN = auto()
    ITEM = auto()
    INDENTED = auto()


@dataclass(frozen=True, slots=True)
class _Line:
    kind: _Kind
    start: int
    end: int
    column: int = 0


_item = re.compile(r"[ \t]*(?:[-*+•–]|\(?\d{1,3}[.)]|[a-zA-Z][.)])[ \t]+(?=\S)")
_fence = re.compile(r"[ \t]*(?:```|~~~)")
_end = re.compile(r"[.!?…]{1,9}[\"'”’)\]*_]{0,9}(?=\s|$)|[。！？｡]{1,9}[」』”）]{0,9}|[؟](?=\s|$)")
_abbreviation = re.compile(
    r"(?:^|[\s(])(?:e\.g|i\.e|vs|cf|approx|mr|mrs|ms|dr|no|nr|incl|resp|etc|fig|z\.b|bzw|ca|p\.ex)\.$",
    re.IGNORECASE,
)
_WRAP = 45
"""A line this long without final punctuation goes on in a next one that begins small."""
_GENERIC_LEAD = word_set(
    """
    here are is some a few the of our my your about facts notes things rules conventions points
    fyi following and also please keep in mind note remember to know project setup these this
    info information details for you list background context basics
    """
)


_QUALIFYING = word_set(
    """
    in on for at during from after before with under within inside outside when whenever while if
    unless until except only
    """
)
"""They open a lead-in without which the lines below it say something else."""


def sentences(message: str) -> list[Sentence]:
    """The sentences of a message, without fenced code and without quoted lines (`> …`)."""
    lines = _lines(message)
    opaque = opaque_spans(message)
    found: list[Sentence] = []
    at = 0
    while at < len(lines):
        line = lines[at]
        if line.kind is _Kind.BLANK:
            at += 1
            continue
        items_at = _list_after_lead(message, lines, at)
        if items_at is not None:
            at = _lead_and_list(message, lines, at, items_at, opaque, found)
            continue
        stop = at + 1
        while stop < len(lines) and _continues(message, lines[stop - 1], lines[stop]):
            stop += 1
        before = lines[at - 1].kind if at else _Kind.BLANK
        follows = line.kind is not _Kind.ITEM and before in (_Kind.PLAIN, _Kind.INDENTED)
        found += _split(message, line.start, lines[stop - 1].end, opaque, follows)
        at = stop
    return found


def _lines(message: str) -> list[_Line]:
    lines: list[_Line] = []
    start = 0
    is_code = False
    for raw in message.splitlines(keepends=True):
        end = start + len(raw)
        if _fence.match(raw):
            is_code = not is_code
            lines.append(_Line(_Kind.BLANK, start, end))
        elif is_code or not raw.strip() or raw.lstrip().startswith(">"):
            lines.append(_Line(_Kind.BLANK, start, end))
        else:
            lines.append(_text_line(message, raw, start))
        start = end
    return lines


def _text_line(message: str, raw: str, start: int) -> _Line:
    end = start + len(raw.rstrip())
    item = _item.match(raw)
    if item:
        return _Line(_Kind.ITEM, start + item.end(), end, item.end())
    column = len(raw) - len(raw.lstrip())
    return _Line(_Kind.INDENTED if column >= 2 else _Kind.PLAIN, start + column, end, column)


def _continues(message: str, line: _Line, after: _Line) -> bool:
    """Whether the next line is the same paragraph, wrapped."""
    if after.kind is _Kind.INDENTED and line.kind in (_Kind.ITEM, _Kind.INDENTED):
        return True
    if after.kind in (_Kind.BLANK, _Kind.ITEM):
        return False
    is_open = message[line.end - 1] not in ".!?:;…。！？"
    return is_open and line.end - line.start >= _WRAP and message[after.start].islower()


def _list_after_lead(message: str, lines: list[_Line], at: int) -> int | None:
    """Where what a lead-in introduces begins; None where the line is no lead-in."""
    lead = message[lines[at].start : lines[at].end]
    is_heading = lead.startswith("#") and not LIMITS.isdisjoint(_words(lead))
    if not is_heading and lead[-1] not in ":：":
        return None
    following = _next(message, lines, at + 1)
    if following is None:
        return None
    is_qualifier = next(iter(_words(lead)), "") in _QUALIFYING
    if lines[following].kind is _Kind.PLAIN:
        return following if is_qualifier and following == at + 1 else None
    if lines[at].kind is _Kind.ITEM:
        return following if lines[following].column > lines[at].column else None
    return following if lines[following].kind is _Kind.ITEM else None


def _next(message: str, lines: list[_Line], at: int) -> int | None:
    """The next line that is not empty; None at the end, and where code or a quotation stands."""
    while at < len(lines) and lines[at].kind is _Kind.BLANK:
        if message[lines[at].start : lines[at].end].strip():
            return None
        at += 1
    return at if at < len(lines) else None


def _words(text: str) -> list[str]:
    return re.findall(r"\w+", text.casefold())


def _end_of_led(message: str, lines: list[_Line], at: int, items_at: int) -> int:
    """Where what a lead-in introduces ends: its items, or the plain lines right below it."""
    if lines[items_at].kind is _Kind.PLAIN:
        stop = items_at
        while stop < len(lines) and lines[stop].kind in (_Kind.PLAIN, _Kind.INDENTED):
            stop += 1
        return stop
    is_nested = lines[at].kind is _Kind.ITEM
    stop = items_at
    while True:
        after = _next(message, lines, stop)
        if after is None or lines[after].kind not in (_Kind.ITEM, _Kind.INDENTED):
            return stop
        if is_nested and lines[after].column <= lines[at].column:
            return stop
        stop = after + 1


def _lead_and_list(
    message: str,
    lines: list[_Line],
    at: int,
    items_at: int,
    opaque: list[tuple[int, int]],
    found: list[Sentence],
) -> int:
    """Add the lead-in with its items, or each item alone under a lead-in that says nothing."""
    lead = list(_split(message, lines[at].start, lines[at].end, opaque, False))
    found += lead[:-1]
    if all(word in _GENERIC_LEAD for word in _words(message[lead[-1].start : lead[-1].end])):
        return items_at
    stop = _end_of_led(message, lines, at, items_at)
    found.append(Sentence(lead[-1].start, lines[stop - 1].end, is_list=True))
    return stop


def _split(
    message: str, start: int, end: int, opaque: list[tuple[int, int]], follows: bool
) -> Iterator[Sentence]:
    at = start
    for match in _end.finditer(message, start, end):
        stop = match.end()
        if _is_inside(opaque, match.start()) or _is_abbreviation(message, at, stop):
            continue
        begin = _skip_space(message, at, stop)
        if begin < stop:
            yield Sentence(begin, stop, follows)
            follows = True
        at = stop
    begin = _skip_space(message, at, end)
    if begin < end:
        yield Sentence(begin, end, follows)


def _is_inside(spans: list[tuple[int, int]], at: int) -> bool:
    low, high = 0, len(spans)
    while low < high:
        middle = (low + high) // 2
        if spans[middle][1] <= at:
            low = middle + 1
        else:
            high = middle
    return low < len(spans) and spans[low][0] <= at


def _is_abbreviation(message: str, start: int, stop: int) -> bool:
    return bool(_abbreviation.search(message[max(start, stop - 12) : stop]))


def _skip_space(message: str, start: int, end: int) -> int:
    while start < end and message[start].isspace():
        start += 1
    return start
