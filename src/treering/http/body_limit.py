"""Bodies that are too large, or that do not arrive in time, are refused."""

from __future__ import annotations

from anyio import current_time, fail_after
from starlette.datastructures import MutableHeaders
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from treering.errors import InvalidRequest, PayloadTooLarge

BODY_PATIENCE_S = 30.0
"""How long the next piece of a body may take to arrive."""
BODY_TIME_S = 300.0
"""How long a whole body may take."""

_CLOSE = {"Connection": "close"}


class BodyLimit:
    """ASGI middleware: refuses a body of more than `limit` bytes with PayloadTooLarge.

    One that stops arriving, or takes too long, is refused with InvalidRequest. Reading such a body
    raises that. An answer in the middle of a body closes the connection: the rest is still to come.
    """

    def __init__(self, app: ASGIApp, limit: int) -> None:
        self._app = app
        self._limit = limit

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on, counting its body."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        if _declared(scope) > self._limit:
            error = PayloadTooLarge("The request body in bytes", self._limit)
            await JSONResponse(error.body(), error.status, _CLOSE)(scope, receive, send)
            return
        body = _Body(receive, self._limit)

        async def closing(message: Message) -> None:
            if body.is_broken_off and message["type"] == "http.response.start":
                MutableHeaders(scope=message).update(_CLOSE)
            await send(message)

        await self._app(scope, body.receive, closing)


class _Body:
    """A body that is counted and timed as it arrives."""

    def __init__(self, receive: Receive, limit: int) -> None:
        self._receive = receive
        self._limit = limit
        self._size = 0
        self._is_whole = False
        self._end: float | None = None

    @property
    def is_broken_off(self) -> bool:
        """Whether it was read from, and not to its end."""
        return self._end is not None and not self._is_whole

    async def receive(self) -> Message:
        """The next message; raises PayloadTooLarge or InvalidRequest."""
        # What comes after the body is that the caller hangs up, which may take its time.
        if self._is_whole:
            return await self._receive()
        message = await self._in_time()
        self._size += len(message.get("body", b""))
        if self._size > self._limit:
            raise PayloadTooLarge("The request body in bytes", self._limit)
        self._is_whole = not message.get("more_body", False)
        return message

    async def _in_time(self) -> Message:
        if self._end is None:
            self._end = current_time() + BODY_TIME_S
        left = self._end - current_time()
        if left <= 0:
            raise InvalidRequest(f"body: took over {BODY_TIME_S:g} seconds to arrive")
        try:
            with fail_after(min(BODY_PATIENCE_S, left)):
                return await self._receive()
        except TimeoutError:
            if left <= BODY_PATIENCE_S:
                raise InvalidRequest(f"body: took over {BODY_TIME_S:g} seconds to arrive") from None
            raise InvalidRequest(
                f"body: stopped arriving for {BODY_PATIENCE_S:g} seconds"
            ) from None


def _declared(scope: Scope) -> int:
    for name, value in scope["headers"]:
        if name == b"content-length" and value.isdigit():
            return int(value[:20])
    return 0
