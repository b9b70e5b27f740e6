"""A model's answer is taken exactly or not at all."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from treering.reflectors import UnusableAnswer, parse_answer

GOOD = [{"text": "Ines chose SQLite.", "importance": 7}]

entries = st.lists(
    st.fixed_dictionaries(
        {
            "text": st.text(min_size=1, max_size=80).filter(lambda text: text.strip() != ""),
            "importance": st.integers(1, 10),
        }
    ),
    min_size=1,
    max_size=100,
)


@given(entries)
def test_what_json_says_is_what_comes_back(written: list[dict[str, Any]]) -> None:
    trimmed = [{**entry, "text": entry["text"].strip()} for entry in written]
    for body in (written, {"entries": written}):
        plain = json.dumps(body)
        assert parse_answer(plain) == trimmed
        assert parse_answer(f"Here you are:\n\n```json\n{plain}\n```\nAnything else?") == trimmed


@given(st.text(max_size=300))
def test_any_text_is_read_or_refused(text: str) -> None:
    try:
        found = parse_answer(text)
    except UnusableAnswer:
        return
    assert 1 <= len(found) <= 100


@pytest.mark.parametrize(
    ("answer", "named"),
    [
        ("", "empty"),
        ("I am afraid I can't do that.", "not JSON"),
        (json.dumps({"entries": GOOD})[:-3], "not JSON"),
        ("[" * 100_000, "nested"),
        ("{}", "entries"),
        ("[]", "at least 1"),
        ('"text"', "body"),
        (json.dumps(GOOD * 101), "at most 100"),
        (json.dumps({"entries": GOOD, "note": "x"}), "note: unknown field"),
        (json.dumps([{"text": "a", "importance": 7, "id": "x"}]), "entries[0].id"),
        (json.dumps([{"text": " \n", "importance": 7}]), "entries[0].text"),
        (json.dumps([{"text": "a" * 8001, "importance": 7}]), "8,000"),
        (json.dumps([{"text": 5, "importance": 7}]), "entries[0].text"),
        (json.dumps([{"importance": 7}]), "entries[0].text"),
        *[
            (json.dumps([{"text": "a", "importance": wrong}]), "entries[0].importance")
            for wrong in (0, 11, 7.5, "7", True, None, [7])
        ],
        ("```\n[]\n```\n```\n[]\n```", "more than one"),
        ("```\n" * 49_999, "more than one"),
        ("```x\n" * 50_000, "not JSON"),
        ("```json\n" + json.dumps(GOOD), "not JSON"),
    ],
)
def test_a_bad_answer_is_refused_with_its_problem(answer: str, named: str) -> None:
    with pytest.raises(UnusableAnswer) as refused:
        parse_answer(answer)
    assert named in str(refused.value)


def test_many_problems_are_summed_up() -> None:
    with pytest.raises(UnusableAnswer, match="and 37 more problems"):
        parse_answer(json.dumps([{"text": "a", "importance": 0}] * 40))


def test_text_may_be_up_to_8000_characters_and_hold_a_code_fence() -> None:
    text = "a" * 7000 + "\n```py\nx = 1\n```\n"
    answer = json.dumps([{"text": text, "importance": 10}])
    assert parse_answer(answer)[0]["text"] == text.strip()
