"""The main job end to end: remember, find, consolidate, drill down, delete."""

from __future__ import annotations

from treering import Verbs
from treering.replies import Batch


def test_a_claim_drills_down_to_what_was_said(memory: Verbs) -> None:
    said = "The auth service moved to port 5433 on Friday."
    stored = memory.ingest([{"role": "user", "content": said}], session_id="planning")
    assert memory.search("which port is auth on?").memories[0].content == said

    batch = memory.checkout(1)
    assert isinstance(batch, Batch)
    assert [item.text for item in batch.memories] == [said]
    claim = {"text": "Auth has listened on port 5433 since Friday.", "importance": 6}
    reflection = memory.commit(batch.batch_id, [claim]).created[0]

    second = memory.checkout(2)
    assert isinstance(second, Batch)
    principle = {"text": "Ports are decided on and kept.", "importance": 8}
    top = memory.commit(second.batch_id, [principle]).created[0]

    below = memory.inspect(top.id).sources
    assert below is not None
    assert [source.id for source in below] == [reflection.id]
    verbatim = memory.inspect(below[0].id).sources
    assert verbatim is not None
    assert [(source.id, source.content) for source in verbatim] == [(stored.ids[0], said)]


def test_what_is_deleted_is_gone_and_its_gap_is_shown(memory: Verbs) -> None:
    stored = memory.ingest([{"role": "user", "content": "My locker code is 4711."}])
    batch = memory.checkout(1)
    assert isinstance(batch, Batch)
    made = memory.commit(batch.batch_id, [{"text": "There is a locker.", "importance": 2}])
    deleted = memory.delete([str(stored.ids[0])])
    assert (deleted.deleted, deleted.derived) == (1, [made.created[0].id])
    assert all(row.content != "My locker code is 4711." for row in memory.search("4711").memories)
    inspected = memory.inspect(made.created[0].id)
    assert (inspected.sources_total, inspected.sources_deleted) == (1, 1)
