"""Deleting, for good: by id, by session, and whole."""

from __future__ import annotations

import pytest

from tests.conformance.steps import checked_out, entry, everything, reflect, said, store
from tests.support.worlds import Clock
from treering import Verbs
from treering.errors import InvalidRequest, NotFound, RateLimited

UNKNOWN = "00000000-0000-4000-8000-00000000dead"


@pytest.mark.promise("delete.reply")
def test_a_reply_counts_what_was_asked_for(memory: Verbs) -> None:
    ids = store(memory, "one", "two", "three")
    reply = memory.delete([*ids[:2], UNKNOWN, "no-id", "\ud800"])
    assert (reply.requested, reply.deleted, reply.do_deleted, reply.not_found) == (5, 2, 2, 3)
    assert (reply.legacy_fallback_used, reply.failed, reply.derived) == (0, [], [])
    assert reply.also_deleted == 0
    assert reply.erasure in ("done", "pending")
    assert [row.id for row in everything(memory)] == ids[2:]


@pytest.mark.promise("delete.duplicates-once")
def test_an_id_counts_once_however_often_it_is_named(memory: Verbs) -> None:
    (stored, _) = store(memory, "one", "two")
    reply = memory.delete([stored, stored, stored.upper(), UNKNOWN, UNKNOWN])
    assert (reply.deleted, reply.not_found) == (1, 1)
    again = memory.delete([stored])
    assert (again.deleted, again.not_found) == (0, 1)


@pytest.mark.promise("delete.at-most-500")
def test_500_ids_are_the_most(memory: Verbs) -> None:
    ids = store(memory, "one")
    for wrong in ([], [UNKNOWN] * 501):
        with pytest.raises(InvalidRequest) as refused:
            memory.delete(wrong)
        assert refused.value.issues[0].startswith("ids: ")
    assert memory.delete([*ids, *(f"id {number}" for number in range(499))]).deleted == 1


@pytest.mark.promise("delete.receipt")
def test_a_receipt_is_given_once_in_a_while_and_a_refused_one_deletes_nothing(
    memory: Verbs,
) -> None:
    first, second = store(memory, "the red bike", "the blue bike")
    assert memory.delete([UNKNOWN]).receipt is None
    receipt = memory.delete([first, UNKNOWN], receipt=True).receipt
    assert receipt is not None
    assert (receipt.checked, receipt.found) == (1, 0)
    assert receipt.bytes > 0
    with pytest.raises(RateLimited) as refused:
        memory.delete([second], receipt=True)
    assert "nothing was deleted" in refused.value.message
    assert memory.stats().memories == 1
    assert memory.delete([second]).deleted == 1


@pytest.mark.promise("delete.gone")
def test_what_is_deleted_is_found_nowhere(memory: Verbs) -> None:
    kept, gone = store(memory, "the blue bike", "the red bike")
    (made,) = reflect(memory, entry("bikes")).created
    memory.delete([gone])
    assert gone not in {row.id for row in memory.search("red bike", limit=1000).memories}
    assert gone not in {row.id for row in memory.date_search("2020-01-01").memories}
    assert "red" not in memory.prepare([said("red bike?")]).context
    assert [source.id for source in memory.inspect(made.id).sources or ()] == [kept]
    with pytest.raises(NotFound):
        memory.inspect(gone)
    assert memory.stats().memories == 2


@pytest.mark.promise("delete.derived")
def test_reflections_stay_and_are_named_in_derived(memory: Verbs) -> None:
    one, two = store(memory, "one", "two")
    middle = [made.id for made in reflect(memory, entry("a"), entry("b")).created]
    top = [made.id for made in reflect(memory, entry("top"), tier=2).created]
    reply = memory.delete([one])
    assert sorted(reply.derived) == sorted(middle + top)
    assert memory.stats().by_tier == {"1": 1, "2": 2, "3": 1}
    assert memory.delete([two, middle[0]]).derived == [middle[1], *top]
    inspected = memory.inspect(top[0])
    assert (inspected.sources_total, inspected.sources_deleted) == (2, 1)


