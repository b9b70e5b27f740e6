from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.rules.texts import anything
from treering.rules.tokens import ESTIMATE_VERSION, clamped, estimate_tokens


@pytest.mark.promise("debt.token-estimate")
@given(anything)
def test_the_estimate_is_the_formula(text: str) -> None:
    ascii_count = sum(ord(character) < 128 for character in text)
    others = len(text) - ascii_count
    assert estimate_tokens(text) == math.ceil((ascii_count + 3 * others) / 4)


@pytest.mark.promise("debt.token-estimate")
def test_the_estimate_is_frozen() -> None:
    assert ESTIMATE_VERSION == 1
    samples = ["", "a", "four", "fives", "é", "日本語", "👍", "mixed 数据 text"]
    assert [estimate_tokens(text) for text in samples] == [0, 1, 1, 2, 1, 3, 1, 5]


@pytest.mark.promise("dates.clamped")
@given(st.integers())
def test_the_budget_of_a_page_or_a_batch_is_clamped(tokens: int) -> None:
    assert clamped(tokens) == max(1000, min(tokens, 200_000))
