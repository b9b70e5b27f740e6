"""Contradictions, from their detection to a person's answer."""

from __future__ import annotations

import pytest

from tests.conformance.levels.steps import contents, said, taught
from tests.support.worlds import Clock
from treering import Verbs
from treering.errors import Conflict, InvalidRequest, NotFound
from treering.replies import TensionReply

OLD, NEW = "The auth service listens on port 5433.", "The auth service listens on port 6000."
UNKNOWN = "00000000-0000-4000-8000-00000000dead"


def conflict(memory: Verbs) -> TensionReply:
    said(memory, OLD)
    said(memory, NEW)
    (found,) = memory.tensions().tensions
    return found


@pytest.mark.promise("tensions.detected")
def test_another_value_for_the_same_thing_is_a_contradiction(memory: Verbs) -> None:
    said(memory, OLD)
    reply = memory.turn(NEW, "ok")
    assert reply.counts.tensions == 1
    (found,) = memory.tensions("active").tensions
    assert (found.claim_a.statement, found.claim_b.statement) == (OLD, NEW)
    assert found.claim_a.memory_id
    assert found.claim_b.source == "rules"
    assert "5433" in found.actionable_question
    line = f'"{OLD.rstrip(".")}" conflicts with "{NEW.rstrip(".")}". Ask: '
    assert line in memory.context("hi", max_tokens=0).text
    assert memory.turn(NEW, "again, later").counts.tensions == 0
    assert len(memory.tensions().tensions) == 1


@pytest.mark.promise("tensions.negation")
def test_an_explicit_negation_is_a_contradiction(memory: Verbs) -> None:
    taught(memory, "Always squash merges.", "The wiki lives at wiki.acme.dev.")
    assert memory.store(["Never squash merges."]).counts.tensions == 1


@pytest.mark.promise("tensions.correction")
def test_a_correcting_turn_gives_the_row_and_its_block_the_notice(memory: Verbs) -> None:
    said(memory, OLD)
    correcting = "Actually we switched the auth service to port 6000."
    assert "### ⚠️ Correction Detected In This Message" in memory.context(correcting).text
    memory.turn("Actually the auth service listens on port 6000.", "ok")
    (found,) = memory.tensions().tensions
    assert found.status == "active", "nothing resolves itself"


@pytest.mark.promise("tensions.pinned-whatever-the-level")
def test_a_pair_stays_pinned_whatever_the_level_of_its_claims(memory: Verbs) -> None:
    found = conflict(memory)
    for claim in (found.claim_a, found.claim_b):
        assert claim.memory_id is not None
        memory.set_level(claim.memory_id, "L3")
    assert "### Unresolved Contradictions" in memory.context("hi").text


@pytest.mark.promise("tensions.resolved")
def test_resolving_keeps_the_pattern_and_unpins(memory: Verbs) -> None:
    found = conflict(memory)
    resolved = memory.resolve_tension(found.id, "Ada", pattern=NEW)
    assert (resolved.status, resolved.resolved_by, resolved.pattern) == ("resolved", "Ada", NEW)
    block = memory.context("hi")
    assert "### Unresolved" not in block.text
    assert block.text.count(NEW) == 1, "a pattern that repeats a claim is that claim"
    assert memory.store([OLD]).counts.tensions == 0, "a resolved pair never reopens by itself"
    assert memory.tensions("active").tensions == []
    reopened = memory.set_tension(found.id, "open")
    assert (reopened.status, reopened.resolved_by) == ("active", None)
    assert "### Unresolved" in memory.context("hi").text


@pytest.mark.promise("tensions.resolved")
def test_a_pattern_in_other_words_is_a_statement_of_its_own(memory: Verbs) -> None:
    found = conflict(memory)
    pattern = "The auth service listens on port 5433 since May."
    memory.resolve_tension(found.id, "Ada", pattern=pattern)
    assert set(contents(memory.memories(kind="statement").memories)) == {pattern, NEW, OLD}


@pytest.mark.promise("tensions.decided-once")
def test_one_answer_never_takes_the_place_of_another_unseen(memory: Verbs) -> None:
    found = conflict(memory)
    decided = memory.resolve_tension(found.id, "Ada", pattern=NEW)
    assert memory.resolve_tension(found.id, "Ada", pattern=NEW) == decided, "sent again"
    for by, pattern in (("Bob", NEW), ("Ada", OLD), ("Ada", None)):
        with pytest.raises(Conflict, match="active"):
            memory.resolve_tension(found.id, by, pattern=pattern)
    assert memory.tensions("resolved").tensions == [decided]
    memory.set_tension(found.id, "active")
    assert memory.resolve_tension(found.id, "Bob").resolved_by == "Bob"


@pytest.mark.promise("tensions.latent")
def test_a_person_can_silence_a_pair(memory: Verbs) -> None:
    found = conflict(memory)
    assert memory.set_tension(found.id, "latent").status == "latent"
    assert "### Unresolved" not in memory.context("hi").text
    assert [one.id for one in memory.tensions("latent").tensions] == [found.id]


@pytest.mark.promise("tensions.deleted-with-a-claim")
def test_deleting_a_claim_deletes_the_row(memory: Verbs) -> None:
    found = conflict(memory)
    assert found.claim_a.memory_id is not None
    memory.forget(found.claim_a.memory_id)
    assert memory.tensions().tensions == []


@pytest.mark.promise("tensions.by-hand")
def test_a_contradiction_can_be_recorded_and_deleted(memory: Verbs, clock: Clock) -> None:
    made = memory.open_tension("We ship on Fridays.", "We never ship on Fridays.")
    assert (made.status, made.impact, made.created_at) == ("active", "medium", clock.ms)
    assert (made.claim_a.source, made.claim_a.memory_id) == ("api", None)
    assert memory.memories().total == 0, "claims are strings"
    assert memory.drop_tension(made.id).deleted
    for wrong in (memory.drop_tension, lambda one: memory.resolve_tension(one, "me")):
        with pytest.raises(NotFound):
            wrong(made.id)


@pytest.mark.promise("tensions.bounded")
def test_a_hundred_open_contradictions_are_the_most_that_are_recorded(memory: Verbs) -> None:
    made = [memory.open_tension(f"Claim {number}.", "Another claim.") for number in range(100)]
    with pytest.raises(Conflict, match="resolve or silence"):
        memory.open_tension("One more.", "Another claim.")
    memory.set_tension(made[0].id, "latent")
    assert memory.open_tension("One more.", "Another claim.").status == "active"


@pytest.mark.promise("tensions.one-change")
def test_a_change_is_a_resolution_or_a_status(memory: Verbs) -> None:
    made = memory.open_tension("A claim.", "Another claim.")
    with pytest.raises(InvalidRequest):
        memory.resolve_tension(made.id, "  ")
    with pytest.raises(InvalidRequest):
        memory.resolve_tension(made.id, "me", pattern="my password: hunter2hunter2")
    assert memory.tensions("open").tensions[0].status == "active"
