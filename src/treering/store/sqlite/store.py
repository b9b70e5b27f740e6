"""A vault in one SQLite file."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import cast

from treering.errors import StorageUnusable
from treering.store.base import Residue, VaultMeta, check_embedder
from treering.store.sqlite.database import Database
from treering.store.sqlite.levels_reader import SqliteLevelsReader
from treering.store.sqlite.levels_writer import SqliteLevelsWriter
from treering.store.sqlite.residue import residue

_FEWEST_EMPTIED, _EMPTIED_SHARE = 2_000, 2
"""The file is built anew once this many memories, and half as many as live, were deleted."""


class SqliteVaultStore:
    """One vault's file; see `store.base.VaultStore`.

    A new file becomes the vault that `new` describes; a file that holds one keeps its own. While
    its vectors are of another model than `new` names, nothing can be written but that change.
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
        self._embedder = new.embedder

    @property
    def meta(self) -> VaultMeta:
        return self._meta

    @contextmanager
    def read(self) -> Iterator[SqliteLevelsReader]:
        with self._database.reading() as connection:
            yield SqliteLevelsReader(connection)

    @contextmanager
    def write(self) -> Iterator[SqliteLevelsWriter]:
        with self._database.writing() as connection:
            writer = SqliteLevelsWriter(connection)
            check_embedder(writer.head().embedder, self._embedder)
            yield writer

    def change_embedder(self, name: str, dims: int) -> None:
        with self._database.writing() as connection:
            connection.execute("UPDATE passage SET vector = NULL")
            connection.execute(
                "UPDATE vault SET embedder = ?, dims = ?, epoch = epoch + 1, change = change + 1",
                (name, dims),
            )
        self._meta = replace(self._meta, embedder=name, dims=dims)
        self._embedder = name

    def erase(self) -> bool:
        _, deleted, _, moved = self._erasing()
        if moved or not self._database.truncate_log():
            return False
        with self._database.writing() as connection:
            connection.execute("UPDATE vault SET erased = ?1 WHERE erased < ?1", (deleted,))
        return True

    def owes_erasure(self) -> bool:
        _, deleted, erased, moved = self._erasing()
        return deleted > erased or moved > 0

    def residue(self, texts: Sequence[str]) -> Residue:
        with self._database.reading() as connection:
            return residue(connection, self._database.path, texts)

    def wants_compaction(self) -> bool:
        emptied, _, _, moved = self._erasing()
        if moved or emptied < _FEWEST_EMPTIED:
            return moved > 0
        with self.read() as reader:
            return emptied > sum(tally.count for tally in reader.tallies()) // _EMPTIED_SHARE

    def compact(self) -> None:
        with self._database.writing() as connection:
            connection.execute("DELETE FROM body WHERE memory IN (SELECT memory FROM tombstone)")
            connection.execute("DELETE FROM wording WHERE content = ''")
            connection.execute("DELETE FROM prose WHERE content = ''")
            connection.execute("DELETE FROM tombstone")
            connection.execute(
                "UPDATE vault SET emptied = 0, moved = 1, epoch = epoch + 1, change = change + 1, "
                "deleted = change + 1"
            )
        self._database.vacuum()
        with self._database.writing() as connection:
            connection.execute("UPDATE vault SET moved = 0")

    def _erasing(self) -> tuple[int, int, int, int]:
        """How many rows of `body` are emptied, and the vault's `deleted`, `erased` and `moved`."""
        with self._database.reading() as connection:
            row = connection.execute("SELECT emptied, deleted, erased, moved FROM vault").fetchone()
        return cast("tuple[int, int, int, int]", row)

    def close(self) -> None:
        self._database.close()
