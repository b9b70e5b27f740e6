"""The signals that a ranking adds up, as functions of arrays."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from treering.retrieval.conversation import Turns

Floats = NDArray[np.float32]
Flags = NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Weights:
    """What each signal counts, in standard deviations of the cosine (which itself counts 1).

    `after_a_hit` and `before_a_hit` are shares of a neighbour's score, `conversation` of the best
    score in the conversation, `lineage` of what a reflection has above `lineage_floor`.
    `reflection` is what a reflection's score lacks to be as good a sign of the answer as a raw
    memory's, which has turns beside it. `cosine_floor` is the cosine above which two texts are
    taken to be about the same thing.
    """

    words: float = 4.0
    window: float = 3.0
    speaker: float = 0.5
    after_a_hit: float = 0.3
    before_a_hit: float = 0.2
    conversation: float = 0.4
    session: float = 2.0
    lineage: float = 1.5
    lineage_floor: float = 1.5
    reflection: float = 3.0
    cosine_floor: float = 0.4


_K1, _B = 0.9, 0.4

_BACKGROUND = 100
"""Documents without the term that are counted beside a vault's own, so that a word is worth
something in a vault of three memories too."""

_FAINT = 1.0
"""Beside the best match of a vault, so that matching faintly everywhere is not matching well."""

_PRIOR_COUNT = 16
_PRIOR_MEAN, _PRIOR_DEVIATION = 0.12, 0.1


def inverse_document_frequency(holding: int, documents: int) -> float:
    """Return how telling a term is: Lucene's ln(1 + (N - n + 0.5) / (n + 0.5))."""
    without = documents + _BACKGROUND - holding
    return float(np.log1p((without + 0.5) / (holding + 0.5)))


def length_norms(lengths: NDArray[np.int32], mean_length: float) -> Floats:
    """Return BM25's k1 (1 - b + b length / mean length), with k1 0.9 and b 0.4."""
    return (_K1 * (1 - _B + _B / mean_length * lengths)).astype(np.float32)


def saturation(counts: Floats, norms: Floats) -> Floats:
    """Return BM25's weight of a term that occurs `counts` times in passages of given norms."""
    return counts * np.float32(_K1 + 1) / (counts + norms)


def relative(weight: float, best: np.float32) -> np.float32:
    """Return the factor that gives scores whose best is `best` a signal's weight.

    Relative to the best, scores are alike in vaults of any size.
    """
    return np.float32(weight) / (best + np.float32(_FAINT))


def spread(cosines: Floats, raw: NDArray[np.float64]) -> tuple[np.float32, np.float32]:
    """Return the mean and the deviation of cosines weighted 1 or 0.

    Both lean on those of MiniLM's unrelated texts while a vault is small, and are rounded, so that
    the order of the rows can't show in their last bits.
    """
    count = float(raw.sum()) + _PRIOR_COUNT
    weighted = raw * cosines
    total = float(weighted.sum()) + _PRIOR_COUNT * _PRIOR_MEAN
    # einsum and not @, which would start threads to add up a few numbers
    squares = float(np.einsum("i,i->", weighted, weighted))
    squares += _PRIOR_COUNT * (_PRIOR_DEVIATION**2 + _PRIOR_MEAN**2)
    mean = total / count
    deviation = np.sqrt(squares / count - mean**2)
    return np.float32(round(mean, 9)), np.float32(round(float(deviation), 9))


def around(here: Flags, turns: Turns) -> Flags:
    """Return which places are flagged, or next to a flagged one in their conversation."""
    near = here.copy()
    near[1:] |= here[:-1] & turns.joined[1:]
    near[:-1] |= here[1:] & turns.joined[1:]
    return near


def neighbours(scores: Floats, turns: Turns, weights: Weights) -> Floats:
    """Return what each place gains from the turn before it and the turn after it."""
    lifted = np.zeros_like(scores)
    np.multiply(scores[:-1], np.float32(weights.after_a_hit), out=lifted[1:])
    lifted[turns.starts] = 0
    from_after = scores[1:] * np.float32(weights.before_a_hit)
    from_after[turns.starts[1:] - 1] = 0
    lifted[:-1] += from_after
    return lifted


def best_of_conversation(scores: Floats, turns: Turns) -> Floats:
    """Return for each place the best score of its conversation."""
    if not len(scores):
        return scores
    best: Floats = np.maximum.reduceat(scores, turns.starts)
    return np.repeat(best, turns.sizes)
