"""Turns: no vault's requests take up the server."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

from anyio import Semaphore

from treering.errors import RateLimited

RUNNING = 8
"""How many requests of one vault run at once."""
WAITING = 56
"""How many more of them wait, without a thread; what comes on top is refused."""


@dataclass(slots=True)
class _Queue:
    requests: int = 0
    slots: Semaphore = field(default_factory=lambda: Semaphore(RUNNING))


class Turns:
    """Bounds the requests of each vault. Used on the event loop alone."""

    def __init__(self) -> None:
        self._queues: dict[str, _Queue] = {}

    @asynccontextmanager
    async def of(self, vault_id: str) -> AsyncIterator[None]:
        """Run the block when it is its turn; raises RateLimited when too many wait already."""
        queue = self._queues.setdefault(vault_id, _Queue())
        if queue.requests >= RUNNING + WAITING:
            raise RateLimited
        queue.requests += 1
        try:
            async with queue.slots:
                yield
        finally:
            queue.requests -= 1
            if not queue.requests:
                self._queues.pop(vault_id, None)
