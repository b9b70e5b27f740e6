"""Bodies over the limit are refused before they are read whole."""

from __future__ import annotations

from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from treering.errors import PayloadTooLarge


class BodyLimit:
    """ASGI middleware: answers 413 to a body of more than `limit` bytes, declared or streamed."""

    def __init__(self, app: ASGIApp, limit: int) -> None:
        self._app = app
        self._limit = limit

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on, counting its body."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        error = PayloadTooLarge("The request body in bytes", self._limit)
        refusal = JSONResponse(error.body(), error.status, {"Connection": "close"})
        if _declared(scope) > self._limit:
            await refusal(scope, receive, send)
            return
        received = 0
        answered = False

        async def counted() -> Message:
            nonlocal received
            message = await receive()
            received += len(message.get("body", b""))
            if received > self._limit:
                raise error
            return message

        async def noticed(message: Message) -> None:
            nonlocal answered
            answered = True
            await send(message)

        try:
            await self._app(scope, counted, noticed)
        except PayloadTooLarge:
            if answered:
                raise
            await refusal(scope, receive, send)


def _declared(scope: Scope) -> int:
    for name, value in scope["headers"]:
        if name == b"content-length" and value.isdigit():
            return int(value[:20])
    return 0
