from typing import Any

import numpy as np
from numpy.typing import NDArray

from treering.retrieval.vectors import cosines, inverse_norms, quantise, unpack_vectors

Vectors = NDArray[Any]


def unit(seed: int, count: int, dims: int = 384) -> Vectors:
    vectors = np.random.default_rng(seed).normal(size=(count, dims)).astype(np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    return vectors


def stored(vectors: Vectors) -> Vectors:
    return unpack_vectors(b"".join(quantise(vectors)), vectors.shape[1])


def test_the_largest_component_becomes_127() -> None:
    packed = stored(np.array([[0.1, -0.4], [0.0, 0.0]], np.float32))
    assert packed.tolist() == [[32, -127], [0, 0]]


def test_cosines_are_those_of_the_int8_vectors_to_the_last_digit() -> None:
    vectors, query = stored(unit(1, 500)), unit(2, 1)[0]
    sharp = stored(query[np.newaxis])[0].astype(np.int64)
    whole = vectors.astype(np.int64)
    expected = whole @ sharp / np.sqrt((whole**2).sum(axis=1) * (sharp**2).sum())
    found = cosines(query, vectors, inverse_norms(vectors))
    np.testing.assert_allclose(found, expected, rtol=1e-6, atol=1e-7)


def test_cosines_are_near_those_of_the_float_vectors() -> None:
    vectors, query = unit(3, 500), unit(4, 1)[0]
    packed = stored(vectors)
    found = cosines(query, packed, inverse_norms(packed))
    np.testing.assert_allclose(found, vectors @ query, atol=0.005)


def test_a_zero_vector_is_near_nothing() -> None:
    packed = stored(np.zeros((1, 384), np.float32))
    assert cosines(unit(5, 1)[0], packed, inverse_norms(packed)).tolist() == [0.0]


def test_no_vectors_have_no_cosines() -> None:
    nothing = np.zeros((0, 384), np.int8)
    assert len(cosines(unit(6, 1)[0], nothing, inverse_norms(nothing))) == 0
