"""The Levels API's memories: taught, recalled, built into blocks. Under `/v1` and `/api/v1`."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query
from starlette.responses import Response

from treering import replies, requests
from treering.http.call import AnyCall, ResendableCall
from treering.http.responses import answers, example
from treering.http.route import KeyedRoute, asks

router = APIRouter(tags=["levels"], route_class=KeyedRoute)


@router.post("/context", responses=answers(replies.ContextReply))
@asks(requests.ContextRequest)
def context(
    body: Annotated[
        requests.ContextRequest,
        example(userMessage="Why does auth.acme.dev:5433 time out?", sessionId="planning"),
    ],
    call: AnyCall,
) -> Response:
    """Build the levels block for a turn."""
    return call.answer(body)


@router.post("/recall", responses=answers(replies.RecallReply))
@asks(requests.RecallRequest)
def recall(
    body: Annotated[requests.RecallRequest, example(query="auth port", limit=8)],
    call: AnyCall,
) -> Response:
    """Find memories of all levels by relevance."""
    return call.answer(body)


@router.post("/turns", responses=answers(replies.LearnedReply, 409))
@asks(requests.TurnRequest)
def turns(
    body: Annotated[
        requests.TurnRequest,
        example(
            userMessage="The auth service listens on port 5433.", assistantResponse="Noted: 5433."
        ),
    ],
    call: ResendableCall,
) -> Response:
    """Keep an exchange verbatim, and learn from what the user said."""
    return call.answer(body)


@router.post("/memories", status_code=201, responses=answers(replies.LearnedReply, status=201))
@asks(requests.StoreRequest)
def store(
    body: Annotated[
        requests.StoreRequest,
        example(items=[{"content": "Staging is https://staging.acme.dev", "domains": ["infra"]}]),
    ],
    call: AnyCall,
) -> Response:
    """Store statements outright; one that is held already is merged into what is held."""
    return call.answer(body, 201)


@router.get("/memories", responses=answers(replies.MemoriesReply))
@asks(requests.MemoriesRequest)
def list_memories(query: Annotated[requests.MemoriesRequest, Query()], call: AnyCall) -> Response:
    """List memories, newest first."""
    return call.answer(query)


@router.get("/memories/{id}", responses=answers(replies.LeveledMemory, 404))
@asks(requests.MemoryRequest)
def read_memory(id: str, call: AnyCall) -> Response:
    """Read one memory."""
    return call.answer(requests.MemoryRequest(id=id))


@router.patch("/memories/{id}", responses=answers(replies.LeveledMemory, 404))
@asks(requests.EditRequest)
def edit(
    id: str,
    body: Annotated[requests.EditFields, example(tier="L0")],
    call: AnyCall,
) -> Response:
    """Move a memory between levels, or change a statement's text, gist or domains."""
    return call.answer(requests.EditRequest.of(id, body))


@router.delete("/memories/{id}", responses=answers(replies.DeletedReply, 404))
@asks(requests.ForgetRequest)
def forget(id: str, call: AnyCall) -> Response:
    """Delete one memory for good."""
    return call.answer(requests.ForgetRequest(id=id))


@router.get("/stats", responses=answers(replies.LevelStatsReply))
@asks(requests.LevelStatsRequest)
def stats(call: AnyCall) -> Response:
    """Count what the vault holds by level, and show what in it wants attention."""
    return call.answer(requests.LevelStatsRequest())


@router.get("/analytics", responses=answers(replies.AnalyticsReply))
@asks(requests.AnalyticsRequest)
def analytics(query: Annotated[requests.AnalyticsRequest, Query()], call: AnyCall) -> Response:
    """Sum up what blocks cost, by day, reason, endpoint and key."""
    return call.answer(query)


@router.get("/builds", responses=answers(replies.BuildsReply))
@asks(requests.BuildsRequest)
def builds(query: Annotated[requests.BuildsRequest, Query()], call: AnyCall) -> Response:
    """List the blocks that were sent, newest first."""
    return call.answer(query)


@router.get("/builds/{id}", responses=answers(replies.BuildReply, 404))
@asks(requests.BuildRequest)
def build(id: str, call: AnyCall) -> Response:
    """Read one block as it was sent."""
    return call.answer(requests.BuildRequest(id=id))
