"""A statement and the messages that said it: whichever of them goes, what others said stays."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.conformance.levels.steps import contents, said, taught
from tests.conformance.steps import checked_out, store
from tests.support.audit import Audit
from tests.support.worlds import Clock
from treering import Vault, Verbs
from treering.replies import LeveledMemory

AUTH = "The auth service listens on port 5433."


def statements(memory: Verbs) -> list[LeveledMemory]:
    return memory.memories(kind="statement").memories


@pytest.mark.promise("levels.said-elsewhere")
def test_a_wiped_session_takes_nothing_that_another_session_says(memory: Verbs) -> None:
    said(memory, AUTH, session_id="a")
    said(memory, AUTH, session_id="b")
    (held,) = statements(memory)
    memory.wipe(session_id="a")
    (kept,) = statements(memory)
    assert (kept.id, kept.content, kept.session_id) == (held.id, AUTH, "b")
    assert AUTH in memory.context("hi").text
    memory.wipe(session_id="b")
    assert statements(memory) == []


@pytest.mark.promise("levels.said-elsewhere")
def test_what_was_stored_outright_in_one_session_and_said_in_another_stays(memory: Verbs) -> None:
    for say_again in (
        lambda: said(memory, AUTH, session_id="b"),
        lambda: memory.store([AUTH], session_id="b"),
    ):
        memory.store([AUTH], session_id="a")
        say_again()
        memory.wipe(session_id="a")
        assert contents(statements(memory)) == [AUTH]
        memory.wipe()


@pytest.mark.promise("levels.said-elsewhere")
def test_a_wiped_session_leaves_what_a_person_edited(memory: Verbs) -> None:
    (held,) = said(memory, AUTH, session_id="a")
    memory.edit(held.id, content="Auth is on port 7000.")
    memory.wipe(session_id="a")
    (kept,) = statements(memory)
    assert (kept.content, kept.session_id) == ("Auth is on port 7000.", None)


@pytest.mark.promise("levels.outlives")
def test_a_statement_that_outlives_its_message_is_raw_memory_like_any_other(
    memory: Verbs, clock: Clock
) -> None:
    said(memory, AUTH)
    taught(memory, AUTH)
    clock.advance(seconds=1)
    messages = [one.id for one in memory.memories(kind="message").memories]
    assert [row.content for row in memory.date_search("2020-01-01").memories].count(AUTH) == 1
    memory.delete(messages)
    (kept,) = statements(memory)
    assert [row.id for row in memory.date_search("2020-01-01").memories] == [kept.id]
    assert memory.debt().unconsolidated.raw.units == 1
    assert [row.text for row in checked_out(memory).memories] == [AUTH]


@pytest.mark.promise("levels.outlives")
def test_an_edited_statement_stays_beside_its_message_in_no_search_by_time(memory: Verbs) -> None:
    (held,) = said(memory, AUTH)
    memory.edit(held.id, content="Auth is on port 7000.")
    for query in (None, "auth port 7000"):
        found = memory.date_search("2020-01-01", query=query)
        assert held.id not in {row.id for row in found.memories}


@pytest.mark.promise("levels.fuller-kept")
def test_a_message_that_says_it_in_full_and_in_short_backs_it_in_full(memory: Verbs) -> None:
    full, short = "The public docs live at docs.acme.dev.", "The docs live at docs.acme.dev."
    said(memory, f"{full} {short}")
    (held,) = statements(memory)
    assert held.content == full
    rows = memory.search("docs.acme.dev").memories
    assert held.id not in {row.id for row in rows}, "it folds into its message"
    (other,) = store(memory, short)
    memory.delete([other])
    assert contents(statements(memory)) == [full]


@pytest.mark.promise("levels.pinned-as-chosen")
def test_a_fuller_text_never_rewrites_what_is_pinned(memory: Verbs) -> None:
    (held,) = taught(memory, "The docs live at docs.acme.dev.")
    memory.set_level(held.id, "L0")
    fuller = "The docs live at docs.acme.dev " + "and they are the public ones " * 100
    memory.store([fuller.strip() + "."])
    assert memory.memory(held.id).content == held.content
    assert len(statements(memory)) == 2


@pytest.mark.promise("levels.seeding-twice")
def test_a_seed_list_over_what_was_captured_is_kept_once(vault: Vault, tmp_path: Path) -> None:
    vault.turn(AUTH, "ok")
    for _ in range(4):
        assert vault.store([AUTH, "Auth service listens on port 5433"]).counts.stored == 0
    with Audit(tmp_path / "memory.db") as audit:
        assert audit.one("SELECT count(*) FROM wording") == 2
