"""The Levels API's contradictions, self-model and settings. Under `/v1` and `/api/v1`."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Body, Query
from starlette.responses import Response

from treering import replies, requests
from treering.http.responses import answers
from treering.http.route import KeyedRoute
from treering.http.session import AnySession, Session, json_response

router = APIRouter(tags=["levels"], route_class=KeyedRoute)


def _example(**body: Any) -> Any:
    return Body(openapi_examples={"typical": {"value": body}})


@router.get("/tensions", responses=answers(replies.TensionsReply))
def list_tensions(
    query: Annotated[requests.TensionsRequest, Query()], session: AnySession
) -> Response:
    """List contradictions, newest first."""
    return session.answer(query)


@router.post("/tensions", status_code=201, responses=answers(replies.TensionReply, status=201))
def open_tension(
    body: Annotated[
        requests.OpenTensionRequest,
        _example(claimA="Auth is on 5433.", claimB="Auth is on 6000.", impact="medium"),
    ],
    session: AnySession,
) -> Response:
    """Record a contradiction between two claims."""
    return session.answer(body, 201)


@router.post("/tensions/{id}", responses=answers(replies.TensionReply, 404))
def change_tension(
    id: str,
    body: Annotated[
        requests.ChangeTensionFields,
        _example(resolvedBy="the team", pattern="Auth moved to 6000 in May."),
    ],
    session: AnySession,
) -> Response:
    """Resolve a contradiction, or set it active or latent."""
    return session.answer(requests.ChangeTensionRequest.of(id, body))


@router.delete("/tensions/{id}", responses=answers(replies.DeletedReply, 404))
def drop_tension(id: str, session: AnySession) -> Response:
    """Delete a contradiction; its claims stay."""
    return session.answer(requests.DropTensionRequest(id=id))


@router.get("/self-model", responses=answers(replies.SelfModelReply))
def self_model(session: AnySession) -> Response:
    """Read how reliable the agent has been, by domain."""
    return session.answer(requests.SelfModelRequest())


@router.post("/self-model/outcome", responses=answers(replies.SelfModelReply))
def outcome(
    body: Annotated[
        requests.OutcomeRequest,
        _example(domain="billing", success=False, failurePattern="Forgot the tax rate."),
    ],
    session: AnySession,
) -> Response:
    """Record how something went in a domain."""
    return session.answer(body)


@router.get("/settings", responses=answers(replies.SettingsReply))
def settings(query: Annotated[requests.SettingsRequest, Query()], session: AnySession) -> Response:
    """Read what the vault (or its account) sets, and what is in force."""
    return _answer(session, query)


@router.put("/settings", responses=answers(replies.SettingsReply))
def change_settings(
    body: Annotated[requests.ChangeSettingsRequest, _example(maxTotalTokens=1500)],
    session: AnySession,
) -> Response:
    """Change settings; null inherits again, what is left out stays as it is."""
    return _answer(session, body)


def _answer(
    session: Session, request: requests.SettingsRequest | requests.ChangeSettingsRequest
) -> Response:
    if request.scope == "vault":
        return session.answer(request)
    session.grant.allow(type(request))
    return json_response(session.data_dir.account_settings(session.grant.account_id, request))
