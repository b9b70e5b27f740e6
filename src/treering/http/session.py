"""Who a request comes from: its key's grant, its vault, and what its headers say."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Annotated, TypeVar

from fastapi import Depends, Header, Request
from fastapi.security import HTTPAuthorizationCredentials
from starlette.responses import Response

from treering import requests
from treering.access import Grant
from treering.data_dir import DataDir
from treering.http.keys import bearer, data_dir_of, x_api_key, x_memory_key
from treering.model import Caller
from treering.replies import to_json
from treering.requests import parse_session_id
from treering.vault import Vault

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
class Session:
    """A request's vault, as far as its key reaches into it."""

    data_dir: DataDir
    vault: Vault
    grant: Grant
    caller: Caller

    def answer(self, request: requests.Request[R], status: int = 200) -> Response:
        """Perform one verb and show its reply."""
        self.grant.allow(type(request))
        return json_response(self.perform(request), status, self.vault.embedder)

    def perform(self, request: requests.Request[R]) -> R:
        """Perform one verb, if the key allows it."""
        self.grant.allow(type(request))
        return self.vault.perform(request, self.caller)


def session_of(
    request: Request,
    grant: Annotated[Grant, Depends(grant_of)],
    x_session_id: Annotated[str | None, Header(description="A session of the vault.")] = None,
    idempotency_key: Annotated[
        str | None, Header(description="Makes resending safe for 24 hours, whatever is sent.")
    ] = None,
) -> Iterator[Session]:
    """The session that a memory route works in."""
    caller = Caller(
        key_id=grant.key_id,
        session_id=parse_session_id("X-Session-ID", _text(x_session_id)),
        idempotency_key=parse_session_id("Idempotency-Key", _text(idempotency_key)),
    )
    data_dir = data_dir_of(request)
    with data_dir.using(grant.vault_id) as vault:
        yield Session(data_dir, vault, grant, caller)


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


AnySession = Annotated[Session, Depends(session_of)]
AnyGrant = Annotated[Grant, Depends(grant_of)]
