"""The Levels API's memories: taught, recalled, built into blocks. Under `/v1` and `/api/v1`."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Body, Query
from starlette.responses import Response

from treering import replies, requests
from treering.http.responses import answers
from treering.http.route import KeyedRoute
from treering.http.session import AnySession

router = APIRouter(tags=["levels"], route_class=KeyedRoute)


def _example(**body: Any) -> Any:
    return Body(openapi_examples={"typical": {"value": body}})


@router.post("/context", responses=answers(replies.ContextReply))
def context(
    body: Annotated[
        requests.ContextRequest,
        _example(userMessage="Why does auth.acme.dev:5433 time out?", sessionId="planning"),
    ],
    session: AnySession,
) -> Response:
    """Build the levels block for a turn."""
    return session.answer(body)


@router.post("/recall", responses=answers(replies.RecallReply))
def recall(
    body: Annotated[requests.RecallRequest, _example(query="auth port", limit=8)],
    session: AnySession,
) -> Response:
    """Find memories of all levels by relevance."""
    return session.answer(body)


@router.post("/turns", responses=answers(replies.LearnedReply, 409))
def turns(
    body: Annotated[
        requests.TurnRequest,
        _example(
            userMessage="The auth service listens on port 5433.", assistantResponse="Noted: 5433."
        ),
    ],
    session: AnySession,
) -> Response:
    """Keep an exchange verbatim, and learn from what the user said."""
    return session.answer(body)


@router.post("/memories", status_code=201, responses=answers(replies.LearnedReply, status=201))
def store(
    body: Annotated[
        requests.StoreRequest,
        _example(items=[{"content": "Staging is https://staging.acme.dev", "domains": ["infra"]}]),
    ],
    session: AnySession,
) -> Response:
    """Store statements outright; one that is held already is merged into what is held."""
    return session.answer(body, 201)


@router.get("/memories", responses=answers(replies.MemoriesReply))
def list_memories(
    query: Annotated[requests.MemoriesRequest, Query()], session: AnySession
) -> Response:
    """List memories, newest first."""
    return session.answer(query)


@router.get("/memories/{id}", responses=answers(replies.LeveledMemory, 404))
def read_memory(id: str, session: AnySession) -> Response:
    """Read one memory."""
    return session.answer(requests.MemoryRequest(id=id))


@router.patch("/memories/{id}", responses=answers(replies.LeveledMemory, 404))
def edit(
    id: str,
    body: Annotated[requests.EditFields, _example(tier="L0")],
    session: AnySession,
) -> Response:
    """Move a memory between levels, or change a statement's text, gist or domains."""
    return session.answer(requests.EditRequest.of(id, body))


@router.delete("/memories/{id}", responses=answers(replies.DeletedReply, 404))
def forget(id: str, session: AnySession) -> Response:
    """Delete one memory for good."""
    return session.answer(requests.ForgetRequest(id=id))


@router.get("/stats", responses=answers(replies.LevelStatsReply))
def stats(session: AnySession) -> Response:
    """Count what the vault holds by level, and show what in it wants attention."""
    return session.answer(requests.LevelStatsRequest())


@router.get("/analytics", responses=answers(replies.AnalyticsReply))
def analytics(
    query: Annotated[requests.AnalyticsRequest, Query()], session: AnySession
) -> Response:
    """Sum up what blocks cost, by day, reason, endpoint and key."""
    return session.answer(query)


@router.get("/builds", responses=answers(replies.BuildsReply))
def builds(query: Annotated[requests.BuildsRequest, Query()], session: AnySession) -> Response:
    """List the blocks that were sent, newest first."""
    return session.answer(query)


@router.get("/builds/{id}", responses=answers(replies.BuildReply, 404))
def build(id: str, session: AnySession) -> Response:
    """Read one block as it was sent."""
    return session.answer(requests.BuildRequest(id=id))
