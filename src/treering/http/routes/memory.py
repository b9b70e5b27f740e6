"""`/v1/memory`: storing, retrieving, consolidating and deleting."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Body
from pydantic import BaseModel, ConfigDict
from starlette.responses import Response

from treering import replies, requests
from treering.http.call import AnyCall, ResendableCall
from treering.http.responses import answers, example
from treering.http.route import KeyedRoute, asks

router = APIRouter(prefix="/v1/memory", tags=["memory"], route_class=KeyedRoute)

_SEARCH_EXAMPLE = {"query": "which port does the auth service use?", "limit": 10}


class NoFields(BaseModel):
    """A body without fields, so that a misplaced filter is refused and never ignored."""

    model_config = ConfigDict(extra="forbid")


@router.post("/ingest", status_code=202, responses=answers(replies.IngestReply, 409, status=202))
@asks(requests.IngestRequest)
def ingest(
    body: Annotated[
        requests.IngestRequest,
        example(
            messages=[
                {"role": "user", "content": "The auth service moved to port 5433."},
                {"role": "assistant", "content": "Noted: auth is on 5433 now."},
            ],
            session_id="planning",
        ),
    ],
    call: ResendableCall,
) -> Response:
    """Store messages verbatim. Sending them again is safe."""
    return call.answer(body, 202)


@router.post("/search", responses=answers(replies.SearchReply))
@asks(requests.SearchRequest)
def search(
    body: Annotated[requests.SearchRequest, example(**_SEARCH_EXAMPLE)], call: AnyCall
) -> Response:
    """Find memories by relevance; all tiers are blended unless `tiers` says otherwise."""
    return call.answer(body)


@router.post("/prepare", responses=answers(replies.PrepareReply))
@asks(requests.PrepareRequest)
def prepare(
    body: Annotated[
        requests.PrepareRequest,
        example(messages=[{"role": "user", "content": "Deploy auth, please."}], density="default"),
    ],
    call: AnyCall,
) -> Response:
    """Build the block of recalled notes that a prompt gets."""
    return call.answer(body)


@router.post("/date-search", responses=answers(replies.DateSearchReply))
@asks(requests.DateSearchRequest)
def date_search(
    body: Annotated[
        requests.DateSearchRequest,
        example(**{"from": "2026-08-08", "to": "2026-08-15", "query": "deploy"}),
    ],
    call: AnyCall,
) -> Response:
    """Find memories by time; while `truncated`, go on from the end of `returned`."""
    return call.answer(body)


@router.post("/inspect", responses=answers(replies.InspectReply, 404))
@asks(requests.InspectRequest)
def inspect(
    body: Annotated[
        requests.InspectRequest, example(memory_id="9b2f1c34-6a7e-4d21-8f0a-3b5c9d7e1a22")
    ],
    call: AnyCall,
) -> Response:
    """Drill down from a reflection to its sources, or up from a raw memory."""
    return call.answer(body)


@router.post("/consolidate/checkout", responses=answers(replies.CheckoutReply))
@asks(requests.CheckoutRequest)
def checkout(body: Annotated[requests.CheckoutRequest, example(tier=1)], call: AnyCall) -> Response:
    """Lease the oldest unconsolidated memories; `batch_id` is null when there are none."""
    return call.answer(body)


@router.post("/consolidate/commit", responses=answers(replies.CommitReply, 404, 409))
@asks(requests.CommitRequest)
def commit(
    body: Annotated[
        requests.CommitRequest,
        example(
            batch_id="cb_9f2c6e0a4b7d48d1a3c5e7f9b1d3f5a7",
            entries=[{"text": "The auth service moved to port 5433.", "importance": 6}],
        ),
    ],
    call: AnyCall,
) -> Response:
    """Store the entries that a model wrote over a leased batch. A replay writes nothing."""
    return call.answer(body)


@router.post("/consolidate/revert", responses=answers(replies.RevertReply, 404, 409))
@asks(requests.RevertRequest)
def revert(
    body: Annotated[
        requests.RevertRequest, example(batch_id="cb_9f2c6e0a4b7d48d1a3c5e7f9b1d3f5a7")
    ],
    call: AnyCall,
) -> Response:
    """Undo one committed batch, unless something was built on it."""
    return call.answer(body)


@router.post("/delete-ids", responses=answers(replies.DeleteReply))
@asks(requests.DeleteRequest)
def delete_ids(
    body: Annotated[requests.DeleteRequest, example(ids=["9b2f1c34-6a7e-4d21-8f0a-3b5c9d7e1a22"])],
    call: AnyCall,
) -> Response:
    """Delete memories for good, whatever their tier."""
    return call.answer(body)


@router.get("/stats", responses=answers(replies.StatsReply))
@asks(requests.StatsRequest)
def stats(call: AnyCall) -> Response:
    """Count what the vault holds."""
    return call.answer(requests.StatsRequest())


@router.post("/warmup", responses=answers(replies.WarmupReply))
@asks(requests.WarmupRequest)
def warmup(call: AnyCall) -> Response:
    """Load the vault's index."""
    return call.answer(requests.WarmupRequest())


@router.delete("", responses=answers(replies.WipeReply))
@asks(requests.WipeRequest)
def wipe(call: AnyCall, body: Annotated[NoFields | None, Body()] = None) -> Response:
    """Delete every memory of the vault, or of one session; the key goes on working."""
    return call.answer(requests.WipeRequest(session_id=call.caller.session_id))
