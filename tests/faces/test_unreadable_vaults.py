"""Few vaults are open, and one that cannot be read fails no other."""

from __future__ import annotations

from pathlib import Path

import pytest
from fastapi import FastAPI

from tests.faces.asgi import called, never
from tests.support.worlds import World, hash_embedder
from treering.data_dir import DataDir
from treering.descriptors import vaults_within
from treering.errors import StorageUnusable
from treering.health import Health
from treering.open_vaults import _ceilings


@pytest.mark.parametrize(
    ("descriptors", "vaults"), [(256, 12), (64, 8), (1024, 48), (65_536, 3120)]
)
def test_vaults_get_a_third_of_the_files(descriptors: int, vaults: int) -> None:
    assert vaults_within(descriptors) == vaults


def test_few_files_mean_few_open_vaults() -> None:
    assert _ceilings(12) == (12, 18)
    assert _ceilings(3120) == (64, 96)


def test_health_names_no_vault(app: FastAPI, data_dir: DataDir) -> None:
    broken = data_dir.create_key().vault_id
    data_dir.file_of(broken).parent.mkdir(exist_ok=True)
    data_dir.file_of(broken).write_text("no database at all " * 100)
    with pytest.raises(StorageUnusable), data_dir.using(broken):
        pass
    status, _, body = called(app, never, "GET", "/health")
    assert (status, body["ok"], body["problems"]) == (200, False, ["1 vault cannot be used"])
    assert Health(["a", "b"], ["c"], 0).summary == [
        "2 vaults cannot be used", "1 vault cannot be given vectors",
    ]  # fmt: skip


def fill_with_junk(data_dir: DataDir, vault_id: str) -> None:
    for file in data_dir.path.glob(f"vaults/{vault_id}.db*"):
        file.write_bytes(b"no database at all " * 10_000)


@pytest.mark.promise("health.unreadable")
def test_an_open_vault_that_becomes_unreadable_is_reported(app: FastAPI, data_dir: DataDir) -> None:
    broken, well = data_dir.create_key(), data_dir.create_key()
    for key in (broken, well):
        with data_dir.using(key.vault_id) as vault:
            vault.ingest([{"role": "user", "content": "hello"}])
    fill_with_junk(data_dir, broken.vault_id)
    status, _, body = called(app, never, "GET", "/health")
    assert (status, body["ok"], body["problems"]) == (200, False, ["1 vault cannot be used"])
    assert data_dir.health().problems == [f"vault {broken.vault_id}: cannot be used"]
    assert called(app, never, "GET", "/v1/memory/stats", well.key)[0] == 200


@pytest.mark.promise("health.unreadable")
def test_an_unreadable_vault_is_closed_in_its_turn_and_fails_no_other(
    world: World, tmp_path: Path
) -> None:
    data_dir = DataDir(tmp_path, hash_embedder(), world.system(), open_vaults=2)
    broken, *well = (data_dir.create_key().vault_id for _ in range(3))
    with data_dir.using(broken):
        pass
    fill_with_junk(data_dir, broken)
    for vault_id in well:
        with data_dir.using(vault_id) as vault:
            assert vault.stats().memories == 0
    assert list(data_dir._vaults._vaults) == well
    data_dir.close()


@pytest.mark.promise("health.unreadable")
def test_an_unreadable_vault_keeps_no_other_from_being_resumed(data_dir: DataDir) -> None:
    broken, well = (data_dir.create_key().vault_id for _ in range(2))
    with data_dir.using(broken):
        pass
    fill_with_junk(data_dir, broken)
    while data_dir._vaults._visit_next() is False:
        pass
    assert data_dir._vaults._vaults.keys() == {broken, well}
