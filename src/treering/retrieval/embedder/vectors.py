"""Rows of L2 norm 1."""

from typing import Any

import numpy as np
from numpy.typing import NDArray


def unit_rows(vectors: NDArray[np.floating[Any]]) -> NDArray[np.float32]:
    """Scale each row of a (rows, dims) matrix to L2 norm 1; a row of zeros stays as it is."""
    norms = np.sqrt(np.square(vectors).sum(axis=1, keepdims=True))
    return (vectors / np.where(norms == 0.0, 1.0, norms)).astype(np.float32)
