"""Unit vectors as int8: a quarter of the memory, and a scan that the memory bus bounds."""

import numkong
import numpy as np
from numpy.typing import NDArray

_LARGEST = 127


def quantise(vectors: NDArray[np.float32]) -> list[bytes]:
    """Pack float vectors [n, dims] into dims bytes of int8 each.

    Every vector is scaled so that its largest component becomes ±127; a cosine does not need the
    scale back. A zero vector stays zero.
    """
    largest = np.abs(vectors).max(axis=1, keepdims=True, initial=0.0)
    scaled = vectors * (_LARGEST / np.where(largest == 0, 1.0, largest))
    return [row.tobytes() for row in np.rint(scaled).astype(np.int8)]


def unpack_vectors(packed: bytes, dims: int) -> NDArray[np.int8]:
    """Return joined packed vectors as int8 [n, dims]."""
    return np.frombuffer(packed, np.int8).reshape(-1, dims)


def inverse_norms(vectors: NDArray[np.int8]) -> NDArray[np.float32]:
    """Return 1 / |v| of int8 vectors [n, dims]; 0 for a zero vector, which has no direction."""
    squares = np.einsum("ij,ij->i", vectors, vectors, dtype=np.int32)
    inverse = np.zeros(len(vectors), np.float32)
    np.divide(1.0, np.sqrt(squares), out=inverse, where=squares > 0, casting="same_kind")
    return inverse


def cosines(
    query: NDArray[np.float32], vectors: NDArray[np.int8], inverse: NDArray[np.float32]
) -> NDArray[np.float32]:
    """Return the cosine of a query [dims] with int8 vectors [n, dims] of known `inverse_norms`."""
    if not len(vectors):
        return np.zeros(0, np.float32)
    sharp = unpack_vectors(quantise(query[np.newaxis])[0], len(query))
    dots = numkong.cdist(sharp, vectors, "dot", out_dtype="float32")
    near: NDArray[np.float32] = np.asarray(dots)[0]
    near *= inverse
    near *= inverse_norms(sharp)
    return near
