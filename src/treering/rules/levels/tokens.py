"""A statement as tokens: what makes two statements the same, the fuller one, or different ones."""

from __future__ import annotations

from functools import lru_cache
from unicodedata import category

from treering.rules.levels.lexemes import Lexeme, Role, lexemes
from treering.rules.levels.words import LIMITS, NEGATIONS

_WEIGHTLESS = frozenset("a an the is are am be please".split())
_ASKING = "?？؟"
_KEPT = 128
"""A statement is compared with the same few dozen held ones again and again."""
_FINAL = ".!。！…"


def restatement_key(text: str) -> str:
    """Equal for two texts that differ in case, spacing and final punctuation alone."""
    return " ".join(text.split()).rstrip(_FINAL).rstrip().casefold()


def ordered_tokens(text: str) -> tuple[str, ...]:
    """The distinctive tokens of a text in order: words without articles, identifiers whole."""
    return tuple(one.folded for one in _weighty(text))


def distinctive_tokens(text: str) -> frozenset[str]:
    """The tokens that tell a text from others, folded. A store may index statements by them."""
    return frozenset(ordered_tokens(text))


def anchors(text: str) -> tuple[str, ...]:
    """The tokens that no merge may add or drop, sorted, repeated as often as they stand.

    Negations, numbers, identifiers, code, amounts, comparisons and signs (`<`, `!=`, `-5`, `❌`,
    `?`), limiting words (`unless`, `only`, `in staging`, `was`), and words of other scripts, whose
    meaning the rules don't know; and the first of several lines, which may be a lead-in or a
    heading. Two statements merge only if theirs are equal, so that a store needs to compare those
    of one bucket alone.
    """
    first, *rest = text.strip().splitlines() or [""]
    lead = [restatement_key(first)] if rest else []
    return tuple(sorted([*lead, *(one.folded for one in _weighty(text) if _anchors(one))]))


def is_negation(word: str) -> bool:
    """Whether a folded word negates: `not`, `never`, `isn't`, and their like in other languages."""
    return word in NEGATIONS or word.endswith("n't")


@lru_cache(maxsize=_KEPT)
def _weighty(text: str) -> tuple[Lexeme, ...]:
    return tuple(
        one
        for one in lexemes(text)
        if (one.role is not Role.MARK or one.text in _ASKING) and one.folded not in _WEIGHTLESS
    )


def _anchors(one: Lexeme) -> bool:
    if one.role is not Role.WORD or one.is_symbol:
        return True
    word = one.folded
    has_digit = any(map(str.isdigit, word))
    limits = word in LIMITS or not LIMITS.isdisjoint(word.split("-"))
    return has_digit or limits or is_negation(word) or _is_foreign(word)


def _is_foreign(word: str) -> bool:
    """Whether it holds a letter of another script, or a symbol that may stand for yes or no."""
    return not word.isascii() and any(
        (c > "\u036f" and c.isalpha()) or category(c) in ("So", "Sm") for c in word
    )
