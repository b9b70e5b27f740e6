"""`/health`: whether the server is well."""

from __future__ import annotations

from anyio.to_thread import run_sync
from fastapi import APIRouter, Request
from starlette.responses import Response

from treering.http.call import json_response
from treering.http.keys import data_dir_of
from treering.replies import HealthReply
from treering.requests.lines import MAX_LINES
from treering.rules.content import MAX_CHARACTERS
from treering.settings import level_settings_of
from treering.version import __version__

router = APIRouter(tags=["health"])


@router.get("/health", responses={200: {"model": HealthReply}})
@router.get("/v1/health", responses={200: {"model": HealthReply}})
@router.get("/api/v1/health", responses={200: {"model": HealthReply}})
async def health(request: Request) -> Response:
    """Say whether the server is well, what it allows, and what is wrong with it."""
    # Beside the other work: a server that is busy still says that it is well.
    checks = request.app.state.health_checks
    vaults = await run_sync(data_dir_of(request).health, limiter=checks)
    levels, unusable = level_settings_of(request.app.state.settings)
    reply = HealthReply(
        ok=not vaults.summary,
        service="treering",
        version=__version__,
        extractor="rules-only",
        limits={
            "messageCharacters": MAX_CHARACTERS,
            "uploadLines": MAX_LINES,
            "bodyBytes": request.app.state.settings.max_body_mb << 20,
            "maxTotalTokens": levels.max_total_tokens,
            "maxIndexItems": levels.max_index_items,
            "defaultRecallLimit": levels.default_recall_limit,
        },
        problems=[*vaults.summary, *unusable],
        pending_vectors=vaults.pending_vectors,
    )
    return json_response(reply)