@pytest.mark.promise("delete.cascade")
def test_cascade_deletes_what_was_built_on_it_over_both_tiers(memory: Verbs) -> None:
    (one,) = store(memory, "one")
    reflect(memory, entry("a"), entry("b"))
    reflect(memory, entry("top"), tier=2)
    (other,) = store(memory, "other")
    (kept,) = reflect(memory, entry("on the other")).created
    request = memory.delete([one], cascade=True)
    assert (request.deleted, request.also_deleted, request.derived) == (1, 3, [])
    assert {row.id for row in memory.date_search("2020-01-01").memories} == {other, kept.id}


@pytest.mark.promise("delete.every-tier")
def test_a_reflection_is_deleted_like_any_memory(memory: Verbs) -> None:
    (stored,) = store(memory, "one")
    middle = reflect(memory, entry("a")).created[0].id
    top = reflect(memory, entry("top"), tier=2).created[0].id
    reply = memory.delete([middle, top])
    assert (reply.deleted, reply.derived) == (2, [])
    assert memory.inspect(stored).consolidated_into == []
    assert memory.checkout(1).count == 0, "the source stays consolidated"


@pytest.mark.promise("delete.leased")
def test_a_leased_memory_can_be_deleted(memory: Verbs, clock: Clock) -> None:
    one, two = store(memory, "one", "two")
    checked_out(memory)
    assert memory.delete([one]).deleted == 1
    clock.advance(minutes=15)
    assert checked_out(memory).source_ids == [two]


@pytest.mark.promise("wipe.vault")
def test_a_wipe_empties_the_vault_and_leaves_it_working(memory: Verbs) -> None:
    store(memory, "one", "two", session_id="s")
    reflect(memory, entry("both"))
    assert memory.wipe().deleted == 3
    assert memory.search("one both").count == 0
    stats = memory.stats()
    assert (stats.memories, stats.total_tokens, stats.oldest, stats.pending_vectors) == (
        0, 0, None, 0,
    )  # fmt: skip
    assert memory.checkout(1).count == memory.checkout(2).count == 0
    assert memory.ingest([said("one"), said("two")], session_id="s").stored == 2, "nothing is known"
    assert memory.search("one").count == 2


@pytest.mark.promise("wipe.session")
def test_a_session_is_wiped_alone(memory: Verbs) -> None:
    store(memory, "one", "two", session_id="a")
    store(memory, "three", session_id="b")
    store(memory, "four")
    (made,) = reflect(memory, entry("all four")).created
    assert memory.wipe(session_id="a").deleted == 2
    assert {row.content for row in everything(memory)} == {"three", "four"}
    assert memory.inspect(made.id).sources_deleted == 2
    assert memory.wipe(session_id="a").deleted == memory.wipe(session_id="nowhere").deleted == 0
    assert memory.stats().memories == 3


@pytest.mark.promise("wipe.session", "sessions.any-name")
@pytest.mark.parametrize("session_id", ["数据", "é", "a b/c?d=e", "🚲", "x" * 512])
def test_a_session_of_any_name_is_wiped(memory: Verbs, session_id: str) -> None:
    store(memory, "one", session_id=session_id)
    store(memory, "two", session_id="other")
    assert memory.wipe(session_id=session_id).deleted == 1


@pytest.mark.promise("sessions.any-name")
@pytest.mark.parametrize("session_id", [" ", "\n", "a\x00b", "\ud83d", "x" * 513])
def test_a_name_that_no_header_could_carry_is_refused(memory: Verbs, session_id: str) -> None:
    with pytest.raises(InvalidRequest) as refused:
        memory.search("one", session_id=session_id)
    assert refused.value.issues[0].startswith("session_id: ")
    with pytest.raises(InvalidRequest):
        memory.ingest([said("one")], idempotency_key=session_id)


@pytest.mark.promise("wipe.empty-session")
@pytest.mark.parametrize("session_id", ["", " ", "\t"])
def test_an_empty_session_is_never_a_whole_wipe(memory: Verbs, session_id: str) -> None:
    store(memory, "one")
    with pytest.raises(InvalidRequest):
        memory.wipe(session_id=session_id)
    assert memory.stats().memories == 1
