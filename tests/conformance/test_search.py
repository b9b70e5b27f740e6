"""Finding memories by relevance."""

from __future__ import annotations

import dataclasses
from typing import Any

import pytest

from tests.conformance.steps import entry, ids_of, iso, reflect, said, store
from tests.support.worlds import Clock
from treering import Verbs
from treering.errors import InvalidRequest
from treering.requests import SearchRequest


def layered(memory: Verbs) -> None:
    """Two messages, two reflections over them, one high-level reflection over those."""
    store(memory, "The deploy failed at noon.", "The deploy was rolled back.", session_id="ops")
    reflect(memory, entry("A deploy failed and was rolled back.", 7), entry("Noon is busy.", 3))
    reflect(memory, entry("Every deploy can be undone.", 9), tier=2)


@pytest.mark.promise("search.row", "search.tier-tag", "search.importance-tag")
def test_a_row_says_what_it_is(memory: Verbs, clock: Clock) -> None:
    (stored, *_) = store(memory, "The deploy failed at noon.", session_id="ops")
    (row,) = memory.search("deploy").memories
    assert dataclasses.asdict(row) | {"score": None} == {
        "id": stored, "content": "The deploy failed at noon.", "role": "user", "kind": "message",
        "tier": 1, "level": "L3", "date": iso(clock.now()), "importance": None, "covers": None,
        "session_id": "ops", "score": None, "why": None,
    }  # fmt: skip
    reflect(memory, entry("A deploy failed.", 7))
    reflection = memory.search("deploy", tiers=[2]).memories[0]
    assert (reflection.kind, reflection.tier, reflection.level, reflection.importance) == (
        "reflection", 2, "L2", 7,
    )  # fmt: skip
    assert reflection.covers is not None
    assert (reflection.covers.from_, reflection.covers.to) == (row.date, row.date)


@pytest.mark.promise("search.blend")
def test_all_tiers_are_blended(memory: Verbs) -> None:
    layered(memory)
    reply = memory.search("deploy")
    assert {row.tier for row in reply.memories} == {1, 2, 3}
    assert reply.count == len(reply.memories) == 5
    scores = [row.score or 0 for row in reply.memories]
    assert all(0 < score < 1 and round(score, 4) == score for score in scores)


@pytest.mark.promise("search.limit")
@pytest.mark.parametrize("limit", [0, -1, 1001, True, 2.5, "10", float("nan")])
def test_a_limit_out_of_bounds_is_refused(memory: Verbs, limit: Any) -> None:
    with pytest.raises(InvalidRequest) as refused:
        memory.search("deploy", limit=limit)
    assert refused.value.issues[0].startswith("limit: ")


@pytest.mark.promise("search.limit")
def test_a_limit_bounds_what_is_returned(memory: Verbs) -> None:
    store(memory, *(f"deploy number {number}" for number in range(12)))
    assert memory.search("deploy").count == 10
    assert memory.search("deploy", limit=1).count == 1
    assert memory.search("deploy", limit=1000).count == 12


@pytest.mark.promise("search.tiers")
@pytest.mark.parametrize("tiers", [[1], [2], [3], [1, 3], [2, 3], [3, 3, 2, 1]])
def test_tiers_choose_rows(memory: Verbs, tiers: list[int]) -> None:
    layered(memory)
    assert {row.tier for row in memory.search("deploy", tiers=tiers).memories} == set(tiers)


@pytest.mark.promise("search.tiers")
@pytest.mark.parametrize("tiers", [[], [0], [4], [1, 4], [True], ["1"], [1.0], 1, "1"])
def test_other_tiers_are_refused(memory: Verbs, tiers: Any) -> None:
    with pytest.raises(InvalidRequest) as refused:
        memory.search("deploy", tiers=tiers)
    assert refused.value.issues[0].startswith("tiers")


@pytest.mark.promise("search.importance")
def test_importance_is_a_minimum_that_raw_memories_never_reach(memory: Verbs) -> None:
    layered(memory)
    rated = {least: memory.search("deploy noon", importance=least) for least in (1, 7, 8, 10)}
    found = {least: sorted(r.importance or 0 for r in reply.memories)
             for least, reply in rated.items()}  # fmt: skip
    assert found == {1: [3, 7, 9], 7: [7, 9], 8: [9], 10: []}
    assert memory.search("deploy", tiers=[1], importance=1).count == 0


@pytest.mark.promise("search.importance")
@pytest.mark.parametrize("importance", [0, 11, -3, True, 7.5, "7", [7], float("inf")])
def test_another_importance_is_refused(memory: Verbs, importance: Any) -> None:
    with pytest.raises(InvalidRequest) as refused:
        memory.search("deploy", importance=importance)
    assert refused.value.issues[0].startswith("importance: ")


