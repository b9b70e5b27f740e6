from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.rules.texts import anything
from treering.rules.content import fingerprint, remembered, text_of
from treering.rules.fence import TAG


@pytest.mark.promise("ingest.verbatim")
@given(st.sampled_from(["user", "assistant"]), anything)
def test_text_is_remembered_as_it_is(role: str, text: str) -> None:
    if TAG not in text.lower():
        assert remembered(role, text) == (text if text.strip() else None)


@pytest.mark.promise("ingest.roles-skipped")
@given(st.sampled_from(["system", "tool", "developer", "function"]), anything)
def test_other_roles_are_not(role: str, text: str) -> None:
    assert remembered(role, text) is None


@pytest.mark.promise("ingest.parts")
def test_the_text_of_parts_is_joined_by_lines() -> None:
    parts: list[dict[str, Any] | str] = [
        {"type": "text", "text": "a"},
        {"type": "image"},
        "b",
        {"text": 5},
        {"text": "c"},
    ]
    assert text_of(parts) == "a\nb\nc"
    assert text_of(None) == text_of([]) == ""


@pytest.mark.promise("ingest.dated-once")
@given(st.lists(anything, max_size=4), st.lists(anything, max_size=4))
def test_a_fingerprint_tells_parts_apart(one: list[str], other: list[str]) -> None:
    assert (fingerprint(*one) == fingerprint(*other)) == (one == other)
    assert len(fingerprint(*one)) == 16
