"""Teaching: by turns, by what is ingested, and outright."""

from __future__ import annotations

import json

import pytest

from tests.conformance.levels.steps import contents, said, taught
from tests.conformance.steps import entry, everything, reflect
from tests.support.worlds import START, Clock
from treering import Verbs
from treering.errors import Conflict, InvalidRequest, PayloadTooLarge

FACT = "The auth service listens on port 5433."


@pytest.mark.promise("levels.turn-keeps-both")
def test_a_turn_keeps_the_exchange_verbatim_and_captures_statements(memory: Verbs) -> None:
    reply = memory.turn(f"Hello!  {FACT}", "Noted.", session_id="s")
    assert contents(reply.stored) == [FACT]
    (stored,) = reply.stored
    assert (stored.tier, stored.kind, stored.source) == ("L1", "statement", "rules")
    assert [row.content for row in everything(memory)] == [f"Hello!  {FACT}", "Noted."]
    assert {row.level for row in everything(memory)} == {"L3"}
    assert memory.debt().unconsolidated.raw.units == 2, "a captured statement is no debt"


@pytest.mark.promise("ingest.idempotency-key")
def test_an_idempotency_key_makes_a_turn_safe_to_resend(memory: Verbs) -> None:
    for key in ("", "  ", "a\nb", "x" * 513):
        with pytest.raises(InvalidRequest, match="Idempotency-Key: "):
            memory.turn("Hello!", "Hi.", idempotency_key=key)
    assert everything(memory) == []
    for _ in range(2):
        memory.turn("Hello!", "Hi.", session_id="s", idempotency_key="k")
    assert len(everything(memory)) == 2
    with pytest.raises(Conflict):
        memory.turn("Goodbye!", "Bye.", session_id="s", idempotency_key="k")


@pytest.mark.promise("levels.question-turn")
def test_a_question_turn_is_kept_and_teaches_nothing(memory: Verbs) -> None:
    reply = memory.turn("Is auth.acme.dev still on port 5433?", "Yes.")
    assert (reply.stored, reply.learning_skipped) == ([], "question-turn")
    assert len(everything(memory)) == 2


@pytest.mark.promise("levels.rejected")
def test_what_is_not_learnt_is_named_with_its_reason(memory: Verbs) -> None:
    reply = memory.turn("My API key is sk-proj-abcdefghijklmnopqrstuvwx1234567890.", "ok")
    assert (reply.stored, reply.counts.rejected) == ([], 1)
    assert "secret" in reply.rejected[0].reason
    assert "abcdefghijklmnop" not in reply.rejected[0].content
    outright = memory.store(["just remember this for now", FACT])
    assert contents(outright.stored) == [FACT]
    assert (outright.counts.stored, outright.counts.rejected) == (1, 1)


@pytest.mark.promise("levels.next-block")
def test_a_fact_is_in_the_very_next_block(memory: Verbs) -> None:
    for number in range(5):
        fact = f"The worker-{number} service listens on port {6100 + number}."
        said(memory, fact)
        assert fact in memory.context("hello").text


@pytest.mark.promise("levels.turn-retry")
def test_a_turn_that_is_sent_again_stores_nothing(memory: Verbs) -> None:
    (first,) = said(memory, FACT)
    again = memory.turn(FACT, "Noted.")
    assert (again.stored, [one.id for one in again.merged_into]) == ([], [first.id])
    assert memory.memories().total == 3


@pytest.mark.promise("levels.ingest-captures")
def test_ingest_and_upload_capture_from_user_messages(memory: Verbs) -> None:
    memory.ingest(
        [{"role": "user", "content": FACT}, {"role": "assistant", "content": "x.acme.dev is up."}]
    )
    memory.upload([json.dumps({"content": "The wiki lives at wiki.acme.dev."})])
    captured = memory.memories(kind="statement").memories
    assert set(contents(captured)) == {FACT, "The wiki lives at wiki.acme.dev."}
    memory.ingest([{"role": "user", "content": "The blog lives at blog.acme.dev."}], capture=False)
    assert memory.memories(kind="statement").total == 2


@pytest.mark.promise("levels.captured-access-time")
def test_backfilled_history_does_not_crowd_out_today(memory: Verbs, clock: Clock) -> None:
    said(memory, FACT)
    old = START - 90 * 86_400_000
    memory.ingest(
        [{"role": "user", "content": "The blog lives at blog.acme.dev.", "timestamp": old}]
    )
    lines = memory.context("hello").text.splitlines()
    assert lines[1:] == [f"- {FACT}", "- The blog lives at blog.acme.dev."]
    (blog,) = memory.memories(q="blog", kind="statement").memories
    assert blog.last_accessed_at == old


