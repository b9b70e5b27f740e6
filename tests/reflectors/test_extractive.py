"""Reflections without a model: quotes of what is central, the same every time."""

import json

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.reflectors.batches import batch_of
from treering.reflectors import ExtractiveReflector, parse_answer
from treering.retrieval.embedder import EmbedderSpec, open_embedder

HASH = open_embedder(EmbedderSpec(name="hash-384"))
REFLECTOR = ExtractiveReflector(HASH)


@settings(max_examples=60, deadline=None)
@given(
    st.lists(
        st.text(st.characters(), min_size=1, max_size=120).filter(lambda text: text.strip() != ""),
        min_size=1,
        max_size=12,
    ),
    st.sampled_from([1, 2]),
)
def test_any_batch_gives_entries_that_can_be_committed(texts: list[str], tier: int) -> None:
    batch = batch_of(texts, tier=tier)
    entries = REFLECTOR.reflect(batch)
    assert len(parse_answer(json.dumps(entries))) == len(entries) <= 10
    assert REFLECTOR.reflect(batch) == entries


def test_sentences_are_quoted_with_who_and_when() -> None:
    [entry] = REFLECTOR.reflect(batch_of(["Ines: The server listens on port 8412 from today."]))
    assert entry["text"] == "2026-02-03 Ines: The server listens on port 8412 from today."


def test_versions_and_decimals_stay_whole() -> None:
    [entry] = REFLECTOR.reflect(batch_of(["We tagged v1.2.3 at 2.5 volts on host a.example.org."]))
    assert "v1.2.3 at 2.5 volts on host a.example.org." in entry["text"]


def test_questions_and_acknowledgements_are_left_out() -> None:
    texts = ["Shall we use SQLite for the readings?", "Ok.", "Yes, we use SQLite for the readings."]
    [entry] = REFLECTOR.reflect(batch_of(texts))
    assert "Yes, we use SQLite" in entry["text"]


def test_what_is_said_often_comes_before_what_is_said_once() -> None:
    barrels = [f"Barrel number {n} is filled by the rain from the roof." for n in range(40)]
    others = ["My uncle plays the bassoon on Thursdays in Graz."]
    entries = REFLECTOR.reflect(batch_of([*barrels, *others]))
    assert 5 <= len(entries) <= 10
    assert max(entries, key=lambda entry: entry["importance"])["text"].find("Barrel") > 0
    assert all(3 <= entry["importance"] <= 8 for entry in entries)


def test_the_same_sentence_is_not_quoted_twice() -> None:
    entries = REFLECTOR.reflect(batch_of(["We keep every single reading for good."] * 9))
    assert len(entries) == 1


def test_reflections_are_quoted_whole_and_not_dated_again() -> None:
    text = "2026-01-05 Ines: We chose SQLite. It is one file."
    assert REFLECTOR.reflect(batch_of([text], tier=2))[0]["text"] == text


def test_a_very_long_text_is_cut_to_an_entry() -> None:
    [entry] = REFLECTOR.reflect(batch_of(["word " * 40_000]))
    assert len(entry["text"]) < 1_100
    assert entry["text"].endswith("…")


def test_thousands_of_sentences_are_narrowed_down() -> None:
    texts = [f"Reading {n} of barrel {n % 12} was {n % 95} centimetres." for n in range(2_500)]
    assert len(REFLECTOR.reflect(batch_of(texts))) == 10


def test_it_says_plainly_what_it_is() -> None:
    assert "No model" in REFLECTOR.describe()
