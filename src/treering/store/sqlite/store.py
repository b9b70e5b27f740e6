"""A vault in one SQLite file."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from treering.errors import StorageUnusable
from treering.store.base import VaultMeta, check_embedder
from treering.store.sqlite.database import Database
from treering.store.sqlite.reader import SqliteReader
from treering.store.sqlite.writer import SqliteWriter


class SqliteVaultStore:
    """One vault's file; see `store.base.VaultStore`.

    A new file becomes the vault that `new` describes; a file that holds one keeps its own.
    """

    def __init__(self, path: Path, new: VaultMeta) -> None:
        self._database = Database(path, "vault")
        try:
            with self._database.writing() as connection:
                connection.execute(
                    "INSERT OR IGNORE INTO vault (one, vault_id, created, embedder, dims) "
                    "VALUES (1, ?, ?, ?, ?)",
                    (new.vault_id, new.created, new.embedder, new.dims),
                )
                row = connection.execute(
                    "SELECT vault_id, created, embedder, dims FROM vault"
                ).fetchone()
        except BaseException:
            self._database.close()
            raise
        if row is None:
            raise StorageUnusable(f"{path} describes no vault")
        self._meta = VaultMeta(*row)

    @property
    def meta(self) -> VaultMeta:
        return self._meta

    @contextmanager
    def read(self) -> Iterator[SqliteReader]:
        with self._database.reading() as connection:
            yield SqliteReader(connection)

    @contextmanager
    def write(self) -> Iterator[SqliteWriter]:
        with self._database.writing() as connection:
            writer = SqliteWriter(connection)
            check_embedder(writer.head().embedder, self._meta.embedder)
            yield writer

    def change_embedder(self, name: str, dims: int) -> None:
        with self._database.writing() as connection:
            connection.execute("UPDATE passage SET vector = NULL")
            connection.execute(
                "UPDATE vault SET embedder = ?, dims = ?, epoch = epoch + 1, change = change + 1",
                (name, dims),
            )
        self._meta = replace(self._meta, embedder=name, dims=dims)

    def erase(self) -> bool:
        return self._database.truncate_log()

    def close(self) -> None:
        self._database.close()
