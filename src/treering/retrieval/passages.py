"""Long messages as passages that an embedder can hold whole."""

import re

_LONGEST = 900
"""ASCII characters: as English prose about 220 tokens, and 256 is what MiniLM holds."""
_OTHERS = 4
"""What any other character counts: a WordPiece vocabulary of English spends a token on it."""
_OVERLAP = 1 / 8

_ends = (
    re.compile(r"\n\s*\n"),
    re.compile(r"\n|[.!?…]['\")\]]*\s|[。！？]"),
    re.compile(r"\s"),
)


def passages(text: str) -> list[tuple[int, int]]:
    """Return the (start, end) spans of a text's passages: one for a short text, never none.

    Spans cover the text, overlap a little so that no sentence is without its context, and end
    where a paragraph, else a sentence, else a word ends, if one does in their second half.
    """
    spans = []
    start = 0
    while start + (reach := _reach(text, start)) < len(text):
        end = _break(text, start + reach // 2, start + reach)
        spans.append((start, end))
        start = _resume(text, end - int(reach * _OVERLAP), end)
    return [*spans, (start, len(text))]


def _reach(text: str, start: int) -> int:
    """Return about how many characters from `start` on an embedder can hold."""
    ahead = text[start : start + _LONGEST]
    others = 0 if ahead.isascii() else sum(not c.isascii() for c in ahead)
    weight = len(ahead) + (_OTHERS - 1) * others
    return len(ahead) if weight <= _LONGEST else len(ahead) * _LONGEST // weight


def _break(text: str, low: int, high: int) -> int:
    """Return where to end a passage: after the last best break in text[low:high], else `high`."""
    for end in _ends:
        *_, last = [None, *end.finditer(text, low, high)]
        if last is not None:
            return last.end()
    return high


def _resume(text: str, low: int, high: int) -> int:
    """Return where to begin the next passage: at a sentence, else a word, in text[low:high]."""
    for end in _ends[1:]:
        first = end.search(text, low, high)
        if first is not None and first.end() < high:
            return first.end()
    return low
