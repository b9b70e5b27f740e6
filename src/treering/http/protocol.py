"""HTTP/1.1 with a deadline for requests that never become whole."""

from __future__ import annotations

import asyncio
from typing import Any

from uvicorn.protocols.http.h11_impl import H11Protocol, RequestResponseCycle

HEAD_PATIENCE_S = 30.0
"""How long a connection may take to send a request's head, or what is left after its answer."""


class DeadlineProtocol(H11Protocol):
    """Closes a connection that has waited too long with half a request; uvicorn alone keeps it."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._deadline: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        # The override is uvicorn's own: asyncio declares the base class of transports here.
        super().connection_made(transport)
        self._watch()

    def data_received(self, data: bytes) -> None:
        """Take in what arrived."""
        super().data_received(data)
        self._watch()

    def on_response_complete(self) -> None:
        """Begin the pause that the keep-alive timer bounds, until more arrives."""
        self._unwatch()
        super().on_response_complete()

    def connection_lost(self, exc: Exception | None) -> None:
        """Forget the deadline."""
        self._unwatch()
        super().connection_lost(exc)

    def _watch(self) -> None:
        # Before the first request there is no cycle, which uvicorn's annotation keeps to itself.
        cycle: RequestResponseCycle | None = getattr(self, "cycle", None)
        if cycle is not None and not cycle.response_complete:
            self._unwatch()
        elif self._deadline is None:
            self._deadline = self.loop.call_later(HEAD_PATIENCE_S, self._give_up)

    def _unwatch(self) -> None:
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None

    def _give_up(self) -> None:
        self._deadline = None
        self.transport.close()
