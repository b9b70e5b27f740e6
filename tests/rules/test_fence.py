from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.rules.texts import anything
from treering.rules.fence import TAG, Note, block, without_blocks

tagged = st.lists(
    st.sampled_from(["<", "</", "< / ", TAG, TAG.upper(), ">", "\n", "\r\n", "\u2028", " ", "x"])
).map("".join)
notes = st.lists(
    st.builds(
        Note, st.sampled_from(["user", "assistant"]), st.integers(0, 10**12), anything | tagged
    ),
    min_size=1,
    max_size=5,
)


@pytest.mark.promise("prepare.fence-holds", "ingest.injected-blocks")
@given(notes)
def test_any_notes_make_exactly_one_block(shown: list[Note]) -> None:
    text = block(shown)
    assert without_blocks(text) == ""
    assert without_blocks(f"before {text}\nafter") == "before after"
    assert len(re.findall(rf"<\s*/?\s*{TAG}", text, re.IGNORECASE)) == 2


@pytest.mark.promise("prepare.line")
@given(notes)
def test_every_note_is_one_line_and_what_goes_on_is_indented(shown: list[Note]) -> None:
    lines = block(shown).splitlines()
    starts = [line for line in lines if line.startswith("- [")]
    assert len(starts) == len(shown)
    rest = [line for line in lines[2:-1] if line not in starts]
    assert all(line.startswith("  ") for line in rest)


@pytest.mark.promise("ingest.verbatim")
@given(anything)
def test_text_without_a_block_is_left_alone(text: str) -> None:
    if TAG not in text.lower():
        assert without_blocks(text) is text


def test_no_notes_make_no_block() -> None:
    assert block([]) == ""
