"""Turns: no vault's requests take up the server, and none of them the vault."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterable, AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

from anyio import CancelScope, Semaphore

from treering.errors import RateLimited

RUNNING = 8
"""How many requests of one vault run at once."""
WAITING = 56
"""How many more of them wait, without a thread; what comes on top is refused."""
LENGTHY = 16
"""How many of them may have a lengthy body; one more is refused."""
PROMPT_S, PROMPT_BYTES = 1.0, 1 << 20
"""A body that takes longer than this to arrive, or is larger, is lengthy."""


@dataclass(slots=True)
class _Queue:
    requests: int = 0
    lengthy: int = 0
    slots: Semaphore = field(default_factory=lambda: Semaphore(RUNNING))


class Turns:
    """Bounds the requests of each vault. Used on the event loop alone.

    A request runs only when its body is there, so that one which arrives slowly holds up nobody;
    nor can such bodies, or large ones, take all the places or the memory of those that wait.
    """

    def __init__(self) -> None:
        self._queues: dict[str, _Queue] = {}

    @asynccontextmanager
    async def of(self, vault_id: str, pieces: AsyncIterable[bytes]) -> AsyncIterator[bytes]:
        """Run the block with the body that the pieces make, once it is there and has its turn.

        Raises RateLimited when too many wait already.
        """
        queue = self._queues.setdefault(vault_id, _Queue())
        if queue.requests >= RUNNING + WAITING:
            raise RateLimited
        queue.requests += 1
        arrival = _Arrival(queue)
        try:
            body = await arrival.whole(pieces)
            async with queue.slots:
                yield body
        finally:
            arrival.end()
            queue.requests -= 1
            if not queue.requests:
                self._queues.pop(vault_id, None)


class _Arrival:
    """A body on its way; it takes one of its vault's places for lengthy ones when it is such."""

    def __init__(self, queue: _Queue) -> None:
        self._queue = queue
        self._is_lengthy = False

    async def whole(self, pieces: AsyncIterable[bytes]) -> bytes:
        """All of it; raises RateLimited when it is lengthy and so are enough others."""
        with CancelScope() as scope:
            timer = asyncio.get_running_loop().call_later(PROMPT_S, self._is_slow, scope)
            try:
                return await self._joined(pieces)
            finally:
                timer.cancel()
        raise RateLimited

    def end(self) -> None:
        """Give back the place."""
        self._queue.lengthy -= self._is_lengthy

    async def _joined(self, pieces: AsyncIterable[bytes]) -> bytes:
        arrived: list[bytes] = []
        size = 0
        async for piece in pieces:
            arrived.append(piece)
            size += len(piece)
            if size > PROMPT_BYTES:
                self._take_place()
        return b"".join(arrived)

    def _is_slow(self, scope: CancelScope) -> None:
        try:
            self._take_place()
        except RateLimited:
            scope.cancel()

    def _take_place(self) -> None:
        if self._is_lengthy:
            return
        if self._queue.lengthy >= LENGTHY:
            raise RateLimited
        self._queue.lengthy += 1
        self._is_lengthy = True
