"""An embedder that fails, and two that differ: words still find, and vectors are never mixed."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from tests.support.audit import Audit
from tests.support.worlds import World, hash_embedder
from treering import Vault
from treering.data_dir import DataDir
from treering.errors import EmbedderMismatch, NotReady
from treering.replies import Batch
from treering.retrieval.embedder import Embedder, EmbedderSpec, open_embedder
from treering.retrieval.embedder.base import EmbedderError
from treering.retrieval.vectors import quantise
from treering.system import System
from treering.vault import background, embedding


class Flaky:
    """An embedder that works while it is told to."""

    def __init__(self, error: type[Exception] = EmbedderError, beneath: str = "hash-384") -> None:
        self.works = True
        self.calls = 0
        self._error = error
        self._beneath = open_embedder(EmbedderSpec(name=beneath))
        self.name, self.dims = self._beneath.name, self._beneath.dims

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        self.calls += 1
        if not self.works:
            raise self._error("the model is down")
        return self._beneath.embed(texts)

    def close(self) -> None:
        self._beneath.close()


@pytest.fixture(autouse=True)
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(background, "_FIRST_WAIT_S", 0.01)
    monkeypatch.setattr(embedding, "REST_S", 0.0)


def said(*texts: str) -> list[dict[str, str]]:
    """Messages of the assistant, from which no statements are captured."""
    return [{"role": "assistant", "content": text} for text in texts]


class Held(Flaky):
    """An embedder that says when it is asked in the background, and answers when it is let."""

    def __init__(self) -> None:
        super().__init__()
        self.asked, self.let = threading.Event(), threading.Event()

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        if self.works and threading.current_thread().name == "treering-embed":
            self.asked.set()
            assert self.let.wait(20)
        return super().embed(texts)


def test_a_vector_never_lands_on_a_text_that_was_changed_meanwhile(tmp_path: Path) -> None:
    held = Held()
    with Vault.open(tmp_path / "a.db", embedder=held) as vault:
        held.works = False
        (stored,) = vault.store(["The docs live at docs.acme.dev."]).stored
        held.works = True
        assert held.asked.wait(20)
        vault.edit(stored.id, content="Lunch is at noon.")
        held.let.set()
        vault.wait_filled()
    with Audit(tmp_path / "a.db") as audit:
        expected = quantise(hash_embedder().embed(["Lunch is at noon."]))
        assert audit.rows("SELECT vector FROM passage") == [(expected[0],)]
        assert audit.one("SELECT pending FROM vault") == 0


def test_what_an_upload_made_fuller_gets_its_vector(tmp_path: Path) -> None:
    with Vault.open(tmp_path / "a.db", embedder=hash_embedder()) as vault:
        vault.store(["The docs live at docs.acme.dev."])
        vault.upload(['{"content": "The public docs live at docs.acme.dev."}'])
        vault.wait_filled()
        assert vault.memories(kind="statement").total == 1
        assert vault.stats().pending_vectors == 0


def test_without_its_embedder_a_vault_stores_and_finds_by_words(tmp_path: Path) -> None:
    flaky = Flaky()
    with Vault.open(tmp_path / "a.db", embedder=flaky) as vault:
        flaky.works = False
        stored = vault.ingest(said("auth listens on port 5433", "lunch is at noon"))
        assert (stored.stored, stored.pending_vectors) == (2, 2)
        assert vault.upload(['{"content": "the river is high"}']).stats.processed == 1
        assert vault.search("port 5433", limit=1).memories[0].id == stored.ids[0]
        assert "5433" in vault.prepare(said("which port has auth?")).context
        found = vault.date_search("2020-01-01", query="river").memories
        assert [row.content for row in found] == ["the river is high"]
        assert vault.failures > 0
        assert vault.stats().pending_vectors == 3

        batch = vault.checkout(1)
        assert isinstance(batch, Batch)
        entry = {"text": "Auth has a port.", "importance": 5}
        with pytest.raises(NotReady):
            vault.commit(batch.batch_id, [entry])
        flaky.works = True
        assert vault.commit(batch.batch_id, [entry]).sources_consolidated == 3
        vault.wait_filled(20)
        assert vault.stats().pending_vectors == 0
    with Audit(tmp_path / "a.db") as audit:
        audit.check()


@pytest.mark.parametrize("error", [EmbedderError, RuntimeError, MemoryError])
def test_whatever_an_embedder_raises_the_work_behind_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, error: type[Exception]
) -> None:
    monkeypatch.setattr(embedding, "REQUEST_BUDGET_S", 0.0)
    flaky = Flaky(error)
    flaky.works = False
    with Vault.open(tmp_path / "a.db", embedder=flaky) as vault:
        vault.ingest(said("one", "two"))
        vault.wait_filled(0.2)
        assert vault.failures > 0
        assert vault.pending_vectors == 2
        flaky.works = True
        vault.wait_filled(20)
        assert vault.pending_vectors == 0


def test_health_tells_of_the_vault_whose_vectors_fail(tmp_path: Path) -> None:
    flaky = Flaky()
    storage = DataDir(tmp_path, flaky, System())
    vault_id = storage.vault_named(None).id
    flaky.works = False
    with storage.using(vault_id) as vault:
        vault.ingest(said("one"))
    health = storage.health()
    assert health.pending_vectors == 1
    assert [vault_id in problem for problem in health.problems] == [True]
    flaky.works = True
    with storage.using(vault_id) as vault:
        vault.wait_filled(20)
    assert storage.health().problems == []
    storage.close()


def test_requests_do_not_wait_again_and_again_for_an_embedder_that_is_down(
    world: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(embedding, "REST_S", 3600.0)
    monkeypatch.setattr(background, "_FIRST_WAIT_S", 3600.0)
    flaky = Flaky()
    flaky.works = False
    with Vault.open(tmp_path / "a.db", embedder=flaky, system=world.system()) as vault:
        for n in range(20):
            vault.search(f"anything {n}")
        assert flaky.calls == 1


def test_what_was_pending_is_filled_in_by_the_next_process(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    flaky = Flaky()
    flaky.works = False
    with Vault.open(tmp_path / "a.db", embedder=flaky) as vault:
        vault.ingest(said(*(f"message {n}" for n in range(100))))
    flaky.works = True
    with Vault.open(tmp_path / "a.db", embedder=flaky) as vault:
        vault.wait_filled(20)
        assert vault.pending_vectors == 0


class Slow:
    """An embedder that computes as many batches as it is let."""

    def __init__(self, beneath: Embedder, batches: int) -> None:
        self._beneath = beneath
        self._left = threading.Semaphore(batches)
        self.name, self.dims = beneath.name, beneath.dims

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        if not self._left.acquire(blocking=False):
            raise EmbedderError("stopped here")
        return self._beneath.embed(texts)

    def close(self) -> None:
        self._beneath.close()


def test_two_embedders_are_never_mixed(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    other = open_embedder(EmbedderSpec(name="hash-256"))
    with Vault.open(path, embedder=hash_embedder()) as old:
        old.ingest(said(*(f"message {n} about topic {n % 7}" for n in range(150))))
        with pytest.raises(EmbedderMismatch, match="treering reembed"):
            Vault.open(path, embedder=other)

        with Vault.open(path, embedder=Slow(other, 4), reembed=True) as moving:
            for verb in (lambda: moving.ingest(said("early")), lambda: moving.search("early")):
                with pytest.raises(EmbedderMismatch):
                    verb()
            assert old.search("topic 3").count == 10
            moving.reembed()
            moving.wait_filled(0.3)
            assert 0 < moving.pending_vectors < 150
            assert moving.embedder == "hash-256"

        for use in (lambda: old.ingest(said("late")), lambda: old.search("topic 3")):
            with pytest.raises(EmbedderMismatch, match="hash-256"):
                use()
    with pytest.raises(EmbedderMismatch):
        Vault.open(path, embedder=hash_embedder())

    with Vault.open(path, embedder=other) as resumed:
        resumed.wait_filled(20)
        assert resumed.pending_vectors == 0
        again = resumed.search("message 77 about topic 0").memories
    with Audit(path) as audit:
        audit.check()
        assert audit.rows("SELECT DISTINCT length(vector) FROM passage") == [(256,)]
    with Vault.open(tmp_path / "b.db", embedder=other) as fresh:
        fresh.ingest(said(*(f"message {n} about topic {n % 7}" for n in range(150))))
        found = fresh.search("message 77 about topic 0").memories
    assert [row.content for row in found] == [row.content for row in again]
