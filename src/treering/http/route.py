"""A route behind a key: who asks is known before the body is read, and a body holds up nobody."""

from __future__ import annotations

import json
from collections.abc import Callable, Coroutine
from typing import Any

from anyio.to_thread import run_sync
from fastapi import Request, Response
from fastapi.routing import APIRoute

from treering.access import SCOPES_OF, Grant
from treering.errors import InvalidRequest
from treering.http.errors import invalid_request
from treering.http.keys import granted
from treering.http.turns import Turns
from treering.rules.bulk import (
    MAX_COMMAS,
    MAX_CONTAINERS,
    MAX_FIELDS,
    too_many_fields,
    too_many_values,
)


class KeyedRoute(APIRoute):
    """A route that answers 401, 403 and 429 without reading the body.

    The body is then parsed and checked on a thread. The grant is in `request.state.grant`.
    """

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        """What answers a request."""
        handle = super().get_route_handler()

        async def answer(request: Request) -> Response:
            grant = request.state.grant = await granted(request)
            self._allow(grant)
            turns: Turns = request.app.state.turns
            async with turns.of(grant.vault_id):
                return await handle(_Parsed(request, self._read))

        return answer

    def _allow(self, grant: Grant) -> None:
        """Raise Forbidden when the body's kind says already that the key will not do."""
        kind = self.body_field and self.body_field.field_info.annotation
        if kind in SCOPES_OF:
            grant.allow(kind)

    def _read(self, body: bytes) -> object:
        sent = parsed(body)
        if self.body_field is None:
            return sent
        value, errors = self.body_field.validate(sent, loc=("body",))
        if errors:
            raise invalid_request(errors)
        return value


class _Parsed(Request):
    """A request whose JSON is the body already checked, which the framework then takes as it is."""

    def __init__(self, request: Request, read: Callable[[bytes], object]) -> None:
        super().__init__(request.scope, request.receive, request._send)
        self._read = read

    async def json(self) -> object:
        return await run_sync(self._read, await self.body())


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
