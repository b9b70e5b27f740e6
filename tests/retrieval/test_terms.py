import re
import zlib

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from treering.retrieval.terms import TERM_RECORD, index_terms, query_terms, speaker


def held(text: str) -> NDArray[np.void]:
    """The terms of a text and their counts, as they are packed."""
    return np.frombuffer(index_terms(text), TERM_RECORD)


def shares(query: str, text: str) -> int:
    """Count the query's terms that a text holds."""
    return len(np.intersect1d(query_terms(query), held(text)["term"]))


def test_a_term_is_the_crc_of_a_stem() -> None:
    assert held("Running")["term"].tolist() == [zlib.crc32(b"run")]


def test_terms_are_sorted_and_counted() -> None:
    packed = held("tree ring tree")
    assert packed["term"].tolist() == sorted(packed["term"].tolist())
    assert sorted(packed["count"].tolist()) == [1, 2]


def test_a_count_stops_at_255() -> None:
    assert held("tree " * 300)["count"].tolist() == [255]


@pytest.mark.parametrize(
    ("query", "text"),
    [
        ("painting", "She painted a sunrise."),
        ("Caroline", "Caroline's guitar"),
        ("Caroline", "Caroline’s guitar"),
        ("STRASSE", "Straße"),
        ("cafe", "CAFÉ"),
        ("ＡＢＣ", "abc"),
        ("v1.2.3", "We shipped v1.2.3."),
        ("user name", "call getUserName() first"),
        ("bar", "foo_bar"),
        ("host.example.com", "see https://host.example.com:8080/a/b?q=1"),
        ("ann@example.com", "write to ann@example.com, please"),
        ("config.toml", "in /etc/app/config.toml"),
        ("東京", "今日は東京タワーに行きました"),
        ("京", "東京"),
        ("학교", "학교에서"),
        ("สวัสดี", "สวัสดีครับ"),
        ("में", "हिन्दी में"),
        ("ПРИВЕТ", "привет"),
        ("مرحبا", "مرحبا بالعالم"),
        ("🎉", "party 🎉!"),
    ],
)
def test_a_query_finds_what_holds_it(query: str, text: str) -> None:
    assert shares(query, text) > 0


@pytest.mark.parametrize("identifier", ["SR-2023-052", "v1.2.3", "foo_bar", "0xdeadbeef1"])
def test_an_exact_identifier_shares_more_than_a_near_one(identifier: str) -> None:
    near = identifier[:-1] + "9"
    assert shares(identifier, f"about {identifier}.") > shares(identifier, f"about {near}.")


def test_a_query_drops_stop_words() -> None:
    assert query_terms("What did she say about the guitar?").tolist() == [zlib.crc32(b"guitar")]


def test_a_query_of_stop_words_keeps_them() -> None:
    assert shares("to be or not to be", "To be, or not to be.") == 4


def test_a_pair_of_characters_is_not_matched_by_one_of_them() -> None:
    assert shares("東京", "京都") == 0


def test_nothing_has_no_terms() -> None:
    assert index_terms("") == b""
    assert query_terms("…!").tolist() == []


def test_a_label_names_the_speaker() -> None:
    assert speaker("Caroline: hello") == query_terms("what did caroline do")[0]
    assert speaker("Bob Smith: hello") == speaker("bob: hi") != 0


@pytest.mark.parametrize("text", ["", "hello", "https://example.com", "12:30 it was", ": odd"])
def test_no_label_is_no_speaker(text: str) -> None:
    assert speaker(text) == 0


@given(st.text(st.characters()))
def test_any_text_has_terms_that_find_it(text: str) -> None:
    packed = held(text)
    terms = set(packed["term"].tolist())
    assert len(terms) == len(packed)
    assert packed["count"].all()
    speaker(text)
    if re.search(r"[^\W_]", text):
        assert set(query_terms(text).tolist()) <= terms


@pytest.mark.parametrize(
    "piece", ["a", "ab ", "漢字", "a.", "'", "-", "aB", "a:", "\u0301", "\ud800"]
)
def test_a_huge_text_is_no_trouble(piece: str) -> None:
    text = (piece * 200_000)[:200_000]
    assert len(index_terms(text)) % 5 == 0
