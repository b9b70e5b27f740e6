"""The HTTP application over one data directory."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from anyio import CapacityLimiter
from anyio.to_thread import current_default_thread_limiter
from fastapi import FastAPI
from starlette.routing import Route

from treering.data_dir import DataDir
from treering.http.accepting import quiet_when_full
from treering.http.addresses import MCP_PATH
from treering.http.body_limit import BodyLimit
from treering.http.errors import add_error_handlers
from treering.http.mcp import McpEndpoint
from treering.http.routes import (
    account,
    connections,
    consent,
    health,
    judgement,
    keys,
    level_settings,
    levels,
    memory,
    oauth,
    signing_in,
    upload,
)
from treering.http.safe_headers import SafeHeaders
from treering.http.turns import Turns
from treering.settings import Settings
from treering.version import __version__

_THREADS = 64
"""How many requests are worked on at once, of all vaults."""
_LOOKUPS = 8
"""How many keys are looked up at once."""
_SIGN_INS = 2
"""How many passwords are compared at once: each takes 64 MiB."""
_DESCRIPTION = """\
Memory for AI agents that layers and never overwrites. Send a memory key as
`Authorization: Bearer mk_…`, `x-api-key` or `X-Memory-Key`; it opens one vault.
"""


def create_app(data_dir: DataDir, settings: Settings) -> FastAPI:
    """The application; it closes `data_dir` when it shuts down."""

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        quiet_when_full(asyncio.get_running_loop())
        current_default_thread_limiter().total_tokens = _THREADS
        data_dir.resume()
        async with mcp.running():
            yield
        data_dir.close()

    mcp = McpEndpoint(data_dir, settings)

    app = _Api(
        title="Treering",
        version=__version__,
        description=_DESCRIPTION,
        lifespan=lifespan,
        # The page that FastAPI would serve here loads its scripts from someone else's network.
        docs_url=None,
        redoc_url=None,
        redirect_slashes=False,
    )
    app.state.data_dir = data_dir
    app.state.turns = Turns()
    app.state.lookups = CapacityLimiter(_LOOKUPS)
    app.state.sign_ins = CapacityLimiter(_SIGN_INS)
    app.state.health_checks = CapacityLimiter(1)
    app.state.settings = settings
    app.add_middleware(BodyLimit, limit=settings.max_body_mb << 20)
    app.add_middleware(SafeHeaders)
    add_error_handlers(app)
    app.include_router(health.router)
    app.include_router(memory.router)
    app.include_router(upload.router)
    app.include_router(account.router)
    app.include_router(keys.router)
    for router in (oauth.router, signing_in.router, consent.router, connections.router):
        app.include_router(router)
    for prefix in ("/v1", "/api/v1"):
        app.include_router(levels.router, prefix=prefix)
        app.include_router(judgement.router, prefix=prefix)
        app.include_router(level_settings.router, prefix=prefix)
    for path in (MCP_PATH, f"{MCP_PATH}/"):
        app.router.routes.append(Route(path, mcp))
    return app


class _Api(FastAPI):
    def openapi(self) -> dict[str, Any]:
        """The document, without the 422 that FastAPI adds and this API never answers."""
        document = super().openapi()
        for operations in document["paths"].values():
            for operation in operations.values():
                operation["responses"].pop("422", None)
        for name in ("HTTPValidationError", "ValidationError"):
            document["components"]["schemas"].pop(name, None)
        return document
