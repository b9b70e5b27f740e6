"""Memories one by one: listed, moved, edited, recalled, deleted."""

from __future__ import annotations

import pytest

from tests.conformance.levels.steps import contents, said, taught
from tests.conformance.steps import entry, reflect, store
from tests.conformance.steps import said as message
from tests.support.worlds import Clock
from treering import Verbs
from treering.errors import InvalidRequest, NotFound

AUTH = "The auth service listens on port 5433."
UNKNOWN = "00000000-0000-4000-8000-00000000dead"


@pytest.mark.promise("levels.landing")
def test_statements_land_hot_reflections_warm_messages_cold(memory: Verbs) -> None:
    said(memory, AUTH)
    reflect(memory, entry("auth was set up"))
    levels = {one.kind: one.tier for one in memory.memories().memories}
    assert levels == {"statement": "L1", "message": "L3", "reflection": "L2"}
    assert memory.memories().tiers == {"L0": 0, "L1": 1, "L2": 1, "L3": 2}


@pytest.mark.promise("levels.list")
def test_memories_are_listed_newest_first_by_every_filter(memory: Verbs, clock: Clock) -> None:
    first = memory.store([{"content": AUTH, "domains": ["infra"]}]).stored[0]
    clock.advance(minutes=1)
    store(memory, "hello there")
    clock.advance(minutes=1)
    (last,) = taught(memory, "Ünicode lives at wiki.acme.dev")
    everything = memory.memories()
    assert [one.content for one in everything.memories] == [last.content, "hello there", AUTH]
    assert everything.total == 3
    assert contents(memory.memories(tier="L3").memories) == ["hello there"]
    assert contents(memory.memories(kind="message").memories) == ["hello there"]
    assert memory.memories(source="api").total == 2
    assert [one.id for one in memory.memories(domain="infra").memories] == [first.id]
    assert contents(memory.memories(q="üNICODE").memories) == [last.content]
    page = memory.memories(limit=1, offset=1)
    assert (contents(page.memories), page.total) == (["hello there"], 3)
    with pytest.raises(InvalidRequest):
        memory.memories(limit=501)


@pytest.mark.promise("levels.list-ties")
def test_memories_of_one_instant_are_listed_by_id(memory: Verbs) -> None:
    ids = [one.id for one in taught(memory, AUTH, "The wiki is wiki.acme.dev.", "Port 1 is odd1.")]
    assert [one.id for one in memory.memories().memories] == sorted(ids)


@pytest.mark.promise("levels.moves")
def test_a_memory_moves_when_it_is_told_to_and_at_no_other_time(
    memory: Verbs, clock: Clock
) -> None:
    (held,) = taught(memory, AUTH)
    (cold,) = store(memory, "the build is at ci.acme.dev")
    clock.advance(days=400)
    assert memory.memory(held.id).tier == "L1"
    assert memory.set_level(cold, "L1").tier == "L1"
    assert cold in [one.id for one in memory.context("ci.acme.dev?").entries]
    for level in ("L2", "L3", "L0"):
        assert memory.edit(held.id, tier=level).tier == level
    assert memory.stats().by_level["L0"] == 1
    assert AUTH in memory.context("hi", max_tokens=0).text


@pytest.mark.promise("levels.pin-limits")
def test_what_is_pinned_stays_within_2000_and_8000_tokens(memory: Verbs) -> None:
    (large,) = store(memory, "word " * 1601)
    with pytest.raises(InvalidRequest) as refused:
        memory.set_level(large, "L0")
    assert "2,000" in refused.value.issues[0]
    assert memory.memory(large).tier == "L3"
    texts = [f"{number} " + "word " * 1500 for number in range(5)]
    ids = [store(memory, text)[0] for text in texts]
    for memory_id in ids[:4]:
        memory.set_level(memory_id, "L0")
    with pytest.raises(InvalidRequest) as full:
        memory.set_level(ids[4], "L0")
    assert "8,000" in full.value.issues[0]


