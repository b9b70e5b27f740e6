"""Storage is its owner's alone from the moment it is made."""

from __future__ import annotations

from pathlib import Path

from tests.support.worlds import hash_embedder
from treering.data_dir import DataDir
from treering.system import System


def modes(folder: Path) -> dict[str, int]:
    return {path.name: path.stat().st_mode & 0o777 for path in (folder, *folder.rglob("*"))}


def test_what_is_made_is_the_owners_alone(tmp_path: Path) -> None:
    data_dir = DataDir(tmp_path / "data", hash_embedder(), System())
    vault_id = data_dir.create_key().vault_id
    with data_dir.using(vault_id):
        found = modes(tmp_path / "data")
    data_dir.close()
    assert {"control.db-wal", "control.db-shm", "vaults"} <= set(found)
    assert len(found) >= 8
    assert {name: oct(mode) for name, mode in found.items() if mode & 0o077} == {}
