"""The self-model's arithmetic and what it learns."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from treering.errors import InvalidRequest
from treering.rules.levels.selfmodel import Domain, Sample, recorded, weak_domains


def after(*outcomes: bool) -> Domain:
    domain = Domain()
    for success in outcomes:
        domain = recorded(domain, Sample(success))
    return domain


def test_two_failures_lead_from_0_8_over_0_533_to_0_4() -> None:
    assert Domain().reliability == 0.8
    assert after(False).reliability == 0.533
    assert after(False, False).reliability == 0.4
    assert after(True).reliability == 0.867


def test_from_the_tenth_outcome_on_each_weighs_a_twelfth() -> None:
    domain = after(*[True] * 12)
    fallen = recorded(domain, Sample(False))
    assert fallen.score == pytest.approx(domain.score * 11 / 12)


@given(st.lists(st.booleans(), max_size=40))
def test_a_score_stays_within_0_and_1_and_moves_the_right_way(outcomes: list[bool]) -> None:
    domain = Domain()
    for success in outcomes:
        moved = recorded(domain, Sample(success))
        assert 0 <= moved.score <= 1
        assert (moved.score > domain.score) == success
        domain = moved
    assert domain.samples == len(outcomes)


def test_patterns_and_strategies_are_kept_once() -> None:
    domain = Domain()
    for text in ("Forgets the tax", "forgets the  tax.", " ", "Rounds early"):
        domain = recorded(domain, Sample(False, failure_pattern=text, strategy="never kept"))
    domain = recorded(domain, Sample(True, strategy="Check twice"))
    assert domain.failure_patterns == ("Forgets the tax", "Rounds early")
    assert domain.strategies == ("Check twice",)


def test_a_success_has_no_failure_pattern() -> None:
    with pytest.raises(InvalidRequest):
        recorded(Domain(), Sample(True, failure_pattern="x"))


def test_what_has_an_outcome_and_is_under_75_percent_is_weak() -> None:
    domains = {"b": after(False), "a": after(False, False), "good": after(True), "new": Domain(0.1)}
    assert weak_domains(domains) == ["a", "b"]
