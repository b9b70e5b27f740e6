"""A message as lines: which are headings, list items, code and quotations, and which go on."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import Enum, auto

from treering.rules.levels.words import OPENINGS, word_set


class Kind(Enum):
    """What a line is; `ASIDE` are code and quotations, which are not the user's statements."""

    BLANK = auto()
    ASIDE = auto()
    HEADING = auto()
    ITEM = auto()
    INDENTED = auto()
    PLAIN = auto()


@dataclass(frozen=True, slots=True)
class Line:
    """One line: `message[start:end]` is its text, without indentation and without an item's mark.

    `column` is how far it is indented. A heading has a `level`, 1 for the highest.
    """

    kind: Kind
    start: int
    end: int
    column: int = 0
    level: int = 0


_LOWEST = 7
"""The level of a line that heads others without saying how high: `**Staging**`, `[staging]`."""

_item = re.compile(r"[ \t]*(?:[-*+•–]|\(?\d{1,3}[.)]|[a-zA-Z][.)])[ \t]+(?=\S)")
_fence = re.compile(r"[ \t]*(?:```|~~~)")
_marked_heading = re.compile(r"(#{1,6})\s+[^#\s]")
_lone_heading = re.compile(r"(?:\*\*[^*]{1,80}\*\*|__[^_]{1,80}__):?|\[[\w .:/-]{2,60}\]")
_underline = re.compile(r"={3,}|-{3,}|\*{3,}|_{3,}")
_WRAP = 45
"""A line this long without final punctuation goes on in a next one that begins small."""
_HANGING = word_set(
    """
    a an the of to and or not never always must should from than via per our your my its with when
    if unless
    """
)
"""No line ends with one of these unless the next goes on."""


def lines_of(message: str) -> list[Line]:
    """The lines of a message in order."""
    lines: list[Line] = []
    start = 0
    is_code = False
    for raw in message.splitlines(keepends=True):
        text = raw.strip()
        begin = start + len(raw) - len(raw.lstrip())
        end = start + len(raw.rstrip())
        if _fence.match(raw):
            is_code = not is_code
            lines.append(Line(Kind.ASIDE, start, end))
        elif text and (is_code or text.startswith(">")):
            lines.append(Line(Kind.ASIDE, begin, end))
        elif _underline.fullmatch(text):
            lines[-1:] = [_underlined(line, text) for line in lines[-1:]]
            lines.append(Line(Kind.BLANK, start, start))
        elif not text:
            lines.append(Line(Kind.BLANK, start, start))
        else:
            lines.append(_text_line(raw, text, start, begin, end))
        start += len(raw)
    return lines


def goes_on(message: str, line: Line, after: Line) -> bool:
    """Whether the next line is the same paragraph, wrapped."""
    if after.kind is Kind.INDENTED and line.kind in (Kind.ITEM, Kind.INDENTED):
        return True
    if after.kind not in (Kind.PLAIN, Kind.INDENTED) or line.kind is Kind.HEADING:
        return False
    last = message[line.end - 1]
    if last in ".!?:;…。！？：":
        return False
    if last in ",(–—-" or _last_word(message, line) in _HANGING:
        return True
    is_long = line.end - line.start >= _WRAP
    is_qualifier = message[line.start : line.end].split()[0].casefold() in OPENINGS
    return (is_long or is_qualifier) and message[after.start].islower()


def next_text(lines: Sequence[Line], at: int, *, past: Sequence[Kind] = (Kind.BLANK,)) -> int:
    """The first line from `at` on that is of no kind of `past`; their number when there is none."""
    while at < len(lines) and lines[at].kind in past:
        at += 1
    return at


def _last_word(message: str, line: Line) -> str:
    return message[line.start : line.end].casefold().split()[-1]


def _underlined(line: Line, underline: str) -> Line:
    if line.kind is not Kind.PLAIN or underline[0] not in "=-":
        return line
    return replace(line, kind=Kind.HEADING, level=1 if underline[0] == "=" else 2)


def _text_line(raw: str, text: str, start: int, begin: int, end: int) -> Line:
    column = len(raw[: begin - start].expandtabs(4))
    if marked := _marked_heading.match(text):
        return Line(Kind.HEADING, begin, end, level=len(marked[1]))
    if _lone_heading.fullmatch(text):
        return Line(Kind.HEADING, begin, end, level=_LOWEST)
    if item := _item.match(raw):
        return Line(Kind.ITEM, start + item.end(), end, column)
    return Line(Kind.INDENTED if column >= 2 else Kind.PLAIN, begin, end, column)
