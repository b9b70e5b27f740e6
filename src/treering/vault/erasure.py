"""Physical erasure: what is deleted leaves the files too."""

from __future__ import annotations

from typing import Literal

from treering.store.base import VaultStore
from treering.vault.background import Background


class Erasure:
    """Empties the log after deletes, behind the request while another process still reads it."""

    def __init__(self, store: VaultStore) -> None:
        self._store = store
        self._retrying = Background("treering-erase", self._try)

    def now(self) -> Literal["done", "pending"]:
        """Erase; "pending" when it goes on in the background."""
        if self._store.erase():
            return "done"
        self._retrying.start()
        return "pending"

    def stop(self) -> None:
        """Stop; opening the vault again goes on with it."""
        self._retrying.stop()

    def _try(self) -> bool | None:
        return True if self._store.erase() else None
