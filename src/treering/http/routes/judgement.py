"""The Levels API's contradictions and self-model. Under `/v1` and `/api/v1`."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query
from starlette.responses import Response

from treering import replies, requests
from treering.http.call import AnyCall
from treering.http.responses import answers, example
from treering.http.route import KeyedRoute, asks

router = APIRouter(tags=["levels"], route_class=KeyedRoute)


@router.get("/tensions", responses=answers(replies.TensionsReply))
@asks(requests.TensionsRequest)
def list_tensions(query: Annotated[requests.TensionsRequest, Query()], call: AnyCall) -> Response:
    """List contradictions, newest first."""
    return call.answer(query)


@router.post("/tensions", status_code=201, responses=answers(replies.TensionReply, 409, status=201))
@asks(requests.OpenTensionRequest)
def open_tension(
    body: Annotated[
        requests.OpenTensionRequest,
        example(claimA="Auth is on 5433.", claimB="Auth is on 6000.", impact="medium"),
    ],
    call: AnyCall,
) -> Response:
    """Record a contradiction between two claims."""
    return call.answer(body, 201)


@router.post("/tensions/{id}", responses=answers(replies.TensionReply, 404, 409))
@asks(requests.ChangeTensionRequest)
def change_tension(
    id: str,
    body: Annotated[
        requests.ChangeTensionFields,
        example(resolvedBy="the team", pattern="Auth moved to 6000 in May."),
    ],
    call: AnyCall,
) -> Response:
    """Resolve a contradiction, or set it active or latent."""
    return call.answer(requests.ChangeTensionRequest.of(id, body))


@router.delete("/tensions/{id}", responses=answers(replies.DeletedReply, 404))
@asks(requests.DropTensionRequest)
def drop_tension(id: str, call: AnyCall) -> Response:
    """Delete a contradiction; its claims stay."""
    return call.answer(requests.DropTensionRequest(id=id))


@router.get("/self-model", responses=answers(replies.SelfModelReply))
@asks(requests.SelfModelRequest)
def self_model(call: AnyCall) -> Response:
    """Read how reliable the agent has been, by domain."""
    return call.answer(requests.SelfModelRequest())


@router.post("/self-model/outcome", responses=answers(replies.SelfModelReply, 409))
@asks(requests.OutcomeRequest)
def outcome(
    body: Annotated[
        requests.OutcomeRequest,
        example(domain="billing", success=False, failurePattern="Forgot the tax rate."),
    ],
    call: AnyCall,
) -> Response:
    """Record how something went in a domain."""
    return call.answer(body)
