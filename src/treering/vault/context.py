"""What every verb of a vault works with."""

from __future__ import annotations

from dataclasses import dataclass

from treering.level_settings import Inherited, defaults
from treering.replies import DebtReply
from treering.store.base import Reader, VaultStore
from treering.system import System
from treering.vault.debt import debt_of
from treering.vault.embedding import Embedding
from treering.vault.erasure import Erasure
from treering.vault.live_index import LiveIndex
from treering.vault.metering import Meter


@dataclass(frozen=True, slots=True)
class Context:
    """One open vault's parts."""

    store: VaultStore
    system: System
    embedding: Embedding
    index: LiveIndex
    warm: LiveIndex
    """Of L2 alone, which is ranked for every turn."""
    meter: Meter
    erasure: Erasure
    inherited: Inherited = defaults

    def debt(self, reader: Reader | None = None) -> DebtReply:
        """The vault's reflection debt, read inside `reader`'s transaction when one is given."""
        if reader is not None:
            return debt_of(reader.tallies())
        with self.store.read() as fresh:
            return debt_of(fresh.tallies())
