"""The key that a request carries, or the access token, and what it allows."""

from __future__ import annotations

from anyio.to_thread import run_sync
from fastapi import Request
from fastapi.security import APIKeyHeader, HTTPBearer

from treering.access import Grant
from treering.data_dir import DataDir
from treering.errors import Unauthorized
from treering.http.addresses import audience_of

bearer = HTTPBearer(auto_error=False, description="A memory key, `mk_…`.")
x_api_key = APIKeyHeader(name="x-api-key", scheme_name="ApiKey", auto_error=False)
x_memory_key = APIKeyHeader(name="X-Memory-Key", scheme_name="MemoryKey", auto_error=False)


async def granted(request: Request) -> Grant:
    """What the request's key allows now; raises Unauthorized."""
    presented = await x_memory_key(request)
    if not presented:
        credentials = await bearer(request)
        presented = credentials.credentials if credentials else await x_api_key(request)
    if not presented:
        raise Unauthorized
    # Keys are looked up beside the other work, so that strangers never wait for it nor it for them.
    lookups = request.app.state.lookups
    grant_for = data_dir_of(request).grant_for
    return await run_sync(grant_for, presented, audience_of(request), limiter=lookups)


def data_dir_of(request: Request) -> DataDir:
    """The application's data directory."""
    found: DataDir = request.app.state.data_dir
    return found
