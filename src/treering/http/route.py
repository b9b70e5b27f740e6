"""A route behind a key: who asks is known before the body is read, and a body holds up nobody."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator
from typing import Any, TypeVar

from anyio.to_thread import run_sync
from fastapi import Request, Response
from fastapi.dependencies.models import Dependant
from fastapi.routing import APIRoute
from pydantic import BaseModel
from starlette.requests import ClientDisconnect

from treering import requests
from treering.access import SCOPES_OF, Grant
from treering.errors import InvalidRequest
from treering.http.errors import invalid_request
from treering.http.keys import granted
from treering.http.turns import Turns
from treering.requests import issues_in
from treering.rules.bulk import (
    MAX_COMMAS,
    MAX_CONTAINERS,
    MAX_FIELDS,
    too_many_fields,
    too_many_values,
)

Endpoint = TypeVar("Endpoint", bound=Callable[..., Any])

_SCOPES: dict[Callable[..., Any], tuple[str, ...]] = {}
"""What each endpoint's key needs."""


def needs(*scopes: str) -> Callable[[Endpoint], Endpoint]:
    """Say which scopes the key of an endpoint needs."""

    def mark(endpoint: Endpoint) -> Endpoint:
        _SCOPES[endpoint] = scopes
        return endpoint

    return mark


def asks(verb: type[requests.Request[Any]]) -> Callable[[Endpoint], Endpoint]:
    """Say which verb an endpoint performs: its key needs that verb's scopes."""
    return needs(*SCOPES_OF[verb])


class KeyedRoute(APIRoute):
    """A route whose endpoint says by `asks` or `needs` what its key must hold.

    It answers 401, 403, 429, and 400 to query parameters that it does not know, without reading the
    body. Once the body is there and it is the request's turn the key is looked at again, for it may
    have been revoked meanwhile. The body is then parsed and checked on a thread. The grant is in
    `request.state.grant`.
    """

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        """What answers a request."""
        handle = super().get_route_handler()
        scopes = _SCOPES[self.endpoint]
        parameters = frozenset(_query_names(self.dependant))
        has_body = self.methods != {"GET"}

        async def answer(request: Request) -> Response:
            grant = await _allowed(request, scopes)
            _refuse_unknown(request, parameters)
            turns: Turns = request.app.state.turns
            async with turns.of(grant.vault_id, _pieces(request, has_body)) as body:
                request.state.grant = await _allowed(request, scopes)
                return await handle(_Arrived(request, body, self._read))

        return answer

    def _read(self, body: bytes) -> object:
        sent = parsed(body)
        if self.body_field is None:
            return sent
        value, errors = self.body_field.validate(sent, loc=("body",))
        if errors:
            raise invalid_request(errors)
        return value


class _Arrived(Request):
    """A request whose body is there, and whose JSON is checked already.

    The framework takes what `json` answers as it is.
    """

    def __init__(self, request: Request, body: bytes, read: Callable[[bytes], object]) -> None:
        super().__init__(request.scope, request.receive, request._send)
        self._whole = body
        self._read = read

    async def body(self) -> bytes:
        return self._whole

    async def json(self) -> object:
        return await run_sync(self._read, self._whole)


async def _allowed(request: Request, scopes: tuple[str, ...]) -> Grant:
    """What the request's key allows now; raises Unauthorized and Forbidden."""
    grant = await granted(request)
    for scope in scopes:
        grant.require(scope)
    return grant


def _refuse_unknown(request: Request, known: frozenset[str]) -> None:
    """Raise InvalidRequest for query parameters that are not known: a filter, perhaps."""
    unknown = [name for name in dict.fromkeys(request.query_params) if name not in known]
    if unknown:
        issues = [{"type": "unknown_parameter", "loc": ("query", name)} for name in unknown]
        raise InvalidRequest(*issues_in(issues))


def _query_names(dependant: Dependant) -> Iterator[str]:
    """The query parameters that an endpoint and what it depends on declare."""
    for field in dependant.query_params:
        kind = field.field_info.annotation
        if isinstance(kind, type) and issubclass(kind, BaseModel):
            yield from (info.alias or name for name, info in kind.model_fields.items())
        else:
            yield field.alias
    for each in dependant.dependencies:
        yield from _query_names(each)


async def _pieces(request: Request, has_body: bool) -> AsyncIterator[bytes]:
    """The body as it arrives; raises InvalidRequest when the caller hangs up before its end."""
    if not has_body:
        return
    try:
        async for piece in request.stream():
            yield piece
    except ClientDisconnect:
        raise InvalidRequest("body: did not arrive whole") from None


def parsed(body: bytes) -> object:
    """The JSON of a body that does not unfold to more than a request needs.

    Raises InvalidRequest for one that does; ValueError and RecursionError for what is no JSON.
    """
    if too_many_values(body):
        raise InvalidRequest(
            f"body: holds over {MAX_CONTAINERS:,} lists and objects, or over {MAX_COMMAS:,} values"
        )
    value = json.loads(body.decode("utf-8-sig", "surrogatepass"))
    if too_many_fields(value):
        raise InvalidRequest(f"body: has an object of over {MAX_FIELDS:,} fields")
    return value
