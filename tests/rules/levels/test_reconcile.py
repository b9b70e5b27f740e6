"""Reconciliation loses nothing, contradictions agree from both sides, and keys find both."""

from __future__ import annotations

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from tests.rules.levels.corpus import HALVES, load, turns
from treering.rules.levels.contradictions import contradiction, contradiction_keys
from treering.rules.levels.reconcile import Outcome, compare, reconcile
from treering.rules.levels.tokens import anchors, distinctive_tokens, restatement_key
from treering.rules.levels.words import word_set

WORDS = sorted(
    word_set(
        "the API auth listens runs on 5433 6000 not never only in staging is was always no "
        "db.acme.dev"
    )
)
statement = st.one_of(
    st.lists(st.sampled_from(WORDS), min_size=1, max_size=8).map(" ".join),
    st.sampled_from(sorted({text for half in HALVES for t in turns(half) for text in t.keeps})),
    st.text(max_size=30),
)


@given(statement, statement)
def test_a_merge_loses_no_token_and_no_qualifier(new: str, held: str) -> None:
    found = reconcile(new, {"m1": held})
    if found.merged_into is None:
        assert found.content == new
        return
    assert found.content in (new, held)
    if found.outcome is not Outcome.RESTATED:
        kept = distinctive_tokens(found.content)
        assert kept >= distinctive_tokens(new) | distinctive_tokens(held)
        assert Counter(anchors(new)) == Counter(anchors(held)) == Counter(anchors(found.content))


@given(statement)
def test_saying_a_thing_twice_restates_it(text: str) -> None:
    assert compare(f"  {text.upper()} ", text.upper()) is Outcome.RESTATED
    assert contradiction(text, text) is None


@given(statement, statement)
def test_what_merges_shares_anchors_and_what_conflicts_shares_a_key(new: str, held: str) -> None:
    outcome = compare(new, held)
    if outcome in (Outcome.CONTAINED, Outcome.FULLER):
        assert anchors(new) == anchors(held)
        assert contradiction(new, held) is None
    if contradiction(new, held):
        assert contradiction_keys(new) & contradiction_keys(held)
        assert outcome is Outcome.NEW
    assert (contradiction(new, held) is None) == (contradiction(held, new) is None)


def test_an_exact_restatement_goes_before_a_fuller_one() -> None:
    held = {"a": "Never push to main by hand", "b": "never push to main."}
    assert reconcile("Never push to main", held).merged_into == "b"
    assert reconcile("Never push to main", {}).outcome is Outcome.NEW


def test_case_spacing_and_final_punctuation_make_no_difference() -> None:
    assert restatement_key("  Never  PUSH to main!. ") == restatement_key("never push to main")


def test_the_impact_says_what_hangs_on_it() -> None:
    def impact(new: str, held: str) -> str:
        found = contradiction(new, held)
        assert found is not None
        return found.impact

    assert impact("Never squash commits", "Always squash commits") == "critical"
    assert impact("The prod host is b.acme.dev", "The prod host is a.acme.dev") == "critical"
    assert impact("Tests should not sleep", "Tests should sleep") == "low"
    assert impact("auth listens on 6000", "auth listens on 5433") == "medium"


def test_the_question_names_both_values() -> None:
    found = contradiction("auth listens on 6000", "auth listens on 5433")
    assert found is not None
    assert found.question == "Which is right for auth: 5433 or 6000?"


def test_conflicts_of_the_corpus_are_found_from_either_side() -> None:
    for half in HALVES:
        for held, new in load(half, "contradictions")["none"]:
            assert contradiction(held, new) is None