@pytest.mark.promise("levels.edit")
def test_an_edited_statement_is_found_by_its_new_text_alone(memory: Verbs, clock: Clock) -> None:
    (held,) = taught(memory, AUTH)
    before = memory.debt().unconsolidated.raw.est_tokens
    clock.advance(minutes=1)
    text = "The billing gateway answers at gateway.acme.dev instead."
    edited = memory.edit(held.id, content=text, domains=["billing"])
    assert (edited.content, edited.gist, edited.domains) == (text, text, ["billing"])
    assert edited.last_accessed_at == clock.ms
    assert [row.content for row in memory.search("billing gateway").memories] == [text]
    assert memory.recall("gateway.acme.dev").results[0].memory.id == held.id
    assert memory.context("gateway.acme.dev?").entries[0].reason == "trigger"
    assert memory.context("port 5433?").entries[0].reason == "index"
    grown = memory.debt().unconsolidated.raw.est_tokens - before
    assert grown == -(-len(text) // 4) - -(-len(AUTH) // 4)
    assert memory.store([AUTH]).counts.stored == 1, "the old text is no restatement of the new"


@pytest.mark.promise("levels.edit-statements-only")
def test_only_statements_can_be_edited(memory: Verbs) -> None:
    (spoken,) = store(memory, "what was said")
    with pytest.raises(InvalidRequest) as refused:
        memory.edit(spoken, content="what was never said")
    assert refused.value.issues[0].startswith("content")
    assert memory.memory(spoken).content == "what was said"
    (held,) = taught(memory, AUTH)
    with pytest.raises(InvalidRequest):
        memory.edit(held.id, content="password: hunter2hunter2")
    with pytest.raises(NotFound):
        memory.edit(UNKNOWN, tier="L1")


@pytest.mark.promise("levels.gist")
def test_a_gist_can_be_given_and_taken_back(memory: Verbs) -> None:
    (held,) = taught(memory, AUTH)
    assert memory.edit(held.id, gist="auth: 5433").gist == "auth: 5433"
    assert "- auth: 5433" in memory.context("hi").text
    assert memory.edit(held.id, gist=None).gist == AUTH


@pytest.mark.promise("levels.recall")
def test_recall_searches_every_level_and_counts_as_an_access(memory: Verbs, clock: Clock) -> None:
    said(memory, AUTH)
    store(memory, "we talked about bicycles")
    clock.advance(minutes=1)
    found = memory.recall("which port does the auth service use?")
    assert not found.empty
    assert {"statement", "message"} == {one.memory.kind for one in found.results[:2]}
    assert memory.memory(found.results[0].memory.id).last_accessed_at == clock.ms
    assert len(memory.recall("auth bicycles", limit=1).results) == 1


@pytest.mark.promise("levels.recall-empty")
def test_recall_is_empty_where_nothing_has_to_do_with_the_query(memory: Verbs) -> None:
    assert memory.recall("anything").empty
    taught(memory, AUTH)
    nothing = memory.recall("zebra giraffe")
    assert (nothing.empty, nothing.results) == (True, [])


@pytest.mark.promise("levels.forget")
def test_a_memory_is_forgotten_for_good(memory: Verbs) -> None:
    (held,) = taught(memory, AUTH)
    assert memory.forget(held.id).deleted
    for verb in (memory.memory, memory.forget):
        with pytest.raises(NotFound):
            verb(held.id)
    assert memory.context("5433").text == ""


@pytest.mark.promise("levels.goes-with-its-message")
def test_a_captured_statement_goes_with_its_last_message(memory: Verbs) -> None:
    (once, twice) = said(memory, f"{AUTH} The wiki lives at wiki.acme.dev.")
    memory.turn("The wiki lives at wiki.acme.dev.", "ok")
    messages = [one.id for one in memory.memories(kind="message").memories if "5433" in one.content]
    reply = memory.delete(messages)
    assert (reply.deleted, reply.also_deleted) == (1, 1)
    assert [one.id for one in memory.memories(kind="statement").memories] == [twice.id]
    assert once.id not in [one.id for one in memory.memories().memories]
    rest = [one.id for one in memory.memories(kind="message", q="wiki").memories]
    assert memory.delete(rest).also_deleted == 1


@pytest.mark.promise("levels.edited-outlives-its-message")
def test_a_statement_that_a_person_edited_stays(memory: Verbs) -> None:
    (held,) = said(memory, AUTH)
    memory.edit(held.id, content="The auth service listens on port 6000.")
    messages = [one.id for one in memory.memories(kind="message").memories]
    assert memory.delete(messages).also_deleted == 0
    assert memory.memory(held.id).content == "The auth service listens on port 6000."
    assert memory.search("auth port 6000").memories[0].id == held.id


@pytest.mark.promise("levels.falls-back")
def test_a_merged_statement_falls_back_to_what_is_still_said(memory: Verbs) -> None:
    short, fuller = "The docs live at docs.acme.dev.", "The public docs live at docs.acme.dev."
    memory.ingest([message(short)], session_id="a")
    memory.ingest([message(fuller)], session_id="b")
    (held,) = memory.memories(kind="statement").memories
    assert held.content == fuller
    memory.wipe(session_id="b")
    (left,) = memory.memories(kind="statement").memories
    assert (left.id, left.content) == (held.id, short)
    assert memory.context("docs.acme.dev").entries[0].body == short
    memory.wipe(session_id="a")
    assert memory.memories().total == 0
