from typing import Any

import numpy as np
import pytest

from tests.retrieval.gardens import (
    DIMS,
    MINUTE,
    STATEMENT,
    Memory,
    asking,
    index,
    reflection,
    rows,
    score_of,
    why_of,
)
from treering.retrieval import holdings
from treering.retrieval.conversation import SILENCE_MS
from treering.retrieval.index import Ask, VaultIndex

RAW = frozenset({1})


def filler(first: int, count: int) -> list[Memory]:
    """Messages about nothing that any test asks for, each a conversation of its own."""
    return [
        Memory(first + k, f"weather number {first + k}", date=10**12 + k * 2 * SILENCE_MS)
        for k in range(count)
    ]


def test_an_empty_index_answers_nothing() -> None:
    ranking = VaultIndex(DIMS).rank(asking("anything"))
    assert (ranking.seqs, ranking.why) == ((), [])


def test_the_only_memory_is_found() -> None:
    ranking = index(Memory(1, "an oak by the river")).rank(asking("oak"))
    assert ranking.seqs == (1,)
    assert ranking.matched == (True,)
    assert ranking.passages == ((0,),)


@pytest.mark.parametrize("text", ["", "🎉", "…", "\x00", "\ud800"])
def test_a_query_that_says_nothing_returns_the_newest_unmatched(text: str) -> None:
    vault = index(*filler(1, 5))
    ranking = vault.rank(Ask(text, None, limit=2))
    assert ranking.seqs == (5, 4)
    assert ranking.matched == (False, False)


def test_text_of_stop_words_is_found_by_its_words() -> None:
    vault = index(Memory(1, "to be or not to be"), *filler(2, 20))
    assert vault.rank(Ask("to be or not to be")).seqs[0] == 1


def test_a_statement_folds_into_a_message_that_is_loaded_long_after_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(holdings, "_BATCH", 4)
    statement = Memory(1, "an oak by the river", kind=STATEMENT, level=1, folds_into=40)
    vault = index(statement, *filler(2, 38), Memory(40, "there is an oak by the river"))
    assert 1 not in vault.rank(asking("oak")).seqs
    assert vault.rank(asking("oak")).seqs[0] == 40


def test_words_alone_find_what_has_no_vector_yet() -> None:
    vault = index(Memory(1, "an oak by the river", embedded=False), *filler(2, 20))
    assert vault.rank(asking("oak")).seqs[0] == 1
    assert "vector" not in why_of(vault.rank(asking("oak")), 1)


def test_a_vector_alone_finds_what_shares_no_word() -> None:
    hidden = rows([Memory(1, "an oak by the river", embedded=False)])[0][:12]
    vault = index(*filler(2, 20))
    vault.update([(*hidden, rows([Memory(1, "tree")])[0][12])], (), ())
    ranking = vault.rank(asking("tree", limit=1))
    assert (ranking.seqs, ranking.matched) == ((1,), (True,))


def test_an_exact_identifier_beats_a_near_one() -> None:
    vault = index(*(Memory(k, f"ticket SR-2023-{k:03} was closed") for k in range(1, 80)))
    assert vault.rank(asking("what about SR-2023-052")).seqs[0] == 52


def test_vectors_of_other_dimensions_are_refused() -> None:
    vault = index(Memory(1, "oak"))
    with pytest.raises(ValueError, match="shape"):
        vault.rank(Ask("oak", np.zeros(DIMS + 1, np.float32)))
    with pytest.raises(ValueError, match="dimensions"):
        vault.update([(*Memory(2, "elm").rows()[0][:12], b"short")], (), ())


def test_a_turn_lifts_the_one_after_it_more_than_the_one_before_it() -> None:
    turns = [Memory(k, "unrelated words") for k in range(1, 20)]
    turns[9] = Memory(10, "an oak by the river")
    why = {seq: why_of(index(*turns).rank(asking("oak")), seq) for seq in (9, 11)}
    assert why[11]["neighbours"] > why[9]["neighbours"] > 0
    assert why[9]["window"] == why[11]["window"] > 0


@pytest.mark.parametrize("apart", [{"date": 5 * MINUTE + SILENCE_MS}, {"session": 2}])
def test_silence_and_sessions_part_neighbours(apart: dict[str, Any]) -> None:
    vault = index(Memory(1, "oak", date=4 * MINUTE), Memory(2, "reply", **apart), *filler(3, 9))
    assert "window" not in why_of(vault.rank(asking("oak")), 2)


