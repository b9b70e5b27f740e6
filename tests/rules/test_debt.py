from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from treering.rules.debt import importance_equivalent, suggestion


@pytest.mark.promise("debt.formula")
@given(st.integers(0, 10**9))
def test_150_importance_is_50_000_tokens_floored(tokens: int) -> None:
    equivalent = importance_equivalent(tokens)
    assert equivalent * 50_000 <= tokens * 150 < (equivalent + 1) * 50_000


@pytest.mark.promise("debt.suggestion", "debt.both")
@given(st.integers(0, 300), st.integers(0, 300))
def test_a_boundary_is_named_from_150_on(raw: int, tier2: int) -> None:
    said = suggestion(raw, tier2)
    assert (said is None) == (raw < 150 and tier2 < 150)
    parts = said.split("; ") if said else []
    assert (f"raw consolidation suggested: {raw} unconsolidated importance" in parts) == (
        raw >= 150
    )
    assert (f"tier 2 consolidation suggested: {tier2} unconsolidated importance" in parts) == (
        tier2 >= 150
    )


def test_the_seeds_own_example() -> None:
    assert importance_equivalent(13_200_000) == 39_600
    assert suggestion(39_600, 120) == "raw consolidation suggested: 39600 unconsolidated importance"
