"""The Levels API's settings, of a vault or of its account. Under `/v1` and `/api/v1`."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query
from starlette.responses import Response

from treering import replies, requests
from treering.http.call import AnyCall
from treering.http.responses import answers, example
from treering.http.route import KeyedRoute, asks

router = APIRouter(tags=["levels"], route_class=KeyedRoute)


@router.get("/settings", responses=answers(replies.SettingsReply))
@asks(requests.SettingsRequest)
def settings(query: Annotated[requests.SettingsRequest, Query()], call: AnyCall) -> Response:
    """Read what the vault (or its account) sets, and what is in force."""
    return call.answer(query)


@router.put("/settings", responses=answers(replies.SettingsReply))
@asks(requests.ChangeSettingsRequest)
def change_settings(
    body: Annotated[requests.ChangeSettingsRequest, example(maxTotalTokens=1500)],
    call: AnyCall,
) -> Response:
    """Change settings; null inherits again, what is left out stays as it is."""
    return call.answer(body)
