"""Compatibility normalisation whose time and length stay in proportion to the text."""

import re
import unicodedata
from functools import cache

_JOINER = "\u034f"
_LONGEST_RUN = 30
_LEAST_KEPT = 400_000
_HIDDEN_MARKS = "\u0f73\u0f75\u0f81\uff9e\uff9f"
"""Starters that decompose to combining marks alone."""


def normalised(text: str) -> str:
    """NFKC of a text, stream-safe: a joiner after every 30 combining marks in a row (UAX #15).

    Sorting the marks takes time by the square of their run. Some characters stand for 18 others:
    what is longer than twice the text, and than 400,000 characters, is cut.
    """
    safe = _long_run().sub(rf"\g<0>{_JOINER}", text)
    return unicodedata.normalize("NFKC", safe)[: max(_LEAST_KEPT, 2 * len(text))]


@cache
def _long_run() -> re.Pattern[str]:
    points = (chr(point) for point in range(0x300, 0x20000))
    marks = "".join(c for c in points if unicodedata.combining(c)) + _HIDDEN_MARKS
    return re.compile(f"[{marks}]{{{_LONGEST_RUN}}}(?=[{marks}])")
