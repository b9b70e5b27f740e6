"""The levels block where a client sends it back: recognised, so that it never becomes memory."""

from __future__ import annotations

import re

from treering.rules.levels.shown import (
    CONTRADICTIONS,
    CORRECTION,
    INDEX,
    PINNED,
    RECALLED,
    WEAK_DOMAINS,
)

_HEADINGS = (CORRECTION, WEAK_DOMAINS, PINNED, INDEX, RECALLED, CONTRADICTIONS)
_HEADING = "|".join(re.escape(heading) for heading in _HEADINGS)
_SECTION = re.compile(
    rf"^(?:{_HEADING})[ \t]*\r?\n"  # a heading,
    r"- [^\n]*(?:\n|\Z)"  # its first item,
    r"(?:(?:- |  )[^\n]*(?:\n|\Z)|(?:\r?\n)+(?=  ))*"  # others, and further lines of theirs,
    rf"(?:(?:\r?\n)+(?=(?:{_HEADING})[ \t]*\r?\n- ))?",  # and the gap before the next heading
    re.MULTILINE,
)


def without_levels(text: str) -> str:
    """`text` without the sections of a levels block; verbatim when it holds none."""
    if "### " not in text:
        return text
    return _SECTION.sub("", text)
