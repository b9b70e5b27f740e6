"""The in-memory index of a vault, kept in step with its database."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager

from treering.model import Level
from treering.retrieval.index import VaultIndex
from treering.store.base import Head, VaultStore, check_embedder

_LEVEL = 3
"""The place of the level in a row."""


class LiveIndex:
    """Loads the index when it is first asked for, and catches up before each use.

    The change sequence says what to catch up on, whichever process wrote it. Vectors are of the
    model that `embedder` names; an index of any other is refused. With a `level` it holds the
    memories of that level alone, each by itself.
    """

    def __init__(self, store: VaultStore, embedder: str, level: Level | None = None) -> None:
        self._store = store
        self._level = level
        self._embedder = embedder
        self._lock = threading.Lock()
        self._index: VaultIndex | None = None
        self._at: Head | None = None
        self._nbytes = 0

    @contextmanager
    def current(self) -> Iterator[VaultIndex]:
        """The index with everything in it that was committed before; one thread at a time."""
        with self._lock:
            index = self._caught_up()
            try:
                yield index
            finally:
                self._nbytes = index.nbytes

    def nbytes(self) -> int:
        """The memory that the index took at its last use, in bytes; 0 while it is not loaded."""
        return self._nbytes

    def drop(self) -> None:
        """Free the memory; the next use loads it again."""
        with self._lock:
            self._forget()

    def _forget(self) -> None:
        self._index = self._at = None
        self._nbytes = 0

    def _caught_up(self) -> VaultIndex:
        with self._store.read() as reader:
            # Read before the rows, so that what is committed in between is caught up on next time.
            head = reader.head()
            check_embedder(head.embedder, self._embedder)
            index, at = self._index, self._at
            self._forget()
            if index is None or at is None or at.epoch != head.epoch:
                index = VaultIndex(self._store.meta.dims)
                if self._level is None:
                    index.load(reader.index_rows(0), reader.index_links(0))
                else:
                    index.load(reader.index_rows_at(self._level), ())
            elif at.change != head.change:
                rows = list(reader.index_rows(at.change))
                gone = reader.gone(at.change)
                links = list(reader.index_links(at.change)) if self._level is None else []
                if self._level is not None:
                    gone += [row[0] for row in rows if row[_LEVEL] != self._level]
                    rows = [row for row in rows if row[_LEVEL] == self._level]
                index.update(rows, links, gone)
            self._index, self._at = index, head
            return index
