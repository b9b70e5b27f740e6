"""The figures of the rules over the corpus, printed for each half and asserted."""

from __future__ import annotations

import tomllib
from itertools import permutations
from pathlib import Path

import pytest

from tests.rules.levels.corpus import HALVES, Score, Turn, load, report, turns
from treering.rules.levels.capture import ABOUT_HERE, SECRET, capture, refusal
from treering.rules.levels.contradictions import contradiction, contradiction_keys
from treering.rules.levels.corrections import is_correction
from treering.rules.levels.identifiers import identifiers
from treering.rules.levels.reconcile import Outcome, compare, reconcile
from treering.rules.levels.tokens import anchors, distinctive_tokens, restatement_key


def score_of(turn: Turn) -> Score:
    got = {restatement_key(text) for text in capture(turn.message).statements}
    wanted = {restatement_key(text) for text in turn.keeps}
    optional = {restatement_key(text) for text in turn.optional}
    missed = wanted - got
    if got and got <= optional:
        missed = set()
    return Score(len(got & wanted), len(got - wanted - optional), len(missed))


def total(scores: list[Score]) -> Score:
    return Score(
        sum(one.right for one in scores),
        sum(one.false for one in scores),
        sum(one.missed for one in scores),
    )


def test_the_corpus_is_large_and_a_quarter_is_held_out() -> None:
    counts = dict.fromkeys(HALVES, 0)
    for half in HALVES:
        for file in (Path(__file__).parent / "corpus" / half).glob("*.toml"):
            counts[half] += sum(map(len, tomllib.loads(file.read_text("utf-8")).values()))
    assert sum(counts.values()) >= 220
    assert 0.2 <= counts["held_out"] / sum(counts.values()) <= 0.3


@pytest.mark.parametrize("half", HALVES)
def test_capture_is_precise_and_finds_most(half: str) -> None:
    score = total([score_of(turn) for turn in turns(half)])
    report(f"capture, {half}: precision {score.precision():.3f}, recall {score.recall:.3f} {score}")
    assert score.precision() >= 0.95
    assert score.recall >= 0.85


@pytest.mark.parametrize("turn", [t for half in HALVES for t in turns(half) if t.is_question])
def test_a_question_turn_teaches_nothing(turn: Turn) -> None:
    found = capture(turn.message)
    assert found.learning_skipped == "question-turn"
    assert found.statements == ()


@pytest.mark.parametrize("turn", [t for half in HALVES for t in turns(half) if not t.is_question])
def test_what_is_no_question_is_learnt_from(turn: Turn) -> None:
    found = capture(turn.message)
    assert found.learning_skipped is None
    if turn.rejected is not None:
        assert len(found.rejected) == turn.rejected


@pytest.mark.parametrize("half", HALVES)
def test_refusals(half: str) -> None:
    cases = load(half, "refusal")
    expected = {"conversation": ABOUT_HERE, "secret": SECRET, "allowed": None}
    wrong = [
        text for group, texts in cases.items() for text in texts if refusal(text) != expected[group]
    ]
    report(f"refusal, {half}: {len(wrong)} of {sum(map(len, cases.values()))} wrong")
    assert len(wrong) <= (0 if half == "tuned" else 1)


def test_no_secret_is_let_through_and_nothing_harmless_is_taken_for_one() -> None:
    for half in HALVES:
        cases = load(half, "refusal")
        assert [text for text in cases["secret"] if refusal(text) != SECRET] == []
        assert [text for text in cases["allowed"] if refusal(text) is not None] == []
        for text in cases["secret"]:
            assert all(text not in one for one in capture(text).statements)


@pytest.mark.parametrize("half", HALVES)
def test_identifiers_are_found_whole(half: str) -> None:
    for case in load(half, "identifiers")["cases"]:
        assert [one.text for one in identifiers(case["text"])] == case["finds"]


@pytest.mark.parametrize("half", HALVES)
def test_reconciliation_merges_nothing_falsely(half: str) -> None:
    score = Score()
    for case in load(half, "reconcile")["cases"]:
        found = reconcile(case["new"], {"m1": case["held"]})
        if found.merged_into is None:
            score.missed += "merge" in case
            continue
        assert case.get("merge") == found.content, case
        assert anchors(found.content) == anchors(case["new"]) == anchors(case["held"])
        score.right += 1
    report(f"reconciliation, {half}: recall of merges {score.recall:.3f} {score}")
    assert score.recall >= 0.5


@pytest.mark.parametrize("half", HALVES)
def test_contradictions_are_found_conservatively(half: str) -> None:
    cases = load(half, "contradictions")
    score = Score()
    for held, new in cases["conflict"]:
        found = contradiction(new, held)
        score.right += found is not None
        score.missed += found is None
        assert found is None or contradiction_keys(held) & contradiction_keys(new)
    false = [pair for pair in cases["none"] if contradiction(pair[1], pair[0])]
    score.false = len(false)
    precision = score.precision(weight=2)
    report(f"contradictions, {half}: precision {precision:.3f}, recall {score.recall:.3f} {score}")
    assert score.false * 100 <= len(cases["none"])
    assert precision >= 0.95
    assert score.recall >= 0.7


def test_no_two_unrelated_statements_of_the_corpus_merge_or_conflict() -> None:
    """Statements of different turns, each with each: what was said about one is not the other's."""
    statements = sorted({text for half in HALVES for t in turns(half) for text in t.keeps})
    conflicts = merges = pairs = 0
    for new, held in permutations(statements, 2):
        if distinctive_tokens(new).isdisjoint(distinctive_tokens(held)):
            continue
        pairs += 1
        merges += compare(new, held) not in (Outcome.NEW, Outcome.RESTATED)
        conflicts += contradiction(new, held) is not None
    report(f"{pairs} pairs that share a token: {merges} merges, {conflicts} contradictions")
    assert merges == 0
    assert conflicts * 100 <= pairs


@pytest.mark.parametrize("half", HALVES)
def test_corrections_are_noticed(half: str) -> None:
    cases = load(half, "corrections")
    missed = [text for text in cases["yes"] if not is_correction(text)]
    false = [text for text in cases["no"] if is_correction(text)]
    report(f"corrections, {half}: missed {len(missed)}, false {len(false)}")
    assert false == []
    assert len(missed) <= (0 if half == "tuned" else 1)
