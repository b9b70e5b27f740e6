"""Physical erasure: what is deleted leaves the files too."""

from __future__ import annotations

from typing import Literal

from treering.store.base import VaultStore
from treering.vault.background import Background

_LONGEST_WAIT_S = 1.0
_LAST_TRIES_S = 5.0


class Erasure:
    """Clears the files after deletes, behind the request while another process still reads.

    What is owed is recorded with the delete, so that it is made good even after a crash.
    """

    def __init__(self, store: VaultStore) -> None:
        self._store = store
        self._clearing = Background("treering-erase", self._step, _LONGEST_WAIT_S)

    def now(self) -> Literal["done", "pending"]:
        """Erase; "pending" when it goes on in the background."""
        done = self._store.erase()
        self.resume()
        return "done" if done else "pending"

    def resume(self) -> None:
        """Go on, behind the requests, with what is left to do."""
        if self._store.owes_erasure() or self._store.wants_compaction():
            self._clearing.start()

    def stop(self) -> None:
        """Wait a few seconds for what is owed, then stop; opening the vault goes on with it."""
        self._clearing.wait(_LAST_TRIES_S)
        self._clearing.stop()

    def _step(self) -> bool | None:
        if self._store.wants_compaction():
            self._store.compact()
        return True if self._store.erase() else None
