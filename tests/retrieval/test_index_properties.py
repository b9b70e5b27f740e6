import itertools
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.retrieval.gardens import (
    MINUTE,
    REFLECTION,
    STATEMENT,
    Memory,
    asking,
    index,
    reflection,
    rows,
)
from treering.retrieval import conversation, holdings, postings
from treering.retrieval.index import Ask, Link, Ranking, VaultIndex

WORDS = [
    "oak",
    "elm",
    "river",
    "storm",
    "Ann: sings",
    "SR-2023-052",
    "東京タワー",
    "to be",
    "🎉",
    "",
]

History = list[tuple[list[Memory], list[Link], list[int]]]
"""Batches of memories new or changed, new links, and seqs gone."""

texts = st.lists(st.sampled_from(WORDS), min_size=1, max_size=4).map(" ".join)


@st.composite
def histories(
    draw: st.DrawFn,
) -> list[tuple[list[Memory], list[tuple[int, int, float]], list[int]]]:
    held: dict[int, Memory] = {}
    batches = []
    newest = 0
    for _ in range(draw(st.integers(1, 8))):
        put: dict[int, Memory] = {}
        gone = draw(st.lists(st.sampled_from(sorted(held)), unique=True)) if held else []
        for seq in gone:
            del held[seq]
        for _ in range(draw(st.integers(0, 6))):
            newest += 1
            put[newest] = draw(memories(newest, [s for s, m in held.items() if m.kind == 1]))
            held[newest] = put[newest]
        for seq in draw(st.lists(st.sampled_from(sorted(held)), unique=True)) if held else []:
            changed = replace(held[seq], level=draw(st.integers(0, 3)), text=draw(texts))
            put[seq] = held[seq] = replace(changed, embedded=True)
        reflections = [s for s, m in held.items() if m.kind == REFLECTION]
        links: list[Link] = []
        if reflections:
            ends = st.tuples(st.sampled_from(reflections), st.sampled_from(sorted(held)))
            weights = st.sampled_from([0.1, 0.5, 0.9])
            links = draw(st.lists(st.tuples(ends, weights).map(lambda e: (*e[0], e[1]))))
        batches.append((list(put.values()), links, gone))
    return batches


@st.composite
def memories(draw: st.DrawFn, seq: int, messages: list[int]) -> Memory:
    kind = draw(st.sampled_from([1, 1, 1, STATEMENT, REFLECTION]))
    if kind == REFLECTION:
        return reflection(seq, draw(texts), draw(st.integers(1, 10)))
    return Memory(
        seq,
        tuple(draw(st.lists(texts, min_size=1, max_size=3))),
        kind=kind,
        date=draw(st.integers(0, 5)) * draw(st.sampled_from([MINUTE, 500 * MINUTE])),
        session=draw(st.integers(0, 2)),
        folds_into=draw(st.sampled_from([0, *messages])) if kind == STATEMENT else 0,
        embedded=draw(st.booleans()),
    )


def comparable(ranking: Ranking) -> tuple[Any, ...]:
    return (
        ranking.seqs,
        ranking.scores,
        ranking.matched,
        ranking.passages,
        ranking.why,
    )


@pytest.fixture(autouse=True)
def _restless(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let tails merge and slots compact after a few changes, not after thousands."""
    monkeypatch.setattr(postings, "_TAIL_ROOM", 8)
    monkeypatch.setattr(conversation, "_REBUILD_SHARE", 2)
    monkeypatch.setattr(holdings, "_FEWEST_DEAD", 3)
    monkeypatch.setattr(holdings, "_BATCH", 3)


@settings(max_examples=150, deadline=None)
@given(histories(), texts)
def test_an_index_kept_in_step_ranks_like_one_loaded_afresh(history: History, query: str) -> None:
    kept = VaultIndex(16)
    held: dict[int, Memory] = {}
    links: list[Link] = []
    for put, linked, gone in history:
        kept.update(rows(put), linked, gone)
        held = {seq: memory for seq, memory in held.items() if seq not in gone}
        held |= {memory.seq: memory for memory in put}
        again = {link[0] for link in linked}
        kept_links = (link for link in links if link[0] not in again)
        links = [link for link in kept_links if held.keys() >= set(link[:2])] + linked
        fresh = index(*(held[seq] for seq in sorted(held)), links=links)
        assert len(kept) == len(fresh) == len(held)
        for ask in (Ask(query), asking(query, limit=5), asking(query, tiers=frozenset({1}))):
            assert comparable(kept.rank(ask)) == comparable(fresh.rank(ask))


@settings(max_examples=50, deadline=None)
@given(histories(), texts)
def test_the_signals_of_a_row_add_up_to_its_score(history: History, query: str) -> None:
    vault = VaultIndex(16)
    for put, linked, gone in history:
        vault.update(rows(put), linked, gone)
    ranking = vault.rank(asking(query))
    sums = [sum(signals.values()) for signals in ranking.why]
    pairs = sorted(zip(sums, ranking.scores, strict=True))
    for lower, higher in itertools.pairwise(pairs):
        assert higher[0] - lower[0] < 1e-4 or higher[1] > lower[1]
