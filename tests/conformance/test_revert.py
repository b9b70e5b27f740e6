"""Undoing a commit: its reflections go, what lies under them is as it was."""

from __future__ import annotations

import pytest

from tests.conformance.steps import entry, reflect, said
from treering import Verbs
from treering.errors import Conflict, NotFound


@pytest.mark.promise("revert.undoes-one-commit")
def test_reverting_deletes_the_reflections_and_returns_the_sources(memory: Verbs) -> None:
    memory.ingest([said("We chose Postgres.")])
    before = memory.debt()
    made = reflect(memory, entry("They chose Postgres."))
    reverted = memory.revert(made.batch_id)
    assert (reverted.reverted, reverted.deleted, reverted.sources_returned) == (True, 1, 1)
    assert reverted.reflection == before
    assert memory.stats().by_tier == {"1": 1, "2": 0, "3": 0}
    with pytest.raises(NotFound):
        memory.inspect(made.created[0].id)
    assert memory.checkout(1).count == 1


@pytest.mark.promise("revert.refused-while-built-on")
def test_a_batch_that_something_was_built_on_stays(memory: Verbs) -> None:
    memory.ingest([said("We chose Postgres.")])
    low = reflect(memory, entry("They chose Postgres."))
    high = reflect(memory, entry("They value SQL."), tier=2)
    with pytest.raises(Conflict):
        memory.revert(low.batch_id)
    memory.revert(high.batch_id)
    assert memory.revert(low.batch_id).deleted == 1


@pytest.mark.promise("revert.refuses-what-is-not-committed", "commit.reverted-is-409")
def test_only_a_committed_batch_can_be_reverted_and_then_nothing_be_committed_to_it(
    memory: Verbs,
) -> None:
    memory.ingest([said("We chose Postgres.")])
    batch = memory.checkout(1)
    assert batch.batch_id is not None
    with pytest.raises(Conflict):
        memory.revert(batch.batch_id)
    entries = [entry("They chose Postgres.")]
    memory.commit(batch.batch_id, entries)
    memory.revert(batch.batch_id)
    with pytest.raises(Conflict):
        memory.revert(batch.batch_id)
    with pytest.raises(Conflict):
        memory.commit(batch.batch_id, entries)
    with pytest.raises(NotFound):
        memory.revert("cb_unknown")
