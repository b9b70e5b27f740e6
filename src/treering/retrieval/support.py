"""How closely each source backs each reflection of a batch."""

import numpy as np
from numpy.typing import NDArray

_TEMPERATURE = 0.07
_MASS = 0.95
_MOST_SOURCES = 16


def support(
    reflections: NDArray[np.float32], sources: NDArray[np.float32], owners: NDArray[np.intp]
) -> list[tuple[int, int, float]]:
    """Return sparse (reflection, source, weight), a reflection's weights adding up to about 1.

    `reflections` [r, dims] and `sources` [s, dims] are unit vectors; `owners` [s] numbers the
    memory that each source vector is a passage of, from 0 and ascending: its best passage counts.
    A weight is the softmax of the cosine inside the batch, at temperature 0.07; the heaviest
    sources are kept until they hold 95 % of the mass, at most 16.
    """
    if not len(reflections) or not len(sources):
        return []
    firsts = np.flatnonzero(np.diff(owners, prepend=-1))
    cosines = np.maximum.reduceat(reflections @ sources.T, firsts, axis=1)
    mass = np.exp((cosines - cosines.max(axis=1, keepdims=True)) / _TEMPERATURE)
    mass /= mass.sum(axis=1, keepdims=True)
    heaviest = np.argsort(-mass, axis=1, kind="stable")[:, :_MOST_SOURCES]
    weights = np.take_along_axis(mass, heaviest, axis=1)
    needed = np.cumsum(weights, axis=1) - weights < _MASS
    rows, places = np.nonzero(needed)
    kept = owners[firsts][heaviest[rows, places]]
    return list(zip(rows.tolist(), kept.tolist(), weights[rows, places].tolist(), strict=True))