def test_messages_of_one_instant_are_neighbours_in_order_of_arrival() -> None:
    vault = index(*(Memory(k, "oak" if k == 2 else "reply", date=7) for k in (1, 2, 3, 4)))
    ranking = vault.rank(Ask("oak"))
    assert ranking.seqs[:3] == (2, 3, 1)
    assert "window" not in why_of(ranking, 4)


def test_a_named_speaker_is_lifted() -> None:
    vault = index(Memory(1, "Ann: I sing"), Memory(2, "Bob: I sing with ann"), *filler(3, 9))
    ranking = vault.rank(Ask("does Ann sing"))
    assert "speaker" in why_of(ranking, 1)
    assert "speaker" not in why_of(ranking, 2)


def test_the_session_asked_in_is_lifted_and_hides_nothing() -> None:
    vault = index(*(Memory(k, "the same words", session=k) for k in range(1, 6)))
    ranking = vault.rank(asking("same words", session=2))
    assert ranking.seqs[0] == 2
    assert len(ranking.seqs) == 5


def test_a_reflection_lifts_its_sources_by_their_support() -> None:
    vault = index(
        Memory(1, "she did it"),
        *filler(2, 30),
        Memory(40, "so did he"),
        reflection(50, "an oak by the river"),
        links=[(50, 1, 0.9), (50, 40, 0.1)],
    )
    ranking = vault.rank(asking("oak river"))
    assert why_of(ranking, 1)["lineage"] == pytest.approx(9 * why_of(ranking, 40)["lineage"])
    assert ranking.seqs[0] == 50
    assert vault.rank(asking("oak river", tiers=RAW)).seqs[0] == 1


def test_a_link_to_what_is_not_held_is_passed_over() -> None:
    vault = index(Memory(1, "oak"), reflection(2, "oak"), links=[(2, 9, 1.0), (9, 1, 1.0)])
    assert len(vault.rank(asking("oak")).seqs) == 2


def test_a_statement_folds_into_its_message_at_the_better_score() -> None:
    said = Memory(1, "well you know I always use port 9999 for the proxy and so on and on")
    fact = Memory(2, "I always use port 9999", kind=STATEMENT, folds_into=1)
    ranking = index(said, fact, *filler(3, 20)).rank(asking("always use port 9999"))
    alone = index(fact, *filler(3, 20)).rank(asking("always use port 9999"))
    assert ranking.seqs[0] == 1
    assert 2 not in ranking.seqs
    assert why_of(ranking, 1)["statement"] > 0
    assert alone.seqs[0] == 2


def test_a_statement_whose_message_is_gone_stands_for_itself() -> None:
    vault = index(Memory(1, "oak"), Memory(2, "oak", kind=STATEMENT, folds_into=1))
    assert vault.rank(asking("oak")).seqs == (1,)
    vault.update((), (), [1])
    assert vault.rank(asking("oak")).seqs == (2,)


MIXED = [
    Memory(1, "oak one", session=1, date=100),
    Memory(2, "oak two", session=2, date=200),
    Memory(3, "oak three", kind=STATEMENT, level=1, date=300),
    reflection(4, "oak four", importance=4, covers=(100, 200)),
    reflection(5, "oak five", importance=8, covers=(200, 300), tier=3),
]


@pytest.mark.parametrize(
    ("filters", "left"),
    [
        ({}, {1, 2, 3, 4, 5}),
        ({"tiers": RAW}, {1, 2, 3}),
        ({"tiers": frozenset({2, 3})}, {4, 5}),
        ({"levels": frozenset({1, 2})}, {3, 4, 5}),
        ({"importance": 1}, {4, 5}),
        ({"importance": 5}, {5}),
        ({"importance": 9}, set()),
        ({"importance": 1, "tiers": RAW}, set()),
        ({"session": 1, "session_only": True}, {1}),
        ({"session": None, "session_only": True}, set()),
        ({"window": (100, 200)}, {1, 4}),
        ({"window": (200, 201)}, {2, 4, 5}),
        ({"window": (201, 300)}, {5}),
        ({"window": (400, 500)}, set()),
    ],
)
def test_filters_choose_rows_and_never_change_a_score(
    filters: dict[str, Any], left: set[int]
) -> None:
    vault = index(*MIXED)
    every = vault.rank(asking("oak", session=filters.get("session")))
    ranking = vault.rank(asking("oak", **filters))
    assert set(ranking.seqs) == left
    assert all(ranking.matched)
    for seq in left:
        assert score_of(ranking, seq) == score_of(every, seq)


