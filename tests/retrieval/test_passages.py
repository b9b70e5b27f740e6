import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from treering.retrieval.passages import passages

SENTENCE = "The old oak by the river lost a branch in the storm last night. "


def test_a_short_text_is_one_passage() -> None:
    assert passages("Hello there.") == [(0, 12)]
    assert passages("") == [(0, 0)]


def test_a_long_text_is_cut_after_sentences() -> None:
    text = SENTENCE * 60
    spans = passages(text)
    assert len(spans) > 3
    assert all(text[start:end].startswith("The old oak") for start, end in spans)
    assert all(text[start:end].endswith("night. ") for start, end in spans)


def test_a_paragraph_is_a_better_end_than_a_sentence() -> None:
    text = SENTENCE * 9 + "\n\n" + SENTENCE * 9
    assert passages(text)[0] == (0, 9 * len(SENTENCE) + 2)


def test_passages_overlap() -> None:
    spans = passages("word " * 2000)
    assert all(after[0] < before[1] for before, after in itertools.pairwise(spans))


def test_a_text_without_a_space_is_cut_anyway() -> None:
    spans = passages("x" * 200_000)
    assert max(end - start for start, end in spans) <= 900
    assert len(spans) < 300


def test_scripts_that_take_more_tokens_have_shorter_passages() -> None:
    assert max(end - start for start, end in passages("漢" * 5000)) <= 256


@given(st.text(st.characters(), max_size=50), st.integers(1, 200))
@pytest.mark.parametrize("tail", ["", "\ud800", "e\u0301 "])
def test_passages_cover_the_text_in_order(tail: str, piece: str, times: int) -> None:
    text = (piece + tail) * times
    spans = passages(text)
    assert spans[0][0] == 0
    assert spans[-1][1] == len(text)
    for before, after in itertools.pairwise(spans):
        assert before[0] < after[0] <= before[1] < after[1]
