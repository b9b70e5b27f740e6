"""`/mcp`: the MCP server over Streamable HTTP. There are no sessions: each request stands alone."""

from __future__ import annotations

import json
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any, cast

from anyio.to_thread import run_sync
from fastapi import Request
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from mcp.types import INTERNAL_ERROR, INVALID_REQUEST
from starlette.requests import ClientDisconnect
from starlette.responses import Response
from starlette.types import Message, Receive, Scope, Send

from treering.access import Grant
from treering.data_dir import DataDir
from treering.errors import InvalidRequest, PayloadTooLarge, TreeringError
from treering.http.addresses import challenge_of
from treering.http.errors import error_response
from treering.http.keys import granted
from treering.http.route import parsed
from treering.http.turns import Turns
from treering.mcp.server import Context, Door, build_server
from treering.mcp.surrogates import whole_json
from treering.model import ANONYMOUS
from treering.reach import Reach
from treering.settings import Settings, is_loopback

MAX_BYTES = 8 << 20
"""The largest message: a transcript of two million characters, and then some."""

_STRANGE_ORIGIN = "Origin: only pages of this computer and of TREERING_PUBLIC_URL may call /mcp"
_NO_SESSIONS = "method: send messages by POST; nothing is pushed and there are no sessions here"
_ORIGIN = re.compile(r"https?://(?P<host>[^/@]+)", re.IGNORECASE)


class McpEndpoint:
    """ASGI: one message, one answer in JSON, by whatever worker of whatever process.

    Who asks is known before the body is read. Errors of ours are JSON-RPC errors under the error
    table's status, so that a client shows their message.
    """

    def __init__(self, data_dir: DataDir, settings: Settings) -> None:
        self._server = build_server(lambda ctx: _door(data_dir, _grant_of(ctx)))
        self._public_url = settings.public_url
        self._manager: StreamableHTTPSessionManager | None = None

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """Able to answer, as long as the block runs."""
        self._manager = StreamableHTTPSessionManager(
            self._server, json_response=True, stateless=True, max_request_body_size=MAX_BYTES
        )
        async with self._manager.run():
            yield

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        request = Request(scope, receive)
        if not self._may_call(request):
            await _refusal(request, InvalidRequest(_STRANGE_ORIGIN), 403)(scope, receive, send)
            return
        try:
            grant = await granted(request)
            if request.method != "POST":
                refusal = _refusal(request, InvalidRequest(_NO_SESSIONS), 405)
                refusal.headers["Allow"] = "POST"
                await refusal(scope, receive, send)
                return
            _check_type(request)
            turns: Turns = request.app.state.turns
            async with turns.of(grant.vault_id, _pieces(request)) as whole:
                # The key may have been revoked while the message arrived.
                request.state.grant = await granted(request)
                body = await run_sync(_checked, whole)
                assert self._manager is not None, "the application has not started"
                await self._manager.handle_request(scope, _replayed(body, receive), send)
        except TreeringError as error:
            await _refusal(request, error)(scope, receive, send)
        except ClientDisconnect:
            return

    def _may_call(self, request: Request) -> bool:
        """Whether the request comes from no page, or from one of this computer or of this server.

        Browsers always say with a POST which site sent it, and a name that was bent to point here
        is still another site's; programs say nothing.
        """
        origin = request.headers.get("origin")
        if origin is None or (self._public_url and origin.lower() == self._public_url):
            return True
        parts = _ORIGIN.fullmatch(origin)
        return parts is not None and is_loopback(parts["host"])


def _grant_of(ctx: Context) -> Grant:
    found: Grant = cast("Request", ctx.request).state.grant
    return found


def _door(data_dir: DataDir, grant: Grant) -> Door:
    def perform(request: Any) -> Any:
        with data_dir.using(grant.vault_id) as vault:
            return Reach(data_dir, vault, grant.account_id, grant).perform(request, ANONYMOUS)

    return Door(grant.scopes, perform, grant.is_connection)


def _check_type(request: Request) -> None:
    """Raise InvalidRequest unless the body is announced as JSON."""
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind != "application/json":
        raise InvalidRequest("Content-Type: must be application/json")


async def _pieces(request: Request) -> AsyncIterator[bytes]:
    """The body as it arrives; raises PayloadTooLarge."""
    size = 0
    async for piece in request.stream():
        size += len(piece)
        if size > MAX_BYTES:
            raise PayloadTooLarge("The message in bytes", MAX_BYTES)
        yield piece


def _checked(body: bytes) -> bytes:
    """A body that is JSON in UTF-8 and no bomb; raises InvalidRequest."""
    try:
        return whole_json(body, parsed(body))
    except (ValueError, RecursionError):
        raise InvalidRequest("body: is not JSON in UTF-8, or nests too deeply") from None


def _replayed(body: bytes, receive: Receive) -> Receive:
    """A `receive` that gives the body that was read already, and then what comes after it."""
    sent = False

    async def replay() -> Message:
        nonlocal sent
        if sent:
            return await receive()
        sent = True
        return {"type": "http.request", "body": body, "more_body": False}

    return replay


def _refusal(request: Request, error: TreeringError, status: int | None = None) -> Response:
    """An error of ours as a JSON-RPC error, with the table's headers, and its status by default."""
    plain = error_response(error, challenge=challenge_of(request))
    body = json.loads(bytes(plain.body))
    code = INTERNAL_ERROR if error.status >= 500 else INVALID_REQUEST
    content = {
        "jsonrpc": "2.0",
        "id": None,
        "error": {"code": code, "message": body["message"], "data": body},
    }
    headers = {name: value for name, value in plain.headers.items() if name != "content-length"}
    return Response(json.dumps(content).encode("ascii"), status or error.status, headers)
