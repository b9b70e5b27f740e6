import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from treering.retrieval.ranking import best, blend, squash

scores = st.lists(st.integers(0, 20), max_size=30)


@given(scores, st.integers(1, 40))
def test_best_sorts_by_score_then_by_newer_seq(values: list[int], limit: int) -> None:
    fused, seqs = np.array(values, np.float32), np.arange(len(values))
    expected = sorted(range(len(values)), key=lambda slot: (-values[slot], -slot))[:limit]
    assert best(fused, seqs, np.arange(len(values)), limit).tolist() == expected


@given(scores, scores)
def test_a_blend_keeps_both_orders_and_at_most_half_reflections(
    raw: list[int], reflections: list[int]
) -> None:
    values = sorted(raw, reverse=True) + sorted(reflections, reverse=True)
    fused = np.array(values, np.float32)
    slots = np.arange(len(values))
    merged = blend(fused, slots[: len(raw)], slots[len(raw) :]).tolist()
    assert sorted(merged) == slots.tolist()
    assert [slot for slot in merged if slot < len(raw)] == slots[: len(raw)].tolist()
    assert [slot for slot in merged if slot >= len(raw)] == slots[len(raw) :].tolist()
    for head in range(1, min(len(merged), 2 * len(raw)) + 1):
        assert sum(slot >= len(raw) for slot in merged[:head]) <= (head + 1) // 2


def test_a_blend_is_by_score_where_halves_allow() -> None:
    fused = np.array([9, 5, 4, 8, 3], np.float32)
    assert blend(fused, np.array([0, 1, 2]), np.array([3, 4])).tolist() == [0, 3, 1, 2, 4]


@given(st.lists(st.floats(-50, 100), min_size=2, max_size=10, unique=True))
def test_scores_lie_between_0_and_1_in_order(values: list[float]) -> None:
    squashed = squash(np.array(sorted(values)))
    assert ((squashed > 0) & (squashed <= 1)).all()
    assert (np.diff(squashed) >= 0).all()
