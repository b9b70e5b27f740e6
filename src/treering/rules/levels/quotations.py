"""What stands in quotation marks: somebody's words, which the user need not share."""

from __future__ import annotations

import re

_quoted = re.compile(r"\"[^\"\n]{0,400}\"|“[^”\n]{0,400}”|«[^»\n]{0,400}»|「[^」\n]{0,400}」")


def quotations(text: str) -> list[tuple[int, int]]:
    """The spans of what is quoted in a text, its marks included."""
    return [found.span() for found in _quoted.finditer(text)]


def without_quotations(text: str) -> str:
    """A text of the same length with spaces in place of what is quoted."""
    return _quoted.sub(lambda found: " " * len(found[0]), text)
