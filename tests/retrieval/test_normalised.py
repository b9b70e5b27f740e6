"""Normalising takes time by the length of a text, whatever it is made of."""

import sys
import unicodedata

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from treering.retrieval.normalised import normalised
from treering.retrieval.terms import TERM_RECORD, index_terms, query_terms

MARKS = "\u0301\u0323\u0334\u3099\uff9e\u0344\u0f73"


@given(st.text(st.characters(exclude_categories=())) | st.text("aé" + MARKS, max_size=29))
def test_ordinary_text_is_its_nfkc(text: str) -> None:
    assert normalised(text) == unicodedata.normalize("NFKC", text)


def test_every_run_of_marks_is_bounded() -> None:
    for code in range(sys.maxunicode + 1):
        if all(map(unicodedata.combining, unicodedata.normalize("NFKD", chr(code)))):
            assert "\u034f" in normalised("a" + 31 * chr(code)), hex(code)


@pytest.mark.parametrize("piece", [*MARKS, "\u0301\u0323", "\u0301\uff9e", "e\u0323\u0301"])
def test_a_text_of_marks_is_no_trouble(piece: str) -> None:
    text = (piece * 200_000)[:200_000]
    assert len(normalised(text)) <= 400_000
    held = np.frombuffer(index_terms(text), TERM_RECORD)["term"]
    assert set(query_terms(text).tolist()) <= set(held.tolist())


def test_what_expands_is_cut() -> None:
    assert len(normalised("\ufdfa")) == 18
    assert len(normalised("\ufdfa" * 200_000)) == 400_000
