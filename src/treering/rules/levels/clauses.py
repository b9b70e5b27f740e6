"""A sentence as clauses."""

from __future__ import annotations

import re

from treering.rules.levels.lexemes import opaque_spans

_joint = re.compile(r"[,;:.!—–]\s|\s[-—–]\s|\s(?:and|but|then)\s", re.IGNORECASE)


def clauses(sentence: str) -> list[tuple[int, int]]:
    """The spans between commas, semicolons, colons, dashes and `and`, none inside an identifier."""
    hidden = bytearray(len(sentence))
    for start, end in opaque_spans(sentence):
        hidden[start:end] = b"\1" * (end - start)
    cuts = [m.span() for m in _joint.finditer(sentence) if not hidden[m.start()]]
    spans: list[tuple[int, int]] = []
    at = 0
    for start, end in [*cuts, (len(sentence), len(sentence))]:
        if sentence[at:start].strip():
            spans.append((at, start))
        at = end
    return spans
