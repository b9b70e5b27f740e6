from __future__ import annotations

from dataclasses import dataclass

import pytest
from hypothesis import given
from hypothesis import strategies as st

from treering.model import Tier, Window
from treering.rules.batches import Budget, budget_for, coverage, select

NOWHEN = Window(0, 0)


@dataclass(frozen=True)
class Row:
    tokens: int
    importance: int | None = None
    covered: Window = NOWHEN


rows = st.lists(st.builds(Row, st.integers(0, 50), st.integers(1, 10) | st.none()), max_size=30)


@pytest.mark.promise("checkout.tier-1-budget", "checkout.at-least-one")
@given(rows, st.integers(1, 200))
def test_a_hard_cap_stops_before_what_does_not_fit(pool: list[Row], cap: int) -> None:
    chosen = select(pool, Budget(hard_tokens=cap))
    assert chosen == pool[: len(chosen)]
    assert bool(chosen) == bool(pool)
    total = sum(row.tokens for row in chosen)
    assert total <= cap or len(chosen) == 1
    if len(chosen) < len(pool):
        assert total + pool[len(chosen)].tokens > cap


@pytest.mark.promise("checkout.tier-2-importance", "checkout.tier-2-soft-cap")
@given(rows, st.integers(1, 60), st.integers(1, 200))
def test_importance_and_a_soft_cap_complete_the_row_that_reaches_them(
    pool: list[Row], importance: int, cap: int
) -> None:
    chosen = select(pool, Budget(soft_tokens=cap, importance=importance))
    assert chosen == pool[: len(chosen)]
    before = chosen[:-1]
    assert sum(row.importance or 0 for row in before) < importance
    assert sum(row.tokens for row in before) < cap
    if len(chosen) < len(pool):
        reached = sum(row.importance or 0 for row in chosen) >= importance
        assert reached or sum(row.tokens for row in chosen) >= cap


@pytest.mark.promise("checkout.clamped", "checkout.explicit-cap")
@given(st.sampled_from([Tier.RAW, Tier.REFLECTION]), st.integers())
def test_an_explicit_cap_is_clamped_and_hard(tier: Tier, cap: int) -> None:
    assert budget_for(tier, cap) == Budget(hard_tokens=max(1000, min(cap, 200_000)))


def test_the_budgets_when_none_is_given() -> None:
    assert budget_for(Tier.RAW, None) == Budget(hard_tokens=50_000)
    assert budget_for(Tier.REFLECTION, None) == Budget(soft_tokens=10_000, importance=150)


@pytest.mark.promise("commit.covers")
@given(st.lists(st.tuples(st.integers(), st.integers()).map(sorted), min_size=1))
def test_coverage_spans_every_member(spans: list[list[int]]) -> None:
    covered = coverage([Row(1, None, Window(*span)) for span in spans])
    assert covered == Window(min(a for a, _ in spans), max(b for _, b in spans))
