"""Storage that cannot be used: said clearly, with the path and the way out, and left untouched."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import apsw
import pytest

from tests.support.worlds import hash_embedder
from treering import Vault
from treering.data_dir import DataDir
from treering.errors import StorageFailure, StorageUnusable
from treering.system import System


def opened(path: Path) -> Vault:
    return Vault.open(path, embedder=hash_embedder())


def no_database(path: Path) -> None:
    path.write_text("My diary. Nobody's database. " * 200)


def anothers_database(path: Path) -> None:
    with apsw.Connection(str(path)) as connection:
        connection.execute("CREATE TABLE song (title TEXT); INSERT INTO song VALUES ('Ganz leise')")
    connection.close()


def control_plane(path: Path) -> None:
    DataDir(path.parent, hash_embedder(), System()).close()
    (path.parent / "control.db").rename(path)


def newer_vault(path: Path) -> None:
    opened(path).close()
    connection = apsw.Connection(str(path))
    connection.pragma("user_version", 99)
    connection.close()


def damaged_vault(path: Path) -> None:
    with opened(path) as vault:
        vault.ingest([{"role": "user", "content": "here today"}])
    raw = bytearray(path.read_bytes())
    raw[100:4096] = b"\xff" * 3996
    path.write_bytes(raw)


@pytest.mark.parametrize(
    ("make", "way_out"),
    [
        (no_database, "backup"),
        (anothers_database, "another file"),
        (control_plane, "another file"),
        (newer_vault, "upgrade"),
        (damaged_vault, "backup"),
    ],
)
def test_a_file_that_is_no_vault_is_refused_and_left_as_it_is(
    tmp_path: Path, make: Callable[[Path], None], way_out: str
) -> None:
    path = tmp_path / "memory.db"
    make(path)
    before = path.read_bytes()
    with pytest.raises(StorageUnusable) as refused:
        opened(path)
    assert str(path) in refused.value.message
    assert way_out in refused.value.message
    assert path.read_bytes() == before


def test_a_folder_that_cannot_be_made_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(StorageUnusable) as refused:
        opened(tmp_path / "file" / "vaults" / "memory.db")
    assert str(tmp_path / "file" / "vaults") in refused.value.message
    assert "TREERING_DATA_DIR" in refused.value.message


def test_a_folder_in_the_place_of_the_file_is_named(tmp_path: Path) -> None:
    (tmp_path / "memory.db").mkdir()
    with pytest.raises(StorageUnusable, match=r"memory\.db"):
        opened(tmp_path / "memory.db")


def test_a_file_that_may_only_be_read_is_refused_and_left_as_it_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "memory.db"
    with opened(path) as vault:
        vault.ingest([{"role": "user", "content": "kept"}])
    before = path.read_bytes()
    path.chmod(0o444)
    if os.access(path, os.W_OK):
        # The superuser may write anything; SQLite refuses in the same words when told to.
        connect = apsw.Connection
        monkeypatch.setattr(
            apsw, "Connection", lambda name: connect(name, apsw.SQLITE_OPEN_READONLY)
        )
    with pytest.raises(StorageUnusable) as refused:
        opened(path)
    assert str(path) in refused.value.message
    assert "writable" in refused.value.message
    assert path.read_bytes() == before


def test_a_full_disk_fails_the_write_and_keeps_what_was_there(tmp_path: Path) -> None:
    path = tmp_path / "memory.db"
    with opened(path) as vault:
        vault.ingest([{"role": "user", "content": "kept"}])
        writer = vault._store._database._writer  # type: ignore[attr-defined] # to make it fail
        pages = writer.pragma("page_count")
        writer.pragma("max_page_count", pages + 2)
        with pytest.raises(StorageFailure, match="full"):
            vault.ingest([{"role": "user", "content": f"too much {n} " * 300} for n in range(50)])
        assert vault.stats().memories == 1
        writer.pragma("max_page_count", 1 << 30)
        assert vault.ingest([{"role": "user", "content": "fits again"}]).stored == 1
    with opened(path) as vault:
        assert vault.stats().memories == 2


def test_a_closed_vault_refuses_instead_of_opening_its_file_again(tmp_path: Path) -> None:
    vault = opened(tmp_path / "memory.db")
    vault.close()
    for use in (vault.stats, lambda: vault.ingest([{"role": "user", "content": "late"}])):
        with pytest.raises(StorageFailure):
            use()
    assert not list(tmp_path.glob("*-wal"))
