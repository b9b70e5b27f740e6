from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from treering.retrieval.support import support


def directions(*angles: float) -> NDArray[Any]:
    return np.array([(np.cos(angle), np.sin(angle)) for angle in angles], np.float32)


def test_support_is_the_softmax_of_the_cosine() -> None:
    found = support(directions(0.0), directions(0.0, 0.3), np.array([0, 1]))
    odds = np.exp((np.cos(0.3) - 1) / 0.07)
    assert [link[:2] for link in found] == [(0, 0), (0, 1)]
    assert [link[2] for link in found] == pytest.approx([1 / (1 + odds), odds / (1 + odds)])


def test_a_source_counts_by_its_best_passage() -> None:
    found = support(directions(0.0), directions(1.5, 0.0, 0.3), np.array([0, 0, 1]))
    assert found == support(directions(0.0), directions(0.0, 0.3), np.array([0, 1]))


def test_support_is_sparse_and_holds_nearly_all_of_the_mass() -> None:
    angles = np.linspace(0, 3, 200).tolist()
    for row in range(3):
        weights = [
            w
            for r, _, w in support(directions(0, 1, 2), directions(*angles), np.arange(200))
            if r == row
        ]
        assert len(weights) <= 16
        assert weights == sorted(weights, reverse=True)
        assert sum(weights) <= 1


def test_an_empty_side_supports_nothing() -> None:
    nothing = np.zeros((0, 2), np.float32)
    assert support(nothing, directions(0.0), np.array([0])) == []
    assert support(directions(0.0), nothing, np.array([], np.intp)) == []
