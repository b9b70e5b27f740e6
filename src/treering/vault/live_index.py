"""The in-memory index of a vault, kept in step with its database."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager

from treering.retrieval.index import VaultIndex
from treering.store.base import Head, VaultStore, check_embedder


class LiveIndex:
    """Loads the index when it is first asked for, and catches up before each use.

    The change sequence says what to catch up on, whichever process wrote it.
    """

    def __init__(self, store: VaultStore) -> None:
        self._store = store
        self._lock = threading.Lock()
        self._index: VaultIndex | None = None
        self._at: Head | None = None

    @contextmanager
    def current(self) -> Iterator[VaultIndex]:
        """The index with everything in it that was committed before; one thread at a time."""
        with self._lock:
            yield self._caught_up()

    def nbytes(self) -> int:
        """The memory that the index takes, in bytes; 0 while it is not loaded."""
        index = self._index
        return index.nbytes if index is not None else 0

    def drop(self) -> None:
        """Free the memory; the next use loads it again."""
        with self._lock:
            self._index = self._at = None

    def _caught_up(self) -> VaultIndex:
        meta = self._store.meta
        with self._store.read() as reader:
            head = reader.head()
            check_embedder(head.embedder, meta.embedder)
            if self._index is None or self._at is None or self._at.epoch != head.epoch:
                self._index = VaultIndex(meta.dims)
                self._index.load(reader.index_rows(0), reader.index_links(0))
            elif self._at.change != head.change:
                after = self._at.change
                rows = list(reader.index_rows(after))
                links = list(reader.index_links(after))
                self._index.update(rows, links, reader.gone(after))
            self._at = head
            return self._index