@pytest.mark.promise("search.filters-choose-rows")
def test_a_filter_never_changes_a_score(memory: Verbs) -> None:
    layered(memory)
    blended = {row.id: row.score for row in memory.search("deploy", limit=1000).memories}
    asked: list[dict[str, Any]] = [
        {"tiers": [1]}, {"tiers": [2, 3]}, {"importance": 1}, {"limit": 2},
    ]  # fmt: skip
    for filters in asked:
        for row in memory.search("deploy", **filters).memories:
            assert row.score == blended[row.id]


@pytest.mark.promise("errors.unknown-field", "errors.issues")
def test_an_unknown_field_is_refused(memory: Verbs) -> None:
    with pytest.raises(InvalidRequest) as refused:
        SearchRequest.parse({"query": "deploy", "user_id": "bob"})
    assert refused.value.issues == ["user_id: unknown field; remove it"]


@pytest.mark.promise("search.query")
@pytest.mark.parametrize("query", ["", "  \n", None, 5, "x" * 200_001])
def test_a_query_says_something(memory: Verbs, query: Any) -> None:
    with pytest.raises(InvalidRequest) as refused:
        memory.search(query)
    assert refused.value.issues[0].startswith("query: ")


@pytest.mark.promise("search.query")
@pytest.mark.parametrize(
    "query", ["\ud83d", "\x00", "端口", "👩‍👩‍👧‍👦", "?!", "the of and", "x" * 200_000]
)
def test_any_text_is_a_query(memory: Verbs, query: str) -> None:
    store(memory, "The deploy failed at noon.")
    assert memory.search(query).count <= 1


@pytest.mark.promise("search.session-lifts")
def test_a_session_lifts_its_memories_and_hides_nothing(memory: Verbs) -> None:
    store(memory, "the red bike is in the shed", session_id="a")
    store(memory, "the red bike is in the hall", session_id="b")
    store(memory, "the red bike is in the yard")
    for session_id in ("a", "b"):
        lifted = memory.search("red bike", session_id=session_id)
        assert lifted.count == 3
        assert lifted.memories[0].session_id == session_id
    unknown = memory.search("red bike", session_id="nowhere")
    assert unknown == memory.search("red bike")


@pytest.mark.promise("search.session-only")
def test_session_only_filters_hard(memory: Verbs) -> None:
    store(memory, "the red bike is in the shed", session_id="a")
    store(memory, "the red bike is in the hall", session_id="b")
    reply = memory.search("red bike", session_id="a", session_only=True)
    assert [row.session_id for row in reply.memories] == ["a"]
    assert memory.search("red bike", session_id="nowhere", session_only=True).count == 0
    with pytest.raises(InvalidRequest) as refused:
        memory.search("red bike", session_only=True)
    assert refused.value.issues == ["session_only: needs session_id"]


@pytest.mark.promise("search.explain")
def test_explain_names_the_signals_behind_a_score(memory: Verbs) -> None:
    store(memory, "the red bike is in the shed")
    plain, explained = memory.search("red bike"), memory.search("red bike", explain=True)
    why = explained.memories[0].why
    assert why is not None
    assert why["words"] > 0
    assert dataclasses.replace(explained.memories[0], why=None) == plain.memories[0]


@pytest.mark.promise("search.any-script")
def test_words_in_any_script_are_found(memory: Verbs) -> None:
    texts = [
        "数据库端口改成五四三三了",
        "ย้ายเซิร์ฟเวอร์ไปวันศุกร์",
        "غيّرنا المنفذ يوم الجمعة",
        "plain English words",
    ]
    ids = store(memory, *texts)
    for text, memory_id in zip(texts, ids, strict=True):
        assert memory.search(text[: len(text) // 2], limit=1).memories[0].id == memory_id


@pytest.mark.promise("search.empty-vault")
def test_an_empty_vault_answers_nothing(memory: Verbs) -> None:
    reply = memory.search("deploy")
    assert (reply.memories, reply.count, reply.reflection.suggestion) == ([], 0, None)


@pytest.mark.promise("search.caught-up")
def test_a_search_sees_every_commit_and_every_delete(memory: Verbs) -> None:
    for round_ in range(4):
        ids = ids_of(memory.ingest([said(f"note {round_} about bikes")]).ids)
        assert memory.search("bikes", limit=1000).count == round_ + 1 - round_ // 2
        if round_ % 2:
            memory.delete(ids)
            assert ids[0] not in {row.id for row in memory.search("bikes").memories}
