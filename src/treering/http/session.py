"""Who a request comes from: its key's grant, its vault, and what its headers say."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Annotated, TypeVar

from fastapi import Depends, Header, Request
from fastapi.security import APIKeyHeader, HTTPAuthorizationCredentials, HTTPBearer
from starlette.responses import Response

from treering import requests
from treering.access import Grant
from treering.data_dir import DataDir
from treering.errors import Unauthorized
from treering.model import Caller
from treering.replies import to_json
from treering.requests import parse_session_id
from treering.vault import Vault

R = TypeVar("R")

_bearer = HTTPBearer(auto_error=False, description="A memory key, `mk_…`.")
_x_api_key = APIKeyHeader(name="x-api-key", scheme_name="ApiKey", auto_error=False)
_x_memory_key = APIKeyHeader(name="X-Memory-Key", scheme_name="MemoryKey", auto_error=False)


def grant_of(
    request: Request,
    memory_key: Annotated[str | None, Depends(_x_memory_key)],
    api_key: Annotated[str | None, Depends(_x_api_key)],
    bearer: Annotated[HTTPAuthorizationCredentials | None, Depends(_bearer)],
) -> Grant:
    """The grant of the key that the request carries; raises Unauthorized."""
    presented = memory_key or (bearer.credentials if bearer else None) or api_key
    if not presented:
        raise Unauthorized
    return data_dir_of(request).grant_for(presented)


def data_dir_of(request: Request) -> DataDir:
    """The application's data directory."""
    found: DataDir = request.app.state.data_dir
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
        session_id=parse_session_id("X-Session-ID", x_session_id),
        idempotency_key=parse_session_id("Idempotency-Key", idempotency_key),
    )
    data_dir = data_dir_of(request)
    with data_dir.using(grant.vault_id) as vault:
        yield Session(data_dir, vault, grant, caller)


def json_response(reply: object, status: int = 200, embedder: str | None = None) -> Response:
    """A reply as JSON."""
    headers = {} if embedder is None else {"X-Embedding-Model": embedder}
    return Response(to_json(reply), status, headers, "application/json")


AnySession = Annotated[Session, Depends(session_of)]
AnyGrant = Annotated[Grant, Depends(grant_of)]
