"""Whether a message asks: then nothing is learnt from it."""

from __future__ import annotations

import re

from treering.rules.levels.lexemes import opaque_spans
from treering.rules.levels.quotations import quotations
from treering.rules.levels.sentences import Sentence, sentences

_mark = re.compile(r"[?][?!…]{0,9}[\"'”’)\]*_]{0,9}(?=\s|$)|[？؟⁇]")
_opens_like_one = re.compile(
    r"(?:(?:so|and|ok|okay|hey|hi|but|also),? )?"
    r"(?:(?:what|where|who|why|how|when|which)(?:'s| is| are| was| were| do| does| did| can| could"
    r"| should| would| will| has| have)\s"
    r"|do (?:you|we|i|they) \w+|(?:does|did|is|are) (?:you|we|i|it|there|they) \w+)",
    re.IGNORECASE,
)
_states_after_all = re.compile(r",|\b(?:always|never|must)\b", re.IGNORECASE)


def asks(message: str) -> bool:
    """Whether the user asks a question.

    A `?` inside a URL, code, a quotation or a quoted line asks nothing; `what is the staging url`
    asks without one.
    """
    hidden = bytearray(len(message))
    for start, end in opaque_spans(message) + quotations(message):
        hidden[start:end] = b"\1" * (end - start)
    return any(
        _has_mark(message, piece, hidden) or _opens(message, piece) for piece in sentences(message)
    )


def _has_mark(message: str, piece: Sentence, hidden: bytearray) -> bool:
    marks = _mark.finditer(message, piece.start, piece.end)
    return any(not hidden[match.start()] for match in marks)


def _opens(message: str, piece: Sentence) -> bool:
    # `You must document:`, `- how it is started`: such an item asks nothing.
    if piece.is_item and piece.lead is not None:
        return False
    sentence = message[piece.start : piece.end]
    return bool(_opens_like_one.match(sentence)) and not _states_after_all.search(sentence)
