"""Capture on any text: verbatim, within its limits, and never a secret."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.rules.levels.corpus import HALVES, load, turns
from tests.rules.texts import anything
from treering.rules.levels.capture import (
    MAX_CHARACTERS,
    MIN_CHARACTERS,
    TOO_LONG,
    TOO_SHORT,
    capture,
    refusal,
)
from treering.rules.levels.contradictions import contradiction
from treering.rules.levels.corrections import is_correction
from treering.rules.levels.gist import gist
from treering.rules.levels.identifiers import identifier_keys
from treering.rules.levels.reconcile import compare
from treering.rules.levels.secrets import redacted, secret_spans

MESSAGES = sorted({turn.message for half in HALVES for turn in turns(half)})
SECRETS = sorted({text for half in HALVES for text in load(half, "refusal")["secret"]})
mixed = st.lists(st.one_of(st.sampled_from(MESSAGES), st.text(max_size=40)), max_size=6)


@pytest.mark.parametrize(
    "piece", ["in:\n", "- a:\r", "For staging:\n", "# staging\n", "- in:\n  - a:\n"]
)
def test_no_list_costs_more_than_its_length(piece: str) -> None:
    """Lead-ins upon lead-ins, and lines that end in other ways than `\\n`."""
    for _ in range(20):
        capture((piece * 20_000)[:20_000])


@given(mixed, st.sampled_from([" ", "\n", "\n\n", "\n- ", ", "]))
def test_statements_are_the_users_own_words(pieces: list[str], joint: str) -> None:
    message = joint.join(pieces)
    found = capture(message)
    for statement in found.statements:
        assert statement in message
        assert MIN_CHARACTERS <= len(statement) <= MAX_CHARACTERS
        assert statement == statement.strip()
        assert refusal(statement) is None
    assert len(set(found.statements)) == len(found.statements)
    if found.learning_skipped:
        assert found.statements == ()


@given(st.sampled_from(SECRETS), st.sampled_from(MESSAGES))
def test_no_secret_becomes_a_statement_or_comes_back(secret: str, other: str) -> None:
    found = capture(f"{other}\n\n{secret}")
    texts = [*found.statements, *(one.content for one in found.rejected)]
    message = f"{other}\n\n{secret}"
    for start, end in secret_spans(message):
        assert all(message[start:end] not in text for text in texts)


@given(anything)
def test_redacting_leaves_no_secret_and_the_rest_as_it_was(text: str) -> None:
    assert (redacted(text) == text) == (not secret_spans(text))


def test_a_pronoun_takes_along_all_that_it_stands_on() -> None:
    message = "The worker is a cron job. It must run on w7.acme.dev. It must never run twice."
    assert capture(message).statements == (message,)


def test_a_statement_that_would_grow_too_long_is_left_out() -> None:
    lead = "The worker " + "x" * (MAX_CHARACTERS - 20) + "."
    assert capture(f"{lead} It must run on w7.acme.dev.").statements == ()


def test_lengths_are_refused_with_a_reason() -> None:
    assert refusal("ab") == TOO_SHORT
    assert refusal("x" * (MAX_CHARACTERS + 1)) == TOO_LONG
    listed = "You must always:\n" + "- write a test\n" * 400
    assert [one.reason for one in capture(listed).rejected] == [TOO_LONG]


@given(anything, anything)
def test_no_text_breaks_a_rule(text: str, other: str) -> None:
    capture(text)
    refusal(text)
    gist(text)
    is_correction(text)
    identifier_keys(text)
    compare(text, other)
    contradiction(text, other)


@pytest.mark.parametrize(
    "unit",
    ["a", " ", "\n", "a.", "a-", "C:\\a ", "password ", "x:\n- y\n\n", "Hm. ", "\ud800"],
)
def test_200_000_characters_of_anything_are_read_to_the_end(unit: str) -> None:
    text = unit * (200_000 // len(unit))
    assert capture(text).statements == ()
    assert len(gist(text)) <= 2_200
