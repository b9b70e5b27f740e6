"""The MCP server over stdin and stdout: nothing but protocol goes to stdout."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import sys
import threading
from collections.abc import AsyncIterator, Awaitable, Callable
from concurrent.futures import CancelledError
from dataclasses import dataclass
from typing import Any, cast

import anyio
from mcp.server import Server
from mcp.server.stdio import stdio_server
from mcp.shared.message import SessionMessage
from mcp.types import INVALID_REQUEST, PARSE_ERROR, ErrorData, JSONRPCError, jsonrpc_message_adapter
from pydantic import ValidationError

from treering.mcp.surrogates import whole_json

_CHUNK_BYTES = 1 << 16
_GRACE_S = 10.0
"""How long what was asked before stdin ended may take to be answered."""


def serve_stdio(server: Server[Any]) -> None:
    """Serve until stdin ends, SIGTERM or Ctrl-C; what was asked before that is answered."""
    anyio.run(_serve, server)


async def _serve(server: Server[Any]) -> None:
    asked = _Asked()
    lines = _Lines(asked)
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(_cancel_when_told, tasks.cancel_scope)
        # Only iterated over; the SDK's own reader can't be interrupted while it waits for a line.
        async with stdio_server(stdin=cast("Any", lines)) as (incoming, outgoing):
            answers = _Answers(outgoing, asked)
            lines.refuse = answers.send
            await server.run(incoming, cast("Any", answers), server.create_initialization_options())
        tasks.cancel_scope.cancel()


async def _cancel_when_told(scope: anyio.CancelScope) -> None:
    with anyio.open_signal_receiver(signal.SIGTERM, signal.SIGINT) as signals:
        async for _ in signals:
            scope.cancel()
            return


class _Asked:
    """How many requests wait for their answer."""

    def __init__(self) -> None:
        self._waiting = 0
        self._none_waits = asyncio.Event()
        self._none_waits.set()

    def add(self, count: int) -> None:
        """Count requests, or with -1 an answer."""
        self._waiting = max(self._waiting + count, 0)
        if self._waiting:
            self._none_waits.clear()
        else:
            self._none_waits.set()

    async def answered(self) -> None:
        """Wait until every request is answered, for as long as that may take."""
        with anyio.move_on_after(_GRACE_S):
            await self._none_waits.wait()


@dataclass(frozen=True, slots=True)
class _Line:
    """A line, or the answer to what is none, and how many answers more are owed for it."""

    text: str
    owed: int
    refusal: SessionMessage | None = None


class _Lines:
    """The lines of stdin, read on a thread that the end of the process does not wait for."""

    refuse: Callable[[SessionMessage], Awaitable[None]]
    """Where the answer to a line goes that is no message."""

    def __init__(self, asked: _Asked) -> None:
        self._asked = asked
        self._loop = asyncio.get_running_loop()
        self._queue: asyncio.Queue[_Line | None] = asyncio.Queue(maxsize=64)
        # The descriptor that the SDK puts in the place of stdin reads nothing.
        self._stdin = os.dup(sys.stdin.fileno())
        threading.Thread(target=self._read, name="treering-stdin", daemon=True).start()

    async def __aiter__(self) -> AsyncIterator[str]:
        while (line := await self._queue.get()) is not None:
            self._asked.add(line.owed)
            if line.refusal is not None:
                await self.refuse(line.refusal)
            else:
                yield line.text
        await self._asked.answered()

    def _read(self) -> None:
        rest = b""
        while chunk := os.read(self._stdin, _CHUNK_BYTES):
            *lines, rest = (rest + chunk).split(b"\n")
            if not all(self._put(_understood(line)) for line in lines if line.strip()):
                return
        if rest.strip():
            self._put(_understood(rest))
        self._put(None)

    def _put(self, found: _Line | None) -> bool:
        """Hand it over as soon as there is room; False once nobody waits for it any more."""
        putting = self._queue.put(found)
        try:
            asyncio.run_coroutine_threadsafe(putting, self._loop).result()
        except (RuntimeError, CancelledError):
            putting.close()
            return False
        return True


class _Answers:
    """The stream of answers, counted as they leave."""

    def __init__(self, stream: Any, asked: _Asked) -> None:
        self._stream = stream
        self._asked = asked

    async def send(self, message: SessionMessage) -> None:
        """Send one answer."""
        await self._stream.send(message)
        self._asked.add(-1)

    async def aclose(self) -> None:
        """Close the stream."""
        await self._stream.aclose()

    async def __aenter__(self) -> _Answers:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.aclose()


def _understood(line: bytes) -> _Line:
    """A line as the SDK may read it, or the answer to what is none: the SDK would give none."""
    try:
        message = json.loads(line)
    except (ValueError, RecursionError):
        return _refused(None, PARSE_ERROR, "The line is not JSON in UTF-8, or nests too deeply.")
    text = whole_json(line, message).decode("utf-8", "replace")
    try:
        jsonrpc_message_adapter.validate_json(text, by_name=False)
    except ValidationError:
        id = message.get("id") if isinstance(message, dict) else None
        return _refused(id, INVALID_REQUEST, "The line is not one JSON-RPC message.")
    if message.get("method") == "notifications/cancelled":
        return _Line(text, -1)
    return _Line(text, int("id" in message and "method" in message))


def _refused(id: Any, code: int, problem: str) -> _Line:
    known = id if isinstance(id, int | str) and not isinstance(id, bool) else None
    error = JSONRPCError(jsonrpc="2.0", id=known, error=ErrorData(code=code, message=problem))
    return _Line("", 1, SessionMessage(error))
