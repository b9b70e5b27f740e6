"""Identifiers, gists and triggers."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.rules.levels.corpus import HALVES, load
from tests.rules.texts import anything
from treering.rules.levels.capture import capture
from treering.rules.levels.gist import MAX_GIST, gist, one_line
from treering.rules.levels.graphemes import boundary
from treering.rules.levels.identifiers import folded, identifier_keys, identifiers
from treering.rules.levels.triggers import message_keys

CASES = [case for half in HALVES for case in load(half, "identifiers")["cases"]]
NAMES = sorted({name for case in CASES for name in case["finds"]})
prose = st.lists(
    st.one_of(
        st.sampled_from(NAMES), st.sampled_from(["the", "必ず", "naïve", "é", "so", "👩‍👩‍👧", "x"])
    ),
    max_size=60,
).map(" ".join)


@given(anything)
def test_identifiers_stand_where_they_say_and_do_not_overlap(text: str) -> None:
    end = 0
    for one in identifiers(text):
        assert text[one.start : one.end] == one.text
        assert one.start >= end
        end = one.end


@pytest.mark.parametrize(
    "run",
    ["a:" * 1_000 + "g", "a" + "_" * 2_000 + "%", "AB" + "c" * 2_000 + "%", "1." * 1_000 + "%",
     "f" * 2_000 + ":::", "a-" * 1_000 + "%", "x@" * 1_000, "a/" * 1_000 + "%", "aB" * 1_000 + "%"],
)  # fmt: skip
def test_no_run_of_characters_costs_more_than_its_length(run: str) -> None:
    """At 200,000 characters a cubic pattern takes half an hour, and a quadratic one minutes."""
    text = f"{run} " * (200_000 // len(run))
    identifiers(text)
    gist(text)
    capture(text[:20_000])


@given(prose)
def test_a_gist_is_one_short_line_that_cuts_no_identifier(text: str) -> None:
    short = gist(text)
    line = one_line(text)
    assert len(short.splitlines()) <= 1
    if len(line) <= MAX_GIST:
        assert short == line
        return
    kept = short.removesuffix("…")
    assert line.startswith(kept)
    assert len(short) <= MAX_GIST
    for one in identifiers(line):
        assert not one.start < len(kept) < one.end


def test_a_gist_that_begins_with_a_long_identifier_keeps_it_whole() -> None:
    url = "https://acme.dev/" + "a/" * 300 + "b"
    assert gist(f"{url} is the longest of our pages") == f"{url}…"
    assert gist(f"Our longest page is {url}") == "Our longest page is…"


@pytest.mark.parametrize("unit", ["e\u0301", "👩‍👩‍👧", "🇩🇪", "👍🏽", "\ud83d\ude00", "한"])
def test_a_gist_of_text_without_spaces_splits_no_character(unit: str) -> None:
    kept = gist(unit * 200).removesuffix("…")
    assert 0 < len(kept) < MAX_GIST
    assert len(kept) % len(unit) == 0


@given(st.text(max_size=80), st.integers(-2, 90))
def test_a_boundary_is_within_the_text_and_not_past_the_place(text: str, index: int) -> None:
    assert 0 <= boundary(text, index) <= max(min(index, len(text)), 0)


def triggers(message: str, content: str, transcript: str = "") -> bool:
    return not identifier_keys(content).isdisjoint(message_keys(message, transcript))


@pytest.mark.parametrize(
    ("message", "content"),
    [
        ("what runs on db.acme.dev?", "The host db.acme.dev:5432 is the primary."),
        ("ping AUTH.acme.dev", "Log in at https://auth.acme.dev/login."),
        ("is port 5433 taken", "auth is at localhost:5433"),
        ("look at login.py", "src/auth/login.py must stay small"),
        ("SR-2023-052 again", "The case SR-2023-052 is closed"),
        ("set MAX_RETRY_COUNT", "`MAX_RETRY_COUNT` is 5"),
        ("see https://acme.dev/a/", "The page is https://acme.dev/a"),
        ("call parseInput", "use Parser.parseInput() for that"),
    ],
)
def test_a_named_identifier_triggers_what_holds_it_whole(message: str, content: str) -> None:
    assert triggers(message, content)
    assert not triggers(message, content, transcript=f"before: {content}")


@pytest.mark.parametrize(
    ("message", "content"),
    [
        ("ping acme.dev", "The host is auth.acme.dev"),
        ("SR-2023-05", "The case SR-2023-052 is closed"),
        ("is port 543 open", "auth is at localhost:5433"),
        ("https://acme.dev/a", "The page is https://acme.dev/a/b"),
        ("v1.2.3", "We are on v1.2.31"),
        ("what about auth", "auth listens on 5433"),
    ],
)
def test_part_of_an_identifier_triggers_nothing(message: str, content: str) -> None:
    assert not triggers(message, content)


def test_triggers_name_the_identifiers_that_did_it() -> None:
    named = message_keys("User_ID or db.acme.dev", "db.acme.dev is up")
    assert named == {"user_id": "User_ID"}


@given(prose)
def test_every_identifier_of_a_text_is_among_its_keys(text: str) -> None:
    assert {folded(one.text) for one in identifiers(text)} <= identifier_keys(text)
    assert set(message_keys(text)) <= identifier_keys(text)
