"""Committing what a model wrote over a batch."""

from __future__ import annotations

from typing import Any

import pytest

from tests.conformance.steps import (
    MINUTE,
    checked_out,
    entry,
    ids_of,
    iso,
    reflect,
    store,
    store_at,
)
from tests.support.worlds import Clock
from treering import Verbs
from treering.errors import Conflict, InvalidRequest, LeaseExpired, NotFound
from treering.requests import CommitRequest


@pytest.mark.promise("commit.reply", "commit.tier-above")
def test_entries_become_reflections_one_tier_above(memory: Verbs) -> None:
    store(memory, "first", "second")
    batch = checked_out(memory)
    reply = memory.commit(batch.batch_id, [entry("What happened.", 8), entry("And more.", 6)])
    assert (reply.batch_id, reply.committed, reply.already_committed) == (
        batch.batch_id, True, False,
    )  # fmt: skip
    assert (reply.tier, reply.sources_consolidated) == (2, 2)
    assert [made.importance for made in reply.created] == [8, 6]
    assert len({made.id for made in reply.created}) == 2
    top = reflect(memory, entry("What it means."), tier=2)
    assert (top.tier, top.sources_consolidated) == (3, 2)
    assert memory.stats().by_tier == {"1": 2, "2": 2, "3": 1}


@pytest.mark.promise("commit.same-namespace")
def test_a_reflection_is_a_memory_like_any_other(memory: Verbs) -> None:
    store(memory, "first")
    (made,) = reflect(memory, entry("Zebras were seen.")).created
    assert memory.search("zebras").memories[0].id == made.id
    assert memory.inspect(made.id).tier == 2
    assert memory.delete([made.id]).deleted == 1


@pytest.mark.promise("commit.covers")
def test_a_reflection_covers_its_whole_batch_and_is_dated_at_its_end(
    memory: Verbs, clock: Clock
) -> None:
    now = clock.now()
    store_at(memory, (now - 9000, "first"), (now - 500, "last"), (now - 4000, "middle"))
    batch = checked_out(memory)
    memory.commit(batch.batch_id, [entry("one"), entry("two")])
    for row in memory.search("one two", tiers=[2]).memories:
        assert row.covers == batch.covers
        assert row.covers is not None
        assert row.date == row.covers.to == iso(now - 500)
    reflect(memory, entry("top"), tier=2)
    assert memory.search("top", tiers=[3]).memories[0].covers == batch.covers


@pytest.mark.promise("commit.replay", "commit.replay-ignores-entries")
def test_a_replay_answers_what_the_first_commit_made(memory: Verbs, clock: Clock) -> None:
    store(memory, "first")
    batch = checked_out(memory)
    first = memory.commit(batch.batch_id, [entry("one", 7)])
    clock.advance(days=9)
    for entries in ([entry("one", 7)], [entry("other", 1), entry("more", 2)], [], ["nonsense"]):
        replay = memory.perform(
            CommitRequest.parse({"batch_id": batch.batch_id, "entries": entries})
        )
        assert (replay.committed, replay.already_committed) == (True, True)
        assert (replay.created, replay.sources_consolidated) == (first.created, 1)
    assert memory.stats().by_tier["2"] == 1


@pytest.mark.promise("commit.expired")
def test_an_expired_lease_is_refused_though_nobody_took_it_over(
    memory: Verbs, clock: Clock
) -> None:
    store(memory, "first")
    batch = checked_out(memory)
    clock.advance(minutes=15)
    with pytest.raises(LeaseExpired):
        memory.commit(batch.batch_id, [entry("late")])
    assert memory.stats().by_tier["2"] == 0
    assert checked_out(memory).source_ids == batch.source_ids


@pytest.mark.promise("commit.within-lease")
def test_the_last_millisecond_of_a_lease_counts(memory: Verbs, clock: Clock) -> None:
    store(memory, "first")
    batch = checked_out(memory)
    clock.advance(seconds=(15 * MINUTE - 1) / 1000)
    assert memory.commit(batch.batch_id, [entry("in time")]).committed


@pytest.mark.promise("commit.unknown-batch")
@pytest.mark.parametrize("batch_id", ["cb_unknown", "", "\ud800", "\x00", "cb_" + "0" * 10_000])
def test_an_unknown_batch_is_not_found(memory: Verbs, batch_id: str) -> None:
    with pytest.raises(NotFound) as refused:
        memory.commit(batch_id, [entry("one")])
    assert refused.value.extra["resource"] == "batch"


@pytest.mark.promise("commit.wiped")
def test_a_wiped_batch_is_a_conflict(memory: Verbs) -> None:
    store(memory, "first")
    committed = checked_out(memory)
    memory.commit(committed.batch_id, [entry("one")])
    leased = checked_out(memory, 2)
    memory.wipe()
    for batch in (committed, leased):
        with pytest.raises(Conflict) as refused:
            memory.commit(batch.batch_id, [entry("one")])
        assert not isinstance(refused.value, LeaseExpired)
    assert memory.stats().memories == 0


@pytest.mark.promise("commit.no-source-left")
def test_what_was_deleted_cannot_come_back_as_a_reflection(memory: Verbs) -> None:
    ids = store(memory, "first", "second")
    batch = checked_out(memory)
    memory.delete(ids)
    with pytest.raises(Conflict):
        memory.commit(batch.batch_id, [entry("about both")])
    assert memory.stats().memories == 0


