"""Physical erasure: what is deleted leaves the files too."""

from __future__ import annotations

import math
import threading
from collections.abc import Callable, Sequence
from typing import Literal

from treering.errors import RateLimited
from treering.replies import Receipt
from treering.store.base import VaultStore
from treering.vault.background import Background

_LONGEST_WAIT_S = 1.0
_LAST_TRIES_S = 5.0
_BETWEEN_RECEIPTS_S = 10.0
"""A receipt reads every byte of the vault."""
_LONGEST_RECEIPT_S = 600.0
"""How long a receipt that never ended keeps the next one waiting."""


class Erasure:
    """Clears the files after deletes, behind the request while another process still reads.

    What is owed is recorded with the delete, so that it is made good even after a crash.
    """

    def __init__(self, store: VaultStore, monotonic: Callable[[], float]) -> None:
        self._store = store
        self._monotonic = monotonic
        self._turn = threading.Lock()
        self._next_receipt = monotonic()
        self._clearing = Background("treering-erase", self._step, _LONGEST_WAIT_S)

    def now(self) -> Literal["done", "pending"]:
        """Erase; "pending" when it goes on in the background."""
        done = self._store.erase()
        self.resume()
        return "done" if done else "pending"

    def allow_receipt(self) -> None:
        """Take a turn for a receipt; raises RateLimited when the last one was moments ago."""
        with self._turn:
            wait = self._next_receipt - self._monotonic()
            if wait > 0:
                raise RateLimited(
                    "Receipts read the whole vault, so there is one in ten seconds; nothing was "
                    "deleted. Delete without a receipt, or wait.",
                    retry_after=math.ceil(wait),
                )
            self._next_receipt = self._monotonic() + _LONGEST_RECEIPT_S

    def receipt(self, texts: Sequence[str]) -> Receipt:
        """What is left of deleted texts in the files."""
        try:
            residue = self._store.residue(texts)
        finally:
            with self._turn:
                self._next_receipt = self._monotonic() + _BETWEEN_RECEIPTS_S
        return Receipt(residue.checked, residue.found, residue.files, residue.bytes)

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
