"""Reflections without a model: the most central sentences of a batch, quoted.

Centrality is continuous LexRank (Erkan and Radev 2004, section 3.3): the stationary distribution of
a walk over sentences whose steps are as likely as the sentences are similar. Diversity is maximal
marginal relevance (Carbonell and Goldstein 1998).
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from treering.model import Tier
from treering.reflectors.base import ReflectionEntry
from treering.reflectors.sentences import Sentence, sentences, whole_texts
from treering.replies import Batch
from treering.retrieval.embedder import Embedder

Floats = NDArray[np.float32]

MIN_ENTRIES, MAX_ENTRIES = 5, 10
_MAX_CANDIDATES = 2_000
_DAMPING = 0.15
_STEPS = 50
_RELEVANCE = 0.6
_LOWEST, _HIGHEST = 3, 8
"""Importance given: counting similar sentences can call nothing trivial, and nothing vital."""


class ExtractiveReflector:
    """Picks the 5 to 10 sentences that say most of what a batch says, and quotes them.

    It copies and does not understand: nothing is inferred, resolved or merged. The same batch and
    embedder give the same entries.
    """

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder

    def reflect(self, batch: Batch) -> list[ReflectionEntry]:
        """The chosen sentences in order; importance 3 to 8 by centrality among the chosen."""
        if batch.tier == Tier.RAW:
            found = sentences(batch.memories)
            texts = [sentence.standing_alone() for sentence in found]
        else:
            found = whole_texts(batch.memories)
            texts = [sentence.text for sentence in found]
        kept, vectors = self._candidates(found)
        similarity = np.clip(vectors @ vectors.T, 0.0, 1.0)
        central = np.round(_centrality(similarity), 6)
        chosen = _most_central_yet_diverse(central, similarity, _entries_for(len(kept)))
        rated = _importances(central[chosen])
        return [
            {"text": texts[kept[place]], "importance": importance}
            for place, importance in sorted(zip(chosen, rated, strict=True))
        ]

    def describe(self) -> str:
        """What this is, and what it is not."""
        return (
            "No model: the most central sentences of each batch are quoted (LexRank over "
            f"{self._embedder.name}). Nothing is understood or rephrased; use a model for that."
        )

    def _candidates(self, found: list[Sentence]) -> tuple[list[int], Floats]:
        """Places and vectors of the sentences that are compared with each other.

        Comparing costs the square of their number, so of more than 2,000 those nearest to the
        mean of all are kept.
        """
        vectors = self._embedder.embed([sentence.text for sentence in found])
        if len(found) <= _MAX_CANDIDATES:
            return list(range(len(found))), vectors
        nearness = np.round(vectors @ vectors.mean(axis=0), 6)
        kept = np.sort(np.argsort(-nearness, kind="stable")[:_MAX_CANDIDATES])
        return kept.tolist(), vectors[kept]


def _entries_for(count: int) -> int:
    """Five to ten, growing with the square root of the sentences; never more than there are."""
    return min(count, max(MIN_ENTRIES, min(MAX_ENTRIES, math.isqrt(count))))


def _centrality(similarity: Floats) -> NDArray[np.float64]:
    """How central each sentence is, from a (n, n) similarity of 0 to 1; the largest is 1."""
    count = len(similarity)
    weights = similarity.astype(np.float64)
    np.fill_diagonal(weights, 0.0)
    totals = weights.sum(axis=1, keepdims=True)
    lonely = totals == 0.0
    steps = np.where(lonely, 1.0 / count, weights / np.where(lonely, 1.0, totals))
    rank = np.full(count, 1.0 / count)
    for _ in range(_STEPS):
        rank = _DAMPING / count + (1.0 - _DAMPING) * (rank @ steps)
    largest: float = rank.max()
    return np.asarray(rank / largest)


def _most_central_yet_diverse(
    central: NDArray[np.float64], similarity: Floats, count: int
) -> list[int]:
    chosen: list[int] = []
    nearest = np.zeros(len(central))
    while len(chosen) < count:
        gain = _RELEVANCE * central - (1.0 - _RELEVANCE) * nearest
        gain[chosen] = -np.inf
        best = int(np.argmax(np.round(gain, 6)))
        chosen.append(best)
        nearest = np.maximum(nearest, similarity[best])
    return chosen


def _importances(central: NDArray[np.float64]) -> list[int]:
    """3 to 8, spread evenly from the least to the most central of the chosen."""
    low, high = central.min(), central.max()
    share = (central - low) / (high - low) if high > low else np.full(len(central), 0.5)
    return [int(rated) for rated in np.round(_LOWEST + (_HIGHEST - _LOWEST) * share)]
