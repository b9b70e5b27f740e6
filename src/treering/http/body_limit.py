"""Bodies that are too large, or that stop arriving, are refused."""

from __future__ import annotations

from anyio import fail_after
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from treering.errors import InvalidRequest, PayloadTooLarge

BODY_PATIENCE_S = 30.0
"""How long the next piece of a body may take to arrive."""


class BodyLimit:
    """ASGI middleware: answers 413 to a body of more than `limit` bytes, declared or streamed.

    A body that stops arriving is answered 400.
    """

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
        whole = answered = False

        async def counted() -> Message:
            nonlocal received, whole
            # What comes after the body is that the caller hangs up, which may take its time.
            message = await (receive() if whole else _in_time(receive))
            whole = not message.get("more_body", False)
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


async def _in_time(receive: Receive) -> Message:
    try:
        with fail_after(BODY_PATIENCE_S):
            return await receive()
    except TimeoutError:
        raise InvalidRequest(f"body: stopped arriving for {BODY_PATIENCE_S:g} seconds") from None


def _declared(scope: Scope) -> int:
    for name, value in scope["headers"]:
        if name == b"content-length" and value.isdigit():
            return int(value[:20])
    return 0
