"""The levels block where a client sends it back: recognised, so that it never becomes memory."""

from __future__ import annotations

import json
import re

from treering.rules.levels.shown import (
    CONTRADICTIONS,
    CORRECTION,
    INDEX,
    PINNED,
    RECALLED,
    WEAK_DOMAINS,
)

_TELLING = (CORRECTION, WEAK_DOMAINS, INDEX, CONTRADICTIONS)
"""A person may well write `### Pinned` or `### Recalled` above a list of their own."""
_HEADINGS = (*_TELLING, PINNED, RECALLED)
_AS_ASCII = {heading: json.dumps(heading)[1:-1] for heading in _HEADINGS}
_TELLS = (*_TELLING, *map(_AS_ASCII.__getitem__, _TELLING))


def _sections(line_break: str, character: str) -> re.Pattern[str]:
    """The sections of a block whose lines end as said and consist of such characters."""
    heading = "|".join(map(re.escape, [*_HEADINGS, *_AS_ASCII.values()]))
    ends = rf"(?:{line_break}|\Z)"
    return re.compile(
        rf"(?:(?<=\n)|(?<=\\n)|\A|(?<=\"))(?:{heading})[ \t]*(?:{line_break})"  # a heading,
        rf"- {character}*{ends}"  # its first item,
        rf"(?:(?:- |  ){character}*{ends}|(?:{line_break})+(?=  ))*"  # others, and their lines,
        rf"(?:(?:{line_break})+(?=(?:{heading})[ \t]*(?:{line_break})- ))?"  # and the gap after
    )


_PLAIN = _sections(r"\r?\n", r"[^\n]")
_ESCAPED = _sections(r"(?:\\r)?\\n", r'(?:[^\\"\n]|\\[^nr])')
"""As it stands inside a string of JSON."""


def without_levels(text: str) -> str:
    """`text` without the sections of a levels block; verbatim when it holds none.

    A block of pinned or recalled memories alone, which any list of a person's may look like, stays.
    """
    for sections in (_PLAIN, _ESCAPED):
        if any(found[0].startswith(_TELLS) for found in sections.finditer(text)):
            text = sections.sub("", text)
    return text


def is_ours(text: str) -> bool:
    """Whether a passage opens with a heading of a block, as far as that can be told of it alone."""
    return text.startswith(_HEADINGS)