@pytest.mark.promise("levels.drills-down")
def test_a_statement_leads_to_its_message_and_back(memory: Verbs) -> None:
    (statement,) = said(memory, f"By the way: {FACT}", "s")
    inspected = memory.inspect(statement.id)
    assert [source.content for source in inspected.sources or ()] == [f"By the way: {FACT}"]
    message = (inspected.sources or [])[0]
    up = memory.inspect(message.id)
    assert [row.id for row in up.statements or ()] == [statement.id]


@pytest.mark.promise("levels.folds")
def test_search_shows_a_captured_statement_as_its_message(memory: Verbs) -> None:
    said(memory, FACT)
    rows = memory.search("auth port 5433").memories
    assert [row.kind for row in rows if "5433" in row.content] == ["message"]


@pytest.mark.promise("levels.outright-is-consolidated")
def test_statements_stored_outright_are_consolidated(memory: Verbs) -> None:
    taught(memory, FACT)
    assert memory.debt().unconsolidated.raw.units == 1
    reflect(memory, entry("auth"))
    assert memory.debt().unconsolidated.raw.units == 0


@pytest.mark.promise("levels.restated")
def test_a_restatement_merges_lands_hot_and_is_counted(memory: Verbs, clock: Clock) -> None:
    (held,) = taught(memory, FACT)
    memory.set_level(held.id, "L3")
    clock.advance(minutes=5)
    reply = memory.store(["the auth  service listens on port 5433"])
    assert (reply.stored, [one.id for one in reply.merged_into]) == ([], [held.id])
    assert (reply.counts.merged, reply.counts.promoted) == (1, 1)
    (merged,) = reply.merged_into
    assert (merged.content, merged.tier) == (FACT, "L1")
    assert merged.last_accessed_at == clock.ms


@pytest.mark.promise("levels.fuller")
def test_the_fuller_of_two_is_kept_and_nothing_else_merges(memory: Verbs) -> None:
    (held,) = taught(memory, "The docs live at docs.acme.dev")
    fuller = "The public docs live at docs.acme.dev"
    reply = memory.store([fuller])
    assert [(one.id, one.content) for one in reply.merged_into] == [(held.id, fuller)]
    assert contents(memory.store(["The docs live at docs.acme.dev"]).merged_into) == [fuller]
    for other in (
        "The docs never live at docs.acme.dev",
        "SR-2023-052 is fixed.",
        "SR-2023-053 is fixed.",
    ):
        assert contents(memory.store([other]).stored) == [other]


@pytest.mark.promise("levels.reconcile-false")
def test_without_reconciling_everything_is_kept(memory: Verbs) -> None:
    memory.store([FACT])
    assert contents(memory.store([FACT], reconcile=False).stored) == [FACT]
    assert memory.memories().total == 2


@pytest.mark.promise("levels.seeding-twice")
@pytest.mark.parametrize("count", [120, pytest.param(1_000, marks=pytest.mark.soak)])
def test_a_seed_list_that_is_run_again_stores_nothing_twice(memory: Verbs, count: int) -> None:
    facts = [f"The unit-{number} service listens on port {number}." for number in range(count)]
    for stored in (True, False):
        for first in range(0, count, 500):
            part = facts[first : first + 500]
            counts = memory.store(part).counts
            assert (counts.stored, counts.merged) == ((len(part), 0) if stored else (0, len(part)))
    assert memory.memories().total == count


@pytest.mark.promise("levels.store-bounds")
def test_items_are_1_to_500_of_3_to_4000_characters_and_never_pinned(memory: Verbs) -> None:
    for wrong in ([], [FACT] * 501, ["ab"], ["x" * 4001], [{"content": FACT, "tier": "L0"}]):
        with pytest.raises(InvalidRequest) as refused:
            memory.store(wrong)
        assert refused.value.issues[0].startswith("items")
    assert (
        memory.store([{"content": FACT, "tier": "L2", "domains": ["infra"]}]).stored[0].tier == "L2"
    )


@pytest.mark.promise("levels.turn-size")
def test_a_turn_is_kept_whole_up_to_the_limit_of_a_message(memory: Verbs) -> None:
    with pytest.raises(PayloadTooLarge):
        memory.turn("x" * 200_001, "ok")
    with pytest.raises(InvalidRequest):
        memory.turn("  ", "ok")
