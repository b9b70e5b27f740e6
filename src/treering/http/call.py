"""One request: what its key reaches, and what its headers say."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Annotated, TypeVar

from fastapi import Depends, Header, Request
from fastapi.security import HTTPAuthorizationCredentials
from starlette.responses import Response

from treering import requests
from treering.access import Grant
from treering.http.keys import bearer, data_dir_of, x_api_key, x_memory_key
from treering.model import Caller
from treering.reach import Reach
from treering.replies import to_json
from treering.requests import parse_session_id

R = TypeVar("R")


async def grant_of(
    request: Request,
    _memory_key: Annotated[str | None, Depends(x_memory_key)],
    _api_key: Annotated[str | None, Depends(x_api_key)],
    _bearer: Annotated[HTTPAuthorizationCredentials | None, Depends(bearer)],
) -> Grant:
    """The grant that the route found; the headers stand here for the OpenAPI document."""
    found: Grant = request.state.grant
    return found


@dataclass(frozen=True, slots=True)
class Call:
    """A request on a vault, as far as its key reaches."""

    reach: Reach
    caller: Caller

    def answer(self, request: requests.Request[R], status: int = 200) -> Response:
        """Perform one verb, if the key allows it, and show its reply."""
        reply = self.reach.perform(request, self.caller)
        return json_response(reply, status, self.reach.vault.embedder)


def call_of(
    request: Request,
    grant: Annotated[Grant, Depends(grant_of)],
    x_session_id: Annotated[
        str | None,
        Header(description="A session of the vault; of a wipe, the only one that is deleted."),
    ] = None,
) -> Iterator[Call]:
    """The call that a memory route answers."""
    session_id = parse_session_id("X-Session-ID", _text(x_session_id))
    data_dir = data_dir_of(request)
    with data_dir.using(grant.vault_id) as vault:
        yield Call(Reach(data_dir, vault, grant.account_id, grant), Caller(session_id=session_id))


def resendable(
    call: Annotated[Call, Depends(call_of)],
    idempotency_key: Annotated[
        str | None, Header(description="Makes resending safe for 24 hours, whatever is sent.")
    ] = None,
) -> Call:
    """A call that may be sent again under its `Idempotency-Key`."""
    key = parse_session_id("Idempotency-Key", _text(idempotency_key))
    return replace(call, caller=replace(call.caller, idempotency_key=key))


def _text(header: str | None) -> str | None:
    """A header's text in UTF-8, where it is such; the framework takes every byte for a letter."""
    try:
        return header and header.encode("latin-1").decode("utf-8")
    except UnicodeDecodeError:
        return header


def json_response(reply: object, status: int = 200, embedder: str | None = None) -> Response:
    """A reply as JSON."""
    headers = {} if embedder is None else {"X-Embedding-Model": embedder}
    return Response(to_json(reply), status, headers, "application/json")


AnyCall = Annotated[Call, Depends(call_of)]
ResendableCall = Annotated[Call, Depends(resendable)]
AnyGrant = Annotated[Grant, Depends(grant_of)]
