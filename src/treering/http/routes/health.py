"""`/health`: whether the server is well."""

from __future__ import annotations

from fastapi import APIRouter, Request
from starlette.responses import Response

from treering.http.session import data_dir_of, json_response
from treering.replies import HealthReply
from treering.rules.content import MAX_CHARACTERS
from treering.rules.lines import MAX_LINES
from treering.version import __version__

router = APIRouter(tags=["health"])


@router.get("/health", responses={200: {"model": HealthReply}})
@router.get("/v1/health", responses={200: {"model": HealthReply}})
@router.get("/api/v1/health", responses={200: {"model": HealthReply}})
def health(request: Request) -> Response:
    """Say whether the server is well, what it allows, and what is wrong with it."""
    vaults = data_dir_of(request).health()
    reply = HealthReply(
        ok=not vaults.problems,
        service="treering",
        version=__version__,
        extractor="rules-only",
        limits={
            "messageCharacters": MAX_CHARACTERS,
            "uploadLines": MAX_LINES,
            "bodyBytes": request.app.state.settings.max_body_mb << 20,
        },
        problems=vaults.problems,
        pending_vectors=vaults.pending_vectors,
    )
    return json_response(reply)
