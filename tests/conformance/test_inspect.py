"""Receipts: from any claim down to what was said, and from what was said up."""

from __future__ import annotations

import pytest

from tests.conformance.steps import checked_out, entry, iso, reflect, replied, said, store, store_at
from tests.support.worlds import Clock
from treering import Verbs
from treering.errors import NotFound
from treering.replies import SourceRow

UNKNOWN = "00000000-0000-4000-8000-00000000dead"


def sources_of(memory: Verbs, reflection_id: str) -> list[SourceRow]:
    sources = memory.inspect(reflection_id).sources
    assert sources is not None
    return sources


@pytest.mark.promise("inspect.reflection", "invariants.drills-down")
def test_a_reflection_shows_the_memories_it_was_built_from(memory: Verbs, clock: Clock) -> None:
    now = clock.now()
    memory.ingest([said("ports moved", timestamp=now - 9), replied("noted", timestamp=now - 5)])
    batch = checked_out(memory)
    (made,) = memory.commit(batch.batch_id, [entry("Ports moved.", 8)]).created
    inspected = memory.inspect(made.id)
    assert (inspected.memory_id, inspected.tier) == (made.id, 2)
    assert (inspected.batch_id, inspected.covers) == (batch.batch_id, batch.covers)
    totals = (inspected.sources_total, inspected.sources_deleted, inspected.truncated)
    assert totals == (2, 0, False)
    assert inspected.sources is not None
    by_date = sorted(inspected.sources, key=lambda source: source.date)
    assert [source.id for source in by_date] == batch.source_ids
    assert [(s.tier, s.level, s.content, s.role, s.importance, s.date) for s in by_date] == [
        (1, "L3", "ports moved", "user", None, iso(now - 9)),
        (1, "L3", "noted", "assistant", None, iso(now - 5)),
    ]
    assert inspected.consolidated_into is None


@pytest.mark.promise("inspect.support-order")
def test_the_sources_that_back_it_best_come_first_and_ties_by_date(
    memory: Verbs, clock: Clock
) -> None:
    now = clock.now()
    store_at(
        memory,
        (now - 9, "lunch was soup"),
        (now - 8, "the red bike is in the shed"),
        (now - 7, "lunch was soup"),
        (now - 6, "rain all day long"),
    )
    (made,) = reflect(memory, entry("the red bike is in the shed")).created
    sources = memory.inspect(made.id).sources
    assert sources is not None
    assert sources[0].content == "the red bike is in the shed"
    support = [source.support for source in sources]
    assert None not in support
    assert support == sorted(support, key=lambda each: -(each or 0))
    assert all(0 <= (each or 0) <= 1 for each in support)
    soup = [source.date for source in sources if source.content == "lunch was soup"]
    assert soup == [iso(now - 9), iso(now - 7)]


@pytest.mark.promise("inspect.chain", "invariants.drills-down")
def test_receipts_chain_to_the_raw_memories(memory: Verbs) -> None:
    (stored,) = store(memory, "The auth service moved to port 5433.")
    middle = reflect(memory, entry("Auth is on 5433.", 6)).created[0].id
    top = reflect(memory, entry("Ports are decided on."), tier=2).created[0].id
    (below,) = sources_of(memory, top)
    assert (below.id, below.tier, below.importance) == (middle, 2, 6)
    (raw,) = sources_of(memory, below.id)
    assert (raw.id, raw.tier, raw.content) == (stored, 1, "The auth service moved to port 5433.")


@pytest.mark.promise("inspect.raw-upward")
def test_a_raw_memory_shows_what_was_built_on_it(memory: Verbs, clock: Clock) -> None:
    (stored,) = store(memory, "The auth service moved.")
    alone = memory.inspect(stored)
    assert (alone.tier, alone.consolidated_into, alone.statements) == (1, [], [])
    assert (alone.sources, alone.batch_id, alone.sources_total) == (None, None, None)
    made = reflect(memory, entry("Auth moved.", 6), entry("It moved at night.", 3)).created
    above = memory.inspect(stored).consolidated_into
    assert above is not None
    assert [(row.id, row.importance) for row in above] == [(row.id, row.importance) for row in made]
    assert (above[0].tier, above[0].level, above[0].content, above[0].date) == (
        2, "L2", "Auth moved.", iso(clock.now()),
    )  # fmt: skip


@pytest.mark.promise("inspect.orphans")
def test_deleted_sources_are_counted(memory: Verbs) -> None:
    ids = store(memory, "one", "two", "three")
    (made,) = reflect(memory, entry("All three.")).created
    memory.delete(ids[:2])
    inspected = memory.inspect(made.id)
    assert (inspected.sources_total, inspected.sources_deleted) == (3, 2)
    assert [source.id for source in inspected.sources or ()] == ids[2:]
    memory.delete(ids[2:])
    inspected = memory.inspect(made.id)
    assert (inspected.sources, inspected.sources_deleted, inspected.truncated) == ([], 3, False)


@pytest.mark.promise("inspect.500")
def test_500_sources_are_returned_and_no_more(memory: Verbs) -> None:
    ids = store(memory, *(f"memory number {number}" for number in range(501)))
    (made,) = reflect(memory, entry("Many.")).created
    inspected = memory.inspect(made.id)
    assert (len(inspected.sources or ()), inspected.sources_total) == (500, 501)
    assert inspected.truncated
    memory.delete(ids[:1])
    inspected = memory.inspect(made.id)
    assert (len(inspected.sources or ()), inspected.truncated) == (500, False)


@pytest.mark.promise("inspect.unknown")
@pytest.mark.parametrize("memory_id", [UNKNOWN, "", "no-id", "\x00", "\ud800", UNKNOWN[:-1]])
def test_an_unknown_id_is_not_found(memory: Verbs, memory_id: str) -> None:
    store(memory, "something")
    with pytest.raises(NotFound) as refused:
        memory.inspect(memory_id)
    assert refused.value.extra == {"resource": "memory", "id": memory_id}