@pytest.mark.promise("commit.some-sources-left")
def test_a_batch_that_lost_a_source_can_be_committed(memory: Verbs) -> None:
    first, second = store(memory, "first", "second")
    batch = checked_out(memory)
    memory.delete([first])
    reply = memory.commit(batch.batch_id, [entry("about both")])
    assert reply.sources_consolidated == 1
    inspected = memory.inspect(reply.created[0].id)
    assert (inspected.sources_total, inspected.sources_deleted) == (2, 1)
    assert [source.id for source in inspected.sources or ()] == [second]


BAD_ENTRIES: dict[str, list[Any]] = {
    "none": [],
    "too many": [entry("x")] * 101,
    "blank": [entry(" \n ")],
    "too long": [entry("x" * 8001)],
    "float": [{"text": "x", "importance": 7.5}],
    "whole float": [{"text": "x", "importance": 7.0}],
    "string": [{"text": "x", "importance": "7"}],
    "boolean": [{"text": "x", "importance": True}],
    "zero": [entry("x", 0)],
    "eleven": [entry("x", 11)],
    "no importance": [{"text": "x"}],
    "no text": [{"importance": 5}],
    "another field": [{**entry("x"), "id": "1"}],
    "null": [None],
    "text alone": ["x"],
    "one bad among good": [entry("x"), entry("y", 11)],
}


@pytest.mark.promise("commit.entries")
@pytest.mark.parametrize("entries", BAD_ENTRIES.values(), ids=BAD_ENTRIES)
def test_bad_entries_are_refused_whole_and_the_lease_stays(
    memory: Verbs, entries: list[Any]
) -> None:
    store(memory, "first")
    batch = checked_out(memory)
    with pytest.raises(InvalidRequest) as refused:
        memory.perform(CommitRequest.parse({"batch_id": batch.batch_id, "entries": entries}))
    assert refused.value.issues[0].startswith("entries")
    assert memory.stats().by_tier["2"] == 0
    assert memory.commit(batch.batch_id, [entry("good")]).committed


@pytest.mark.promise("commit.entries")
def test_the_most_that_entries_may_be(memory: Verbs) -> None:
    store(memory, "first")
    batch = checked_out(memory)
    texts = ["  " + "x" * 8000 + "\n", "数" * 8000, "half \ud83d emoji"]
    entries = [entry(text, 10) for text in texts] + [entry("y", 1)] * 97
    assert len(memory.commit(batch.batch_id, entries).created) == 100
    found = {row.content for row in memory.search("x", tiers=[2], limit=1000).memories}
    assert {text.strip() for text in texts} <= found


@pytest.mark.promise("commit.order-of-answers")
def test_the_first_reason_is_answered(memory: Verbs, clock: Clock) -> None:
    bad = [entry("x", 11)]
    ids = store(memory, "first", "second")
    wiped = checked_out(memory)
    memory.wipe()
    ids = store(memory, "first")
    committed = checked_out(memory)
    made = memory.commit(committed.batch_id, [entry("one")])
    store(memory, "third")
    expired = checked_out(memory)
    clock.advance(minutes=15)
    live = checked_out(memory)

    def answer(batch_id: Any, entries: Any) -> object:
        try:
            body = {"batch_id": batch_id, "entries": entries}
            return memory.perform(CommitRequest.parse(body)).created
        except (Conflict, InvalidRequest, LeaseExpired, NotFound) as error:
            return type(error)

    assert answer(5, bad) is InvalidRequest
    assert answer("cb_unknown", "bad") is InvalidRequest, "malformed comes before unknown"
    assert answer("cb_unknown", bad) is NotFound, "unknown comes before bad entries"
    assert answer(wiped.batch_id, bad) is Conflict
    assert answer(committed.batch_id, bad) == made.created, "a replay comes before bad entries"
    assert answer(expired.batch_id, bad) is LeaseExpired
    memory.delete(live.source_ids)
    assert answer(live.batch_id, bad) is InvalidRequest, "bad entries come before lost sources"
    assert answer(live.batch_id, [entry("x")]) is Conflict
    clock.advance(minutes=15)
    assert answer(live.batch_id, [entry("x")]) is LeaseExpired, "expiry comes first"
    assert ids_of(ids)


@pytest.mark.promise("commit.marks-sources", "invariants.nothing-lost")
def test_consolidating_marks_the_sources_and_loses_none(memory: Verbs) -> None:
    ids = store(memory, "The red bike is in the shed.", "The blue bike is sold.")
    reflect(memory, entry("Bikes come and go."))
    assert memory.stats().reflection.unconsolidated.raw.units == 0
    found = {row.id: row.content for row in memory.search("bike", tiers=[1]).memories}
    assert found == dict(zip(ids, ["The red bike is in the shed.", "The blue bike is sold."],
                             strict=True))  # fmt: skip


@pytest.mark.promise("commit.atomic")
def test_a_refused_commit_changes_nothing(memory: Verbs) -> None:
    store(memory, "first")
    batch = checked_out(memory)
    before = memory.stats()
    with pytest.raises(InvalidRequest):
        memory.commit(batch.batch_id, [entry("good"), entry("bad", 11)])
    assert memory.stats() == before
