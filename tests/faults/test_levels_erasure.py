"""What quotes a deleted memory is erased with it: builds, contradictions, earlier texts, gists."""

from __future__ import annotations

import random
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import pytest

from tests.support.audit import check, found_in_files, processes
from tests.support.worlds import World, hash_embedder
from treering import Vault


@pytest.fixture(scope="module")
def elsewhere() -> Iterator[ProcessPoolExecutor]:
    """A process that has no vault open."""
    with processes(1) as pool:
        yield pool


@pytest.fixture
def vault(tmp_path: Path) -> Iterator[Vault]:
    system = World().system()
    with Vault.open(tmp_path / "m.db", embedder=hash_embedder(), system=system) as opened:
        yield opened


def left(elsewhere: ProcessPoolExecutor, folder: Path, *markers: str) -> list[str]:
    return elsewhere.submit(found_in_files, folder, markers).result()


@pytest.mark.promise("levels.scrubbed")
def test_a_delete_scrubs_whatever_quotes_the_memory(
    vault: Vault, tmp_path: Path, elsewhere: ProcessPoolExecutor
) -> None:
    vault.turn("The xyzzy1-api service listens on port 5433.", "ok")
    (first,) = vault.memories(kind="statement").memories
    vault.turn("The xyzzy1-api service listens on port 6000.", "ok")
    vault.edit(first.id, content="The xyzzy1-api service listens on port 7777, said plugh2.")
    vault.edit(first.id, gist="about frotz3", domains=["infra"])
    vault.context("Is xyzzy1-api up?")
    vault.context("hi")
    assert left(elsewhere, tmp_path, "xyzzy1-api", "plugh2", "frotz3", "5433") == [
        "xyzzy1-api", "plugh2", "frotz3", "5433",
    ]  # fmt: skip
    ids = [one.id for one in vault.memories(limit=500).memories]
    assert vault.delete(ids).erasure == "done"
    assert left(elsewhere, tmp_path, "xyzzy1", "plugh2", "frotz3", "5433") == []
    assert vault.tensions().tensions == []
    newest, first_build = vault.builds().builds
    assert (newest.text, first_build.text, first_build.identifiers) == ("", "", [])
    assert [one.id for one in first_build.entries or []] == [None] * len(first_build.entries or [])
    assert first_build.total_tokens > 0, "the numbers stay"
    check(tmp_path / "m.db")


@pytest.mark.promise("levels.scrubbed")
def test_a_message_that_goes_takes_only_its_own_words_along(
    vault: Vault, tmp_path: Path, elsewhere: ProcessPoolExecutor
) -> None:
    vault.turn("The docs live at docs.acme.dev.", "ok")
    vault.turn("The grueblenix docs live at docs.acme.dev.", "ok")
    vault.context("docs.acme.dev?")
    (held,) = vault.memories(kind="statement").memories
    assert "grueblenix" in held.content
    gone = [one.id for one in vault.memories(kind="message", q="grueblenix").memories]
    vault.delete(gone)
    assert vault.memory(held.id).content == "The docs live at docs.acme.dev."
    assert left(elsewhere, tmp_path, "grueblenix") == []
    check(tmp_path / "m.db")


@pytest.mark.promise("levels.scrubbed")
def test_a_deleted_contradiction_and_a_wiped_vault_leave_nothing(
    vault: Vault, tmp_path: Path, elsewhere: ProcessPoolExecutor
) -> None:
    made = vault.open_tension("claim xyzzy5", "claim plugh6", actionable_question="frotz7?")
    vault.context("hi")
    vault.resolve_tension(made.id, "Ada gnusto8")
    vault.drop_tension(made.id)
    assert left(elsewhere, tmp_path, "xyzzy5", "plugh6", "frotz7", "gnusto8") == []
    vault.record_outcome("rezrov9", False, failure_pattern="frob10")
    vault.store([{"content": "nitfol11 lives at nitfol11.dev", "domains": ["melbor12"]}])
    vault.context("nitfol11.dev")
    vault.wipe()
    assert left(elsewhere, tmp_path, "rezrov9", "frob10", "nitfol11", "melbor12") == []
    assert (vault.builds().builds, vault.self_model().domains) == ([], {})
    check(tmp_path / "m.db")


@pytest.mark.promise("levels.scrubbed")
def test_many_deletes_among_many_builds_leave_nothing(
    vault: Vault, tmp_path: Path, elsewhere: ProcessPoolExecutor
) -> None:
    dice = random.Random(7)
    live: dict[str, str] = {}
    gone: list[str] = []
    for step in range(240):
        marker = f"<{step:06d}>"
        act = dice.random()
        if act < 0.5 or not live:
            content = f"{marker} unit-{step} listens at host{step}.acme.dev " + "w " * (step % 90)
            live[vault.store([content]).stored[0].id] = marker
        elif act < 0.7:
            held = dice.choice(list(live))
            vault.edit(held, content=f"{live[held]} moved to host{step}.acme.dev", gist=live[held])
        elif act < 0.85:
            vault.context(f"host{dice.randrange(step)}.acme.dev", max_tokens=dice.choice([50, 900]))
        else:
            held = dice.choice(list(live))
            gone.append(live.pop(held))
            vault.forget(held)
    assert left(elsewhere, tmp_path, *gone) == []
    assert left(elsewhere, tmp_path, *live.values()) == list(live.values())
    check(tmp_path / "m.db")
