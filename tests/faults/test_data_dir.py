"""Many vaults behind few open ones, under threads."""

from __future__ import annotations

import random
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tests.support.worlds import hash_embedder
from treering import open_vaults as module
from treering.data_dir import DataDir
from treering.errors import Conflict, StorageUnusable
from treering.requests import UsageRequest
from treering.system import System
from treering.vault import Vault


def opened(path: Path, index_bytes: int = 2 << 30) -> DataDir:
    return DataDir(path, hash_embedder(), System(), index_bytes)


def new_vaults(storage: DataDir, count: int) -> list[str]:
    return [storage.create_key(name=f"v{n}").vault_id for n in range(count)]


def test_a_key_that_cannot_be_made_leaves_no_vault(tmp_path: Path) -> None:
    storage = opened(tmp_path)
    storage.create_key(name="a", secret="mk_user-123")
    with pytest.raises(Conflict):
        storage.create_key(name="a", secret="mk_user-123")
    assert [vault.name for vault in storage.vaults()] == ["a"]
    storage.close()


def test_a_damaged_vault_is_named_beside_the_usage_of_the_others(tmp_path: Path) -> None:
    storage = opened(tmp_path)
    whole, damaged, unused = new_vaults(storage, 3)
    (account_id,) = {vault.account_id for vault in storage.vaults()}
    with storage.using(whole) as vault:
        vault.ingest([{"role": "user", "content": "hello there"}])
    storage.file_of(damaged).write_bytes(b"no database" * 1000)
    usage = storage.account_usage(account_id, UsageRequest())
    assert usage.unreadable == [damaged]
    assert usage.by_vault is not None
    assert (usage.by_vault[whole].tokens, usage.by_vault[unused].tokens) == (3, 0)
    assert not storage.file_of(unused).exists()
    storage.close()


def test_few_stay_open_and_a_vault_in_use_is_never_closed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "_MAX_OPEN_VAULTS", 3)
    storage = opened(tmp_path)
    vaults = new_vaults(storage, 12)
    guard = threading.Lock()
    in_use: dict[int, int] = {}
    closed: list[Vault] = []
    close = Vault.close

    def checked(vault: Vault) -> None:
        with guard:
            assert not in_use.get(id(vault)), "closed while in use"
            closed.append(vault)
        close(vault)

    monkeypatch.setattr(Vault, "close", checked)

    def use(number: int) -> None:
        rng = random.Random(number)
        for n in range(25):
            vault_id = rng.choice(vaults)
            with storage.using(vault_id) as vault:
                with guard:
                    in_use[id(vault)] = in_use.get(id(vault), 0) + 1
                assert vault.id == vault_id
                vault.ingest([{"role": "user", "content": f"{number} said {n}"}])
                assert vault.search(f"{number} said {n}").count > 0
                with guard:
                    in_use[id(vault)] -= 1
            storage.health()

    with ThreadPoolExecutor(6) as pool:
        list(pool.map(use, range(6)))
    assert closed
    for vault_id in vaults[:4]:
        with storage.using(vault_id) as vault:
            vault.wait_filled(10)
    assert len(storage._vaults._vaults) <= 4
    total = 0
    for vault_id in vaults:
        with storage.using(vault_id) as vault:
            total += vault.stats().memories
    assert total == 6 * 25
    storage.close()


def test_indexes_of_idle_vaults_make_room(tmp_path: Path) -> None:
    storage = opened(tmp_path, index_bytes=1)
    first, second = new_vaults(storage, 2)
    for vault_id in (first, second):
        with storage.using(vault_id) as vault:
            vault.ingest([{"role": "user", "content": "the sea is calm"}])
            vault.search("sea")
            assert vault.index_bytes > 0
    with storage.using(second) as vault:
        assert vault.index_bytes > 0
        with storage.using(first) as other:
            assert other.index_bytes == 0
            assert other.search("sea").count == 1
    storage.close()


def test_the_index_may_be_weighed_and_dropped_while_it_is_searched(tmp_path: Path) -> None:
    storage = opened(tmp_path)
    (vault_id,) = new_vaults(storage, 1)
    stop = threading.Event()

    def disturb() -> None:
        with storage.using(vault_id) as vault:
            while not stop.is_set():
                assert vault.index_bytes >= 0
                vault.drop_index()

    def use(number: int) -> None:
        for n in range(30):
            with storage.using(vault_id) as vault:
                vault.ingest([{"role": "user", "content": f"zq{number}x{n}qz and more"}])
                found = vault.search(f"zq{number}x{n}qz", limit=1).memories
                assert found[0].content == f"zq{number}x{n}qz and more"

    with ThreadPoolExecutor(4) as pool:
        disturbing = pool.submit(disturb)
        try:
            list(pool.map(use, range(3)))
        finally:
            stop.set()
        disturbing.result()
    storage.close()


def test_a_vault_that_cannot_be_opened_is_named_and_holds_up_no_other(tmp_path: Path) -> None:
    storage = opened(tmp_path)
    broken, sound = new_vaults(storage, 2)
    storage.file_of(broken).parent.mkdir(exist_ok=True)
    storage.file_of(broken).write_text("no database at all " * 100)
    with pytest.raises(StorageUnusable), storage.using(broken):
        pass
    storage.resume()
    with storage.using(sound) as vault:
        assert vault.ingest([{"role": "user", "content": "works"}]).stored == 1
    assert [broken in problem for problem in storage.health().problems] == [True]
    storage.close()


def test_open_vaults_hold_few_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_MAX_OPEN_VAULTS", 4)
    storage = opened(tmp_path)
    vaults = new_vaults(storage, 8)

    def use(vault_id: str) -> None:
        with storage.using(vault_id) as vault:
            vault.ingest([{"role": "user", "content": "a word"}])
            vault.search("word")

    with ThreadPoolExecutor(12) as pool:
        list(pool.map(use, vaults * 6))
    for vault_id in vaults:
        with storage.using(vault_id) as vault:
            vault.wait_filled(10)
    held = [path for path in _open_files() if path.startswith(str(tmp_path / "vaults"))]
    assert len(held) <= 7 * 5
    storage.close()
    assert not [path for path in _open_files() if path.startswith(str(tmp_path))]


def _open_files() -> list[str]:
    return [str(each.resolve()) for each in Path("/proc/self/fd").iterdir()]
