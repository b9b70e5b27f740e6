"""The application called without a server, one message at a time."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from typing import Any

from fastapi import FastAPI
from starlette.types import Message, Receive


def called(
    app: FastAPI,
    receive: Receive,
    method: str,
    path: str,
    key: str | None = None,
    query: bytes = b"",
) -> tuple[int, dict[str, str], Any]:
    """The status, the headers and the body of what the application answers."""
    sent: list[Message] = []

    async def send(message: Message) -> None:
        sent.append(message)

    headers = [(b"content-type", b"application/json")]
    if key:
        headers.append((b"x-api-key", key.encode()))
    scope = {
        "type": "http", "asgi": {"version": "3.0"}, "http_version": "1.1", "method": method,
        "scheme": "http", "path": path, "raw_path": path.encode(), "query_string": query,
        "root_path": "", "headers": headers, "client": None, "server": None, "state": {},
    }  # fmt: skip
    asyncio.run(app(scope, receive, send))
    shown = {name.decode(): value.decode() for name, value in sent[0]["headers"]}
    body = b"".join(message.get("body", b"") for message in sent[1:])
    return sent[0]["status"], shown, json.loads(body)


async def never() -> Message:
    raise AssertionError("the body was asked for")


def keyed(app: FastAPI) -> list[tuple[str, str]]:
    """Every operation that needs a key, as its method and path."""
    found = [
        (method.upper(), path)
        for path, operations in app.openapi()["paths"].items()
        if "health" not in path
        for method in operations
    ]
    assert len(found) > 50
    return found


async def no_body() -> AsyncIterator[bytes]:
    return
    yield
