"""Several processes on one vault at once."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import nullcontext
from itertools import chain
from pathlib import Path

import pytest

from tests.support.audit import Audit, check, processes
from tests.support.serving import server_process
from tests.support.worlds import World, hash_embedder
from treering import RemoteVault, Vault
from treering.data_dir import DataDir
from treering.errors import LeaseExpired
from treering.replies import Batch, to_json
from treering.system import System

QUERIES = ("which port does auth use", "turn 7 of b", "nothing of the kind", "zq3")


@pytest.fixture(scope="module")
def pool() -> Iterator[ProcessPoolExecutor]:
    """Three processes that are up."""
    with processes(3) as pool:
        list(pool.map(time.sleep, [0.2] * 3))
        yield pool


def opened(path: Path) -> Vault:
    return Vault.open(path, embedder=hash_embedder())


def open_at(instant: float, path: Path) -> str:
    """Open a vault's file at an instant, write to it, and tell its id."""
    time.sleep(max(0.0, instant - time.time()))
    with opened(path) as vault:
        vault.ingest([{"role": "user", "content": f"hello from {instant}"}], session_id="s")
        return vault.id


def named_at(instant: float, path: Path) -> str:
    """Ask for the only vault of a data directory at an instant, and tell its id."""
    time.sleep(max(0.0, instant - time.time()))
    storage = DataDir(path, hash_embedder(), System())
    try:
        vault_id = storage.vault_named(None).id
        with storage.using(vault_id) as vault:
            return vault.id
    finally:
        storage.close()


def import_lines(path: Path, name: str, count: int) -> int:
    """Upload and ingest in turn; returns how many were stored."""
    stored = 0
    with opened(path) as vault:
        for n in range(0, count, 20):
            lines = [json.dumps({"content": f"turn {k} of {name}"}) for k in range(n, n + 10)]
            stored += vault.upload(lines).stats.processed
            reply = vault.ingest(
                [{"role": "user", "content": f"turn {k} of {name}"} for k in range(n + 10, n + 20)],
                session_id=name,
            )
            stored += reply.stored
    return stored


def consolidate(path: Path, tier: int) -> list[list[str]]:
    """Check out and commit until nothing is left; returns the sources of each batch."""
    batches = []
    with opened(path) as vault:
        while isinstance(batch := vault.checkout(tier, max_tokens=1000), Batch):
            entry = {"text": f"what {batch.batch_id} says", "importance": 5}
            try:
                vault.commit(batch.batch_id, [entry, entry])
            except LeaseExpired:
                continue
            batches.append(batch.source_ids)
    return batches


def test_a_file_made_by_many_at_once_is_one_vault(
    pool: ProcessPoolExecutor, tmp_path: Path
) -> None:
    for attempt in range(5):
        path = tmp_path / str(attempt) / "memory.db"
        instants = [time.time() + 0.05] * 3
        assert len(set(pool.map(open_at, instants, [path] * 3))) == 1
        check(path)


@pytest.mark.soak
def test_a_file_made_by_eight_at_once_is_one_vault(tmp_path: Path) -> None:
    with processes(8) as pool:
        list(pool.map(time.sleep, [1.0] * 8))
        for attempt in range(50):
            path = tmp_path / str(attempt) / "memory.db"
            instants = [time.time() + 0.1] * 8
            assert len(set(pool.map(open_at, instants, [path] * 8))) == 1
            check(path)


def test_a_data_directory_made_by_many_at_once_has_one_default_vault(
    pool: ProcessPoolExecutor, tmp_path: Path
) -> None:
    for attempt in range(4):
        instants = [time.time() + 0.05] * 3
        made = set(pool.map(named_at, instants, [tmp_path / str(attempt)] * 3))
        assert len(made) == 1


@pytest.mark.parametrize("count", [400, pytest.param(20_000, marks=pytest.mark.soak)])
def test_what_one_process_writes_the_next_search_of_another_sees(
    pool: ProcessPoolExecutor, tmp_path: Path, count: int
) -> None:
    with (
        server_process(tmp_path) as server,
        RemoteVault(server.url, server.key) as remote,
        opened(server.vault_file) as local,
    ):
        imports = [pool.submit(import_lines, server.vault_file, name, count) for name in ("a", "b")]
        turns = 0
        while turns < 10 or not all(each.done() for each in imports):
            for writer, reader in ((local, remote), (remote, local)):
                text = f"zq{turns}{'l' if writer is local else 'r'}qz is said once"
                writer.ingest([{"role": "user", "content": text}])
                found = reader.search(text.split()[0], limit=1).memories
                assert [row.content for row in found] == [text]
            turns += 1
        assert [each.result() for each in imports] == [count, count]
        while local.pending_vectors:
            local.wait_filled(1)
        with opened(server.vault_file) as fresh:
            for query in QUERIES:
                same = {to_json(vault.search(query, limit=40)) for vault in (local, remote, fresh)}
                assert len(same) == 1
    with Audit(server.vault_file) as audit:
        audit.check()
        contents = audit.contents()
    assert len(contents) == len(set(contents)) == 2 * count + 2 * turns


@pytest.mark.parametrize("count", [600, pytest.param(20_000, marks=pytest.mark.soak)])
def test_processes_that_consolidate_together_cover_everything_exactly_once(
    pool: ProcessPoolExecutor, tmp_path: Path, count: int
) -> None:
    path = tmp_path / "memory.db"
    with opened(path) as vault:
        for start in range(0, count, 10_000):
            lines = (f'{{"content": "turn {start + n}: {"x" * 100}"}}' for n in range(10_000))
            vault.upload(line for line, _ in zip(lines, range(count - start), strict=False))
        vault.wait_filled()
    workers = 3 if count < 1000 else 8
    with processes(8) if workers == 8 else nullcontext(pool) as used:
        batches = list(chain(*used.map(consolidate, [path] * workers, [1] * workers)))
        batches2 = list(chain(*used.map(consolidate, [path] * workers, [2] * workers)))
    with Audit(path) as audit:
        audit.check()
        total = audit.one("SELECT count(*) FROM memory WHERE tier = 1")
        assert audit.one("SELECT count(*) FROM memory WHERE tier < 3 AND pooled = 1") == 0
        assert audit.one("SELECT count(*) FROM memory WHERE tier = 2") == 2 * len(batches)
    covered = list(chain(*batches))
    assert len(covered) == len(set(covered)) == total == count
    covered2 = list(chain(*batches2))
    assert len(covered2) == len(set(covered2)) == 2 * len(batches)


def test_a_lease_outlives_the_process_that_took_it(world: World, tmp_path: Path) -> None:
    def reopened() -> Vault:
        return Vault.open(tmp_path / "a.db", embedder=hash_embedder(), system=world.system())

    with reopened() as vault:
        vault.ingest([{"role": "user", "content": "one"}, {"role": "user", "content": "two"}])
        taken = vault.checkout(1)
    assert isinstance(taken, Batch)
    with reopened() as vault:
        world.clock.advance(minutes=14.9)
        assert vault.checkout(1).batch_id is None
        world.clock.advance(minutes=0.2)
        again = vault.checkout(1)
        assert isinstance(again, Batch)
        assert again.source_ids == taken.source_ids
        world.clock.advance(minutes=-5)
        with pytest.raises(LeaseExpired):
            vault.commit(taken.batch_id, [{"text": "late", "importance": 1}])
        vault.commit(again.batch_id, [{"text": "in time", "importance": 1}])
