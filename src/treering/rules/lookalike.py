"""What a reader, or a model, could take for a tag, however it is spelt."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

_NEUTRAL = "["
_OPENER = re.compile(r"[<\uff1c\ufe64\u2039\u3008\u2329\u27e8\u276e&\uff06\\\uff3c]")
_OPENERS = r"[<\u2039\u3008\u27e8\u276e]|&lt;?|&#0{0,8}60;?|&#x0{0,8}3c;?|\\u003c"
_UNSEEN = frozenset(["Cc", "Cf", "Cs", "Mn", "Mc", "Me", "Pd", "Zl", "Zp", "Zs"])
"""Categories that may stand inside a tag unnoticed, and hyphens, which stand in for each other."""
_MORE_HYPHENS = "\u2043\u2212_"


def neutralised(text: str, tag: str) -> str:
    """`text` with `[` for the bracket of everything that looks like `<tag` or `</tag`.

    The bracket and its likes, also as an entity or an escape; letters of any width, with unseen
    characters between them and any hyphen or none. Takes time by the length of the text.
    """
    if _OPENER.search(text) is None:
        return text
    shapes = [_shape(character) for character in text]
    skeleton = "".join(shapes)
    name = re.escape("".join(map(_shape, tag)))
    kept: list[str] = []
    places = _places(shapes)
    done = 0
    for found in re.finditer(rf"({_OPENERS})[/\\\u2044\u2215]{{0,4}}{name}", skeleton):
        start, end = places[found.start(1)], places[found.end(1) - 1]
        kept += text[done:start], _NEUTRAL
        done = end + 1
    return "".join([*kept, text[done:]])


def _places(shapes: list[str]) -> list[int]:
    """Where in the text each character of its skeleton comes from."""
    return [place for place, shape in enumerate(shapes) for _ in shape]


@lru_cache(maxsize=4_096)
def _shape(character: str) -> str:
    """What is left of a character when width, case, marks and what is unseen are taken off."""
    folded = unicodedata.normalize("NFKC", character).casefold()
    return "".join(
        c for c in folded if unicodedata.category(c) not in _UNSEEN and c not in _MORE_HYPHENS
    )
