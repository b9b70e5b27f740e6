"""Memories for tests of the index: rows without a database."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treering.retrieval.index import Ask, Link, Ranking, Row, VaultIndex
from treering.retrieval.terms import index_terms, speaker
from treering.retrieval.vectors import quantise

DIMS = 16
MINUTE = 60_000
MESSAGE, STATEMENT, REFLECTION = 1, 2, 3


def meaning(text: str) -> NDArray[np.float32]:
    """Embed a text as the sum of a random direction for each of its words."""
    total = np.zeros(DIMS, np.float32)
    for word in text.lower().split():
        total += np.random.default_rng(sum(word.encode()) + 31 * len(word)).normal(size=DIMS)
    return (total / (np.linalg.norm(total) or 1)).astype(np.float32)


@dataclass(frozen=True)
class Memory:
    """A memory of one or more passages; what is not said is that of a plain message."""

    seq: int
    text: str | tuple[str, ...]
    tier: int = 1
    kind: int = MESSAGE
    level: int = 3
    importance: int = 0
    date: int | None = None
    covers: tuple[int, int] = (0, 0)
    session: int = 0
    folds_into: int = 0
    embedded: bool = True

    def rows(self) -> list[Row]:
        texts = (self.text,) if isinstance(self.text, str) else self.text
        date = self.seq * MINUTE if self.date is None else self.date
        return [
            (
                self.seq,
                self.tier,
                self.kind,
                self.level,
                self.importance,
                date,
                *self.covers,
                self.session,
                speaker(texts[0]),
                self.folds_into,
                index_terms(text),
                quantise(meaning(text)[np.newaxis])[0] if self.embedded else None,
            )
            for text in texts
        ]


def reflection(
    seq: int, text: str, importance: int = 5, covers: tuple[int, int] = (0, 0), tier: int = 2
) -> Memory:
    return Memory(
        seq, text, tier, REFLECTION, level=2, importance=importance, date=covers[1], covers=covers
    )


def rows(memories: Iterable[Memory]) -> list[Row]:
    return [row for memory in memories for row in memory.rows()]


def index(*memories: Memory, links: Iterable[Link] = ()) -> VaultIndex:
    loaded = VaultIndex(DIMS)
    loaded.load(rows(memories), links)
    return loaded


def asking(text: str, **filters: Any) -> Ask:
    """Ask with the vector of the text."""
    return Ask(text, meaning(text), **filters)


def score_of(ranking: Ranking, seq: int) -> float:
    return ranking.scores[ranking.seqs.index(seq)]


def why_of(ranking: Ranking, seq: int) -> dict[str, float]:
    return ranking.why[ranking.seqs.index(seq)]