def test_raw_memories_keep_their_order_beside_reflections() -> None:
    memories = [Memory(k, f"oak {'branch ' * (k % 7)}") for k in range(1, 60)]
    grown = [reflection(k, "oak " + "leaf " * (k % 5)) for k in range(100, 160)]
    vault = index(*memories, *grown, links=[(100 + k, 1 + k, 0.5) for k in range(50)])
    blend = vault.rank(asking("oak branch", limit=60))
    raw = [seq for seq in blend.seqs if seq < 100]
    assert len(raw) >= 30
    assert raw == list(vault.rank(asking("oak branch", tiers=RAW, limit=len(raw))).seqs)


def test_a_fact_at_the_end_of_a_huge_message_is_found_with_its_passage() -> None:
    passages = tuple(f"small talk number {k} about nothing much" for k in range(299))
    vault = index(*filler(1, 50), Memory(60, (*passages, "the safe opens with 4711")))
    ranking = vault.rank(asking("what opens the safe", limit=3))
    assert ranking.seqs[0] == 60
    assert ranking.passages[0][0] == 299
    assert len(ranking.passages[0]) == 5
    assert ranking.passages[1] == (0,)


def test_passages_without_a_vector_give_way_to_those_that_have_one() -> None:
    with_vector, without = Memory(1, "an elm").rows()[0], Memory(1, "", embedded=False).rows()[0]
    vault = VaultIndex(DIMS)
    vault.load([without, with_vector, *rows(filler(2, 9))], ())
    direction = np.frombuffer(with_vector[12] or b"", np.int8).astype(np.float32)
    ranking = vault.rank(Ask("", direction))
    assert ranking.seqs[0] == 1
    assert ranking.passages[0] == (1, 0)


def test_an_update_replaces_a_memory_and_keeps_its_links() -> None:
    vault = index(
        Memory(1, "she did it", embedded=False),
        *filler(2, 20),
        reflection(50, "an oak by the river"),
        links=[(50, 1, 0.9)],
    )
    vault.update(Memory(1, ("she did", "it then"), level=1).rows(), (), ())
    ranking = vault.rank(asking("oak river", levels=frozenset({1})))
    assert len(vault) == 22
    assert ranking.seqs == (1,)
    assert {"vector", "lineage"} <= set(why_of(ranking, 1))


def test_links_that_come_again_take_the_place_of_those_before() -> None:
    made, links = reflection(50, "an oak by the river"), [(50, k, 0.5) for k in range(1, 21)]
    vault, bare = index(*filler(1, 20), made, links=links), index(*filler(1, 20), made)
    for _ in range(200):
        vault.update(made.rows(), links, ())
        bare.update(made.rows(), (), ())
    assert vault.nbytes - bare.nbytes < 3 * len(links) * 12
    vault.update(made.rows(), [(50, 1, 0.9)], ())
    why = vault.rank(asking("oak river", limit=30, tiers=RAW)).why
    assert sum("lineage" in signals for signals in why) == 1


def test_what_is_gone_is_not_found() -> None:
    vault = index(Memory(1, "oak"), *filler(2, 20))
    vault.update((), (), [1, 99])
    ranking = vault.rank(asking("oak"))
    assert len(vault) == 20
    assert 1 not in ranking.seqs
    assert not any(ranking.matched)


def test_everything_can_go_and_come_again() -> None:
    vault = index(*filler(1, 600))
    vault.update((), (), range(1, 601))
    assert len(vault) == 0
    assert vault.rank(asking("weather")).seqs == ()
    vault.update(Memory(601, "oak").rows(), (), ())
    assert vault.rank(asking("oak")).seqs == (601,)


def test_a_session_of_any_size_is_one_conversation() -> None:
    vault = index(*(Memory(k, "oak" if k == 50 else "reply", session=3) for k in range(1, 100)))
    why = vault.rank(asking("oak")).why
    assert len({signals["conversation"] for signals in why}) == 1


def test_ranking_is_the_same_twice() -> None:
    vault = index(*MIXED)
    assert vault.rank(asking("oak")).seqs == vault.rank(asking("oak")).seqs


def test_an_index_knows_its_size() -> None:
    assert index(*filler(1, 100)).nbytes > index(*filler(1, 10)).nbytes > 0
