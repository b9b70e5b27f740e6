"""Connections that can't be accepted are reported now and then, not thousands of times."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

from treering.logs import get_logger

_SILENCE_S = 60.0

log = get_logger(__name__)


def quiet_when_full(loop: asyncio.AbstractEventLoop) -> None:
    """Have the loop log once a minute that it is out of file descriptors.

    asyncio itself reports each connection of the backlog that it fails to accept, every second.
    """
    loop.set_exception_handler(_Quiet(loop.time))


class _Quiet:
    def __init__(self, monotonic: Callable[[], float]) -> None:
        self._monotonic = monotonic
        self._silent_until = 0.0

    def __call__(self, loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
        if "socket.accept()" not in str(context.get("message")):
            loop.default_exception_handler(context)
            return
        now = self._monotonic()
        if now >= self._silent_until:
            self._silent_until = now + _SILENCE_S
            log.error("connections cannot be accepted", error=repr(context.get("exception")))
