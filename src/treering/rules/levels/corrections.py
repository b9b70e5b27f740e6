"""Whether a message corrects what was said: the user visibly changes their mind."""

from __future__ import annotations

import re

from treering.rules.levels.claims import claim_of
from treering.rules.levels.lexemes import Role, lexemes
from treering.rules.levels.sentences import sentences

_LOOKED_AT = 2_000
_opening = re.compile(
    r"""(?:(?:sorry|oh|wait|hm+|ah|well|ok|okay|hang\ on|hold\ on|no|nope|oops)[,.!…]*\s)*(?:
        actually,?\s(?:no\b|not\b|(?:it|that)(?:'s|\sis|\swas|\sshould)\s(?!fine|good|great|ok|nice|works)
            |(?:we|i|they|you)(?:'ve|\shave)?\s(?:just\s)?(?:switched|moved|changed|use|meant|want|need|prefer|migrated|renamed|dropped)
            |let's\s|make\s(?:it|that)\s|use\s|the\s|our\s|my\s)
      | (?:i|we)\s(?:actually\s)?meant\s
      | scratch\sthat | strike\sthat | correction\s?[:,—-] | let\sme\scorrect
      | that(?:'s|\sis|\swas)\s(?:wrong|incorrect|outdated|not\s(?:right|correct|true)|no\slonger)
      | i(?:'ve|\shave)?\schanged\smy\smind | change\sof\splans?
      | i\swas\s(?:wrong|mistaken) | i\smis(?:spoke|typed|remembered)
      | you(?:'re|\sare)\s(?:wrong|mistaken) | you\sgot\s(?:it|that)\swrong
      | (?:we|i|they)\sno\slonger\s
      | (?:we|i|they)(?:'ve|\shave)?\s(?:just\s|since\s)?
            (?:switched|migrated|moved)\s(?:\w+\s){0,3}(?:to|from|away)\b
    )""",
    re.IGNORECASE | re.VERBOSE,
)
_denial = re.compile(
    r"(?:no|nope|nah)[,.!:—-]+\s(?:(?:it|that|he|she|they|we|i|you)(?:'s|'re|\s(?:is|are|was|use|meant|want))\b"
    r"|(?:the|our|my|use|its)\s)",
    re.IGNORECASE,
)
_fine = re.compile(r"\b(?:fine|good|okay|great|problem|worries|thanks)\b", re.IGNORECASE)


def is_correction(message: str) -> bool:
    """Whether a message pattern-matches an explicit correction.

    `Actually we switched to …`, `no, it's …`, `I meant …`, `Scratch that`, `… listens on 6000, not
    5433`. Only the first 2,000 characters are looked at, code and quoted lines aside.
    """
    head = message[:_LOOKED_AT].replace("\u2019", "'")
    return any(_corrects(head[piece.start : piece.end]) for piece in sentences(head))


def _corrects(sentence: str) -> bool:
    if sentence.rstrip().endswith("?"):
        return False
    if _opening.match(sentence):
        return True
    if _denial.match(sentence) and not _fine.search(sentence):
        return True
    return _replaces_value(sentence)


def _replaces_value(sentence: str) -> bool:
    """`auth listens on 6000, not 5433`: a claim that names the value it takes the place of."""
    words = lexemes(sentence)
    claim = claim_of(words)
    if claim is None:
        return False
    rest = [one for one in claim.rest if one.text != ","]
    if len(rest) < 2 or rest[0].folded != "not":
        return False
    return rest[1].is_value or rest[1].role is Role.NUMBER
