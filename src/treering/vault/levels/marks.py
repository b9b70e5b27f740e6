"""Hashes by which the store finds the few statements that a rule has to look at.

Nothing of a text can be read from them, and none is decided on alone: the rules see the texts.
"""

from __future__ import annotations

from collections.abc import Iterable

from treering.rules.content import fingerprint
from treering.rules.levels.contradictions import contradiction_keys
from treering.rules.levels.identifiers import identifier_keys
from treering.rules.levels.tokens import anchors, distinctive_tokens, restatement_key
from treering.store.levels import LevelsReader

_MOST_TOKENS = 64
"""Of a longer statement the longest tokens are marked, which tell most."""
_MOST_LOOKED_UP = 4
_MOST_HELD = 32
"""So many statements are looked at under one mark, the newest first."""


def marks_of_statement(text: str) -> list[int]:
    """Every mark of a statement."""
    bucket, tokens = _bucket(text), _tokens(text)
    marks = [_mark("says", restatement_key(text))]
    marks += [_mark("holds", bucket, token) for token in tokens]
    marks += [_mark("longest", bucket, tokens[0])] if tokens else []
    marks += [_mark("contradicts", key) for key in contradiction_keys(text)]
    return [*marks, *marks_of_identifiers(text)]


def marks_of_identifiers(text: str) -> list[int]:
    """The marks by which a message that names an identifier of `text` finds it."""
    return identifier_marks(identifier_keys(text))


def identifier_marks(keys: Iterable[str]) -> list[int]:
    """The marks of identifiers, folded."""
    return [_mark("identifier", key) for key in keys]


def restated_by(reader: LevelsReader, text: str) -> list[int]:
    """Statements that may say exactly this."""
    return reader.marked(_mark("says", restatement_key(text)), _MOST_HELD)


def near(reader: LevelsReader, text: str) -> list[int]:
    """Statements that may say all of this and more, or part of it."""
    bucket, tokens = _bucket(text), _tokens(text)
    if not tokens:
        return []
    parts = [
        seq
        for token in tokens
        for seq in reader.marked(_mark("longest", bucket, token), _MOST_HELD)
    ]
    holders = [
        reader.marked(_mark("holds", bucket, token), _MOST_HELD + 1)
        for token in tokens[:_MOST_LOOKED_UP]
    ]
    fewest = min(holders, key=len)
    return list(dict.fromkeys([*fewest[:_MOST_HELD], *parts]))


def opposing(reader: LevelsReader, text: str) -> list[int]:
    """Statements that may contradict this."""
    found = (
        reader.marked(_mark("contradicts", key), _MOST_HELD)
        for key in sorted(contradiction_keys(text))
    )
    return list(dict.fromkeys(seq for seqs in found for seq in seqs))


def _bucket(text: str) -> str:
    """What two statements must share to be merged."""
    return "\0".join(anchors(text))


def _tokens(text: str) -> list[str]:
    """The tokens of a statement, the longest first."""
    return sorted(distinctive_tokens(text), key=lambda token: (-len(token), token))[:_MOST_TOKENS]


def _mark(*parts: str) -> int:
    return int.from_bytes(fingerprint(*parts)[:8], "big", signed=True)
