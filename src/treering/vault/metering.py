"""Usage events: a write's in its own transaction, a read's committed before its answer."""

from __future__ import annotations

import threading

from treering.model import Caller
from treering.store.base import UsageEvent, VaultStore, Writer
from treering.system import System


class Meter:
    """Books usage. Reads that end at the same time share one commit."""

    def __init__(self, store: VaultStore, system: System) -> None:
        self._store = store
        self._system = system
        self._queue: list[UsageEvent] = []
        self._queueing = threading.Lock()
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
        """Book a read; durable when this returns."""
        event = self._event(endpoint, tokens, caller, session_id)
        with self._queueing:
            self._queue.append(event)
        with self._committing:
            with self._queueing:
                batch, self._queue = self._queue, []
            if batch:
                self._commit(batch)

    def _commit(self, batch: list[UsageEvent]) -> None:
        try:
            with self._store.write() as tx:
                tx.meter(batch)
        except BaseException:
            with self._queueing:
                self._queue = batch + self._queue
            raise

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
