"""Usage events: a write's in its own transaction, a read's committed before its answer."""

from __future__ import annotations

import threading

from treering.errors import TreeringError
from treering.model import Caller
from treering.store.base import UsageEvent, VaultStore, Writer
from treering.system import System


class Meter:
    """Books usage. Reads that end at the same time share one commit."""

    def __init__(self, store: VaultStore, system: System) -> None:
        self._store = store
        self._system = system
        self._gathering: _Batch | None = None
        self._guard = threading.Lock()
        self._committing = threading.Lock()

    def write(
        self, tx: Writer, endpoint: str, tokens: int, caller: Caller, session_id: str | None = None
    ) -> None:
        """Book a write inside its own transaction."""
        if tokens:
            tx.meter([self._event(endpoint, tokens, caller, session_id)])

    def read(
        self, endpoint: str, tokens: int, caller: Caller, session_id: str | None = None
    ) -> None:
        """Book a read; durable when this returns, not booked when it raises."""
        event = self._event(endpoint, tokens, caller, session_id)
        with self._guard:
            if self._gathering is None:
                self._gathering = _Batch()
            batch = self._gathering
            batch.events.append(event)
        with self._committing:
            if not batch.is_settled:
                self._settle(batch)
        if batch.failure is not None:
            raise batch.failure

    def _settle(self, batch: _Batch) -> None:
        """Commit a batch, once for all whose events it holds."""
        with self._guard:
            self._gathering = None
        batch.is_settled = True
        try:
            with self._store.write() as tx:
                tx.meter(batch.events)
        except TreeringError as error:
            batch.failure = error

    def _event(
        self, endpoint: str, tokens: int, caller: Caller, session_id: str | None
    ) -> UsageEvent:
        return UsageEvent(
            at=self._system.now(),
            endpoint=endpoint,
            tokens=tokens,
            key_id=caller.key_id,
            session_id=session_id or caller.session_id,
        )


class _Batch:
    """The events of one commit, and how it went."""

    def __init__(self) -> None:
        self.events: list[UsageEvent] = []
        self.is_settled = False
        self.failure: TreeringError | None = None
