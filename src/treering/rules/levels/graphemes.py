"""Where a text may be cut without breaking what a reader sees as one character."""

from __future__ import annotations

import unicodedata

_JOINER = "\u200d"
_MAX_CLUSTER = 64
"""A longer run of joined characters is no character but an attack, and is cut anyway."""


def boundary(text: str, index: int) -> int:
    """The last place at or before `index` where `text` may be cut.

    Combining marks, variation selectors, emoji sequences, skin tones, flags, Hangul jamo and pairs
    of surrogates stay together.
    """
    index = min(max(index, 0), len(text))
    at = index
    while 0 < at < len(text) and index - at < _MAX_CLUSTER and _joined(text, at):
        at -= 1
    return at


def _joined(text: str, at: int) -> bool:
    before, after = text[at - 1], text[at]
    if after.isascii():
        return before == "\r" and after == "\n"
    if before == _JOINER or after == _JOINER or _extends(after):
        return True
    if "\ud800" <= before <= "\udbff" and "\udc00" <= after <= "\udfff":
        return True
    if _is_flag_half(before) and _is_flag_half(after):
        return _flag_halves_before(text, at) % 2 == 1
    return _is_jamo(before) and _is_jamo(after)


def _extends(character: str) -> bool:
    is_skin_tone = "\U0001f3fb" <= character <= "\U0001f3ff"
    is_tag = "\U000e0020" <= character <= "\U000e007f"
    return is_skin_tone or is_tag or unicodedata.category(character)[0] == "M"


def _is_flag_half(character: str) -> bool:
    return "\U0001f1e6" <= character <= "\U0001f1ff"


def _flag_halves_before(text: str, at: int) -> int:
    start = at
    while start > 0 and _is_flag_half(text[start - 1]):
        start -= 1
    return at - start


def _is_jamo(character: str) -> bool:
    return "\u1100" <= character <= "\u11ff"
