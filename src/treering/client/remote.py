"""A vault behind a server: each verb is one HTTP request."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, TypeVar, cast

import httpx2

from treering import replies, requests
from treering.access import PresentedKey
from treering.client.level_routes import LEVEL_ROUTES
from treering.client.route import Route
from treering.errors import InvalidRequest, NotReady, from_body
from treering.model import ANONYMOUS, Caller
from treering.replies import KeyReply, KeysReply, RevokedReply, from_wire
from treering.requests import Request
from treering.requests.lines import Line, line_json
from treering.verbs import Verbs

R = TypeVar("R")

TIMEOUT_S = 120.0


_ROUTES: dict[type[Request[Any]], Route] = {
    requests.IngestRequest: Route("POST", "/v1/memory/ingest", replies.IngestReply),
    requests.SearchRequest: Route("POST", "/v1/memory/search", replies.SearchReply),
    requests.PrepareRequest: Route("POST", "/v1/memory/prepare", replies.PrepareReply),
    requests.DateSearchRequest: Route("POST", "/v1/memory/date-search", replies.DateSearchReply),
    requests.InspectRequest: Route("POST", "/v1/memory/inspect", replies.InspectReply),
    requests.CheckoutRequest: Route(
        "POST", "/v1/memory/consolidate/checkout", replies.CheckoutReply
    ),
    requests.CommitRequest: Route("POST", "/v1/memory/consolidate/commit", replies.CommitReply),
    requests.RevertRequest: Route("POST", "/v1/memory/consolidate/revert", replies.RevertReply),
    requests.DeleteRequest: Route("POST", "/v1/memory/delete-ids", replies.DeleteReply),
    requests.WipeRequest: Route("DELETE", "/v1/memory", replies.WipeReply),
    requests.StatsRequest: Route("GET", "/v1/memory/stats", replies.StatsReply),
    requests.UsageRequest: Route("GET", "/v1/account/usage", replies.UsageReply),
    requests.WarmupRequest: Route("POST", "/v1/memory/warmup", replies.WarmupReply),
    **LEVEL_ROUTES,
}
_REVOKE = Route("DELETE", "/v1/keys/{id}", RevokedReply, "key")


class _Http:
    """A connection to a server with a key; errors come back as the server's own classes.

    Raises Unauthorized for a text that can be no key, InvalidRequest for one that can be no URL.
    """

    def __init__(self, url: str, key: str, transport: httpx2.BaseTransport | None = None) -> None:
        PresentedKey.parse(key)
        try:
            base_url = httpx2.URL(url.rstrip("/"))
        except httpx2.InvalidURL as error:
            raise InvalidRequest(f"url: {error}") from None
        self._client = httpx2.Client(
            base_url=base_url,
            headers={"Authorization": f"Bearer {key}"},
            timeout=TIMEOUT_S,
            transport=transport,
        )

    def call(
        self,
        method: str,
        path: str,
        *,
        content: bytes | None = None,
        headers: Mapping[str, str] | None = None,
        params: Mapping[str, str] | None = None,
    ) -> Any:
        """The JSON body of a successful answer; raises the error that another one names."""
        sent = httpx2.Headers(headers or {}, encoding="utf-8")
        try:
            response = self._client.request(
                method, path, content=content, headers=sent, params=params
            )
        except httpx2.RequestError as error:
            raise NotReady(
                f"The server at {self._client.base_url} did not answer ({error}); does "
                "`treering serve` run there?"
            ) from error
        try:
            body = json.loads(response.content)
        except ValueError as error:
            raise NotReady(
                f"The server at {self._client.base_url} is no Treering: it answered "
                f"{response.status_code} without JSON."
            ) from error
        if response.status_code >= 400:
            raise from_body(response.status_code, body)
        return body

    def close(self) -> None:
        """Close the connections."""
        self._client.close()


class RemoteVault(Verbs):
    """The vault of a key, behind a server at `url`. Safe to use from several threads."""

    def __init__(self, url: str, key: str, transport: httpx2.BaseTransport | None = None) -> None:
        self._http = _Http(url, key, transport)

    def perform(self, request: Request[R], caller: Caller = ANONYMOUS) -> R:
        """Ask the server; raises what the server answers, NotReady when it does not."""
        if isinstance(request, requests.DebtRequest):
            return cast("R", self.perform(requests.StatsRequest(), caller).reflection)
        if isinstance(request, requests.UploadRequest):
            return cast("R", self._upload(request))
        route = _ROUTES[type(request)]
        headers = _headers(request, caller)
        given = request.model_dump(mode="python", by_alias=True, exclude_unset=True)
        path = route.path
        if route.resource:
            path = route.path_of(given.pop("id"))
        content = params = None
        if route.method == "GET":
            params = {name: value for name, value in given.items() if value is not None}
        elif route.method != "DELETE":
            content = json.dumps(given).encode("ascii")
            headers["Content-Type"] = "application/json"
        answer = self._http.call(
            route.method, path, content=content, headers=headers, params=params
        )
        return cast("R", from_wire(route.reply, answer))

    def tool_names(self) -> list[str]:
        """The MCP tools that the server shows to the key."""
        content = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/list"}).encode("ascii")
        headers = {
            "Content-Type": "application/json",
            "Accept": "application/json",
            "MCP-Protocol-Version": "2025-11-25",
        }
        answer = self._http.call("POST", "/mcp", content=content, headers=headers)
        return [str(tool["name"]) for tool in answer["result"]["tools"]]

    def close(self) -> None:
        """Close the connections."""
        self._http.close()

    def _upload(self, request: requests.UploadRequest) -> replies.UploadReply:
        answer = self._http.call(
            "POST",
            "/v1/memory/upload",
            content=b"\n".join(_upload_line(line) for line in request.lines),
            headers={"Content-Type": "text/plain; charset=utf-8"},
        )
        reply = from_wire(replies.UploadReply, answer)
        return replace(reply, errors=[_explained(error, request.lines) for error in reply.errors])


class RemoteKeys:
    """The keys of an account, behind a server; needs a key with `keys:manage`."""

    def __init__(self, url: str, key: str, transport: httpx2.BaseTransport | None = None) -> None:
        self._http = _Http(url, key, transport)

    def create(
        self,
        *,
        name: str = "",
        vault: str = "new",
        scopes: Iterable[str] | None = None,
        expires_in_days: int | None = None,
    ) -> KeyReply:
        """A new key of a new vault, or of the same vault as the key that asks."""
        body: dict[str, Any] = {"name": name, "vault": vault}
        if scopes is not None:
            body["scopes"] = list(scopes)
        if expires_in_days is not None:
            body["expires_in_days"] = expires_in_days
        content = json.dumps(body).encode("ascii")
        headers = {"Content-Type": "application/json"}
        return from_wire(
            KeyReply, self._http.call("POST", "/v1/keys", content=content, headers=headers)
        )

    def list(self) -> KeysReply:
        """The account's keys."""
        return from_wire(KeysReply, self._http.call("GET", "/v1/keys"))

    def revoke(self, key_id: str) -> RevokedReply:
        """Revoke a key at once."""
        path = _REVOKE.path_of(key_id)
        return from_wire(RevokedReply, self._http.call(_REVOKE.method, path))

    def close(self) -> None:
        """Close the connections."""
        self._http.close()


def _headers(request: Request[Any], caller: Caller) -> dict[str, str]:
    headers: dict[str, str] = {}
    if caller.idempotency_key is not None:
        headers["Idempotency-Key"] = caller.idempotency_key
    session_id = caller.session_id
    if isinstance(request, requests.WipeRequest):
        session_id = request.session_id
    if session_id is not None:
        headers["X-Session-ID"] = session_id
    return headers


def _explained(error: replies.LineError, lines: Sequence[Line]) -> replies.LineError:
    """The error in this side's words where the line was known to be wrong before it was sent."""
    line = lines[error.line - 1]
    return replace(error, problem=line) if isinstance(line, str) else error


def _upload_line(line: Line) -> bytes:
    """A line as it is sent; one that is wrong already is sent as what it is, to be counted."""
    if line is None:
        return b""
    if isinstance(line, str):
        return json.dumps(line).encode("ascii")
    return line_json(line)
