"""Made-up conversation turns of everyday length, the same for the same seed."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

_ONSETS = ("b", "br", "c", "ch", "d", "f", "gr", "h", "k", "l", "m", "n", "p", "r", "s", "st", "t")
_VOWELS = ("a", "e", "i", "o", "u", "ai", "ea", "ou")
_CODAS = ("d", "l", "m", "n", "nd", "r", "s", "st", "t", "x")
_COMMON = (
    "I",
    "you",
    "it",
    "the",
    "a",
    "to",
    "and",
    "of",
    "in",
    "that",
    "was",
    "for",
    "with",
    "my",
)
_VOCABULARY = 20_000
_MINUTE_MS = 60_000
_TURNS_A_SESSION = 22


def lines(count: int, seed: int, start: int) -> Iterator[dict[str, Any]]:
    """Upload lines: sessions of 22 turns a day apart, turns of about 25 words a minute apart.

    Half of the words are everyday ones; the others follow Zipf's law over 20,000 invented words.
    """
    dice = random.Random(seed)
    words = [_word(dice) for _ in range(_VOCABULARY)]
    weights = [1 / (rank + 10) for rank in range(_VOCABULARY)]
    total = 0.0
    cumulative = [total := total + weight for weight in weights]
    for place in range(count):
        session, turn = divmod(place, _TURNS_A_SESSION)
        length = max(3, round(dice.gauss(25, 10)))
        rare = dice.choices(words, cum_weights=cumulative, k=length // 2)
        said = rare + dice.choices(_COMMON, k=length - len(rare))
        dice.shuffle(said)
        yield {
            "role": ("user", "assistant")[place % 2],
            "content": f"{('Ada', 'Ben')[place % 2]}: {' '.join(said)}.",
            "timestamp": start + session * 1440 * _MINUTE_MS + turn * _MINUTE_MS,
            "session_id": f"session_{session}",
        }


def queries(count: int, seed: int, texts: list[str]) -> list[str]:
    """Questions of a few words that stand in some text."""
    dice = random.Random(seed)
    asked = []
    for _ in range(count):
        words = dice.choice(texts).rstrip(".").split()
        asked.append(f"what about {' '.join(dice.sample(words, min(4, len(words))))}?")
    return asked


def _word(dice: random.Random) -> str:
    syllables = dice.choice((1, 2, 2, 3))
    return "".join(
        dice.choice(_ONSETS) + dice.choice(_VOWELS) + dice.choice(_CODAS) for _ in range(syllables)
    )
