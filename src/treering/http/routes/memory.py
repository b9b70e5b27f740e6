"""`/v1/memory`: storing, retrieving, consolidating and deleting."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Body, Header, Request
from pydantic import BaseModel, ConfigDict
from starlette.responses import Response

from treering import replies, requests
from treering.errors import InvalidRequest
from treering.http.responses import answers
from treering.http.route import KeyedRoute
from treering.http.session import AnySession

router = APIRouter(prefix="/v1/memory", tags=["memory"], route_class=KeyedRoute)

_SEARCH_EXAMPLE = {"query": "which port does the auth service use?", "limit": 10}


class NoFields(BaseModel):
    """A body without fields, so that a misplaced filter is refused and never ignored."""

    model_config = ConfigDict(extra="forbid")


def _example(**body: Any) -> Any:
    return Body(openapi_examples={"typical": {"value": body}})


@router.post("/ingest", status_code=202, responses=answers(replies.IngestReply, 409, status=202))
def ingest(
    body: Annotated[
        requests.IngestRequest,
        _example(
            messages=[
                {"role": "user", "content": "The auth service moved to port 5433."},
                {"role": "assistant", "content": "Noted: auth is on 5433 now."},
            ],
            session_id="planning",
        ),
    ],
    session: AnySession,
) -> Response:
    """Store messages verbatim. Sending them again is safe."""
    return session.answer(body, 202)


@router.post("/search", responses=answers(replies.SearchReply))
def search(
    body: Annotated[requests.SearchRequest, _example(**_SEARCH_EXAMPLE)], session: AnySession
) -> Response:
    """Find memories by relevance; all tiers are blended unless `tiers` says otherwise."""
    return session.answer(body)


@router.post("/prepare", responses=answers(replies.PrepareReply))
def prepare(
    body: Annotated[
        requests.PrepareRequest,
        _example(messages=[{"role": "user", "content": "Deploy auth, please."}], density="default"),
    ],
    session: AnySession,
) -> Response:
    """Build the block of recalled notes that a prompt gets."""
    return session.answer(body)


@router.post("/date-search", responses=answers(replies.DateSearchReply))
def date_search(
    body: Annotated[
        requests.DateSearchRequest,
        _example(**{"from": "2026-08-08", "to": "2026-08-15", "query": "deploy"}),
    ],
    session: AnySession,
) -> Response:
    """Find memories by time; while `truncated`, go on from the end of `returned`."""
    return session.answer(body)


@router.post("/inspect", responses=answers(replies.InspectReply, 404))
def inspect(
    body: Annotated[
        requests.InspectRequest, _example(memory_id="9b2f1c34-6a7e-4d21-8f0a-3b5c9d7e1a22")
    ],
    session: AnySession,
) -> Response:
    """Drill down from a reflection to its sources, or up from a raw memory."""
    return session.answer(body)


@router.post("/consolidate/checkout", responses=answers(replies.CheckoutReply))
def checkout(
    body: Annotated[requests.CheckoutRequest, _example(tier=1)], session: AnySession
) -> Response:
    """Lease the oldest unconsolidated memories; `batch_id` is null when there are none."""
    return session.answer(body)


@router.post("/consolidate/commit", responses=answers(replies.CommitReply, 404, 409))
def commit(
    body: Annotated[
        requests.CommitRequest,
        _example(
            batch_id="cb_9f2c6e0a4b7d48d1a3c5e7f9b1d3f5a7",
            entries=[{"text": "The auth service moved to port 5433.", "importance": 6}],
        ),
    ],
    session: AnySession,
) -> Response:
    """Store the entries that a model wrote over a leased batch. A replay writes nothing."""
    return session.answer(body)


@router.post("/consolidate/revert", responses=answers(replies.RevertReply, 404, 409))
def revert(
    body: Annotated[
        requests.RevertRequest, _example(batch_id="cb_9f2c6e0a4b7d48d1a3c5e7f9b1d3f5a7")
    ],
    session: AnySession,
) -> Response:
    """Undo one committed batch, unless something was built on it."""
    return session.answer(body)


@router.post("/delete-ids", responses=answers(replies.DeleteReply))
def delete_ids(
    body: Annotated[requests.DeleteRequest, _example(ids=["9b2f1c34-6a7e-4d21-8f0a-3b5c9d7e1a22"])],
    session: AnySession,
) -> Response:
    """Delete memories for good, whatever their tier."""
    return session.answer(body)


@router.get("/stats", responses=answers(replies.StatsReply))
def stats(session: AnySession) -> Response:
    """Count what the vault holds."""
    return session.answer(requests.StatsRequest())


@router.post("/warmup", responses=answers(replies.WarmupReply))
def warmup(session: AnySession) -> Response:
    """Load the vault's index."""
    return session.answer(requests.WarmupRequest())


@router.delete("", responses=answers(replies.WipeReply))
def wipe(
    session: AnySession,
    request: Request,
    x_session_id: Annotated[str | None, Header(description="Only this session.")] = None,
    body: Annotated[NoFields | None, Body()] = None,
) -> Response:
    """Delete every memory of the vault, or of one session; the key goes on working."""
    if request.query_params:
        raise InvalidRequest("query: is not read here; name a session in X-Session-ID")
    if x_session_id is not None and not x_session_id.strip():
        raise InvalidRequest("X-Session-ID: is empty; leave it out to delete the whole vault")
    return session.answer(requests.WipeRequest(session_id=session.caller.session_id))
