"""The HTTP application over one data directory."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from fastapi import FastAPI

from treering.data_dir import DataDir
from treering.http.body_limit import BodyLimit
from treering.http.errors import add_error_handlers
from treering.http.routes import account, health, keys, memory, upload
from treering.settings import Settings
from treering.version import __version__

_DESCRIPTION = """\
Memory for AI agents that layers and never overwrites. Send a memory key as
`Authorization: Bearer mk_…`, `x-api-key` or `X-Memory-Key`; it opens one vault.
"""


def create_app(data_dir: DataDir, settings: Settings) -> FastAPI:
    """The application; it closes `data_dir` when it shuts down."""

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        data_dir.resume()
        yield
        data_dir.close()

    app = _Api(
        title="Treering",
        version=__version__,
        description=_DESCRIPTION,
        lifespan=lifespan,
        docs_url="/docs",
        redoc_url=None,
    )
    app.state.data_dir = data_dir
    app.state.settings = settings
    app.add_middleware(BodyLimit, limit=settings.max_body_mb << 20)
    add_error_handlers(app)
    app.include_router(health.router)
    app.include_router(memory.router)
    app.include_router(upload.router)
    app.include_router(account.router)
    app.include_router(keys.router)
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
