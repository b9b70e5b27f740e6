"""`/v1/account`: what was used."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query
from starlette.responses import Response

from treering import replies, requests
from treering.access import KEYS
from treering.http.responses import answers
from treering.http.route import KeyedRoute
from treering.http.session import AnySession, json_response

router = APIRouter(prefix="/v1/account", tags=["account"], route_class=KeyedRoute)


@router.get("/usage", responses=answers(replies.UsageReply))
def usage(
    session: AnySession,
    start: Annotated[str | None, Query(description="ISO date or time.")] = None,
    end: Annotated[str | None, Query(description="ISO date or time, excluded.")] = None,
) -> Response:
    """Sum up metered usage of the key's vault; of its whole account with `keys:manage`."""
    request = requests.UsageRequest(start=start, end=end)
    if KEYS not in session.grant.scopes:
        return session.answer(request)
    session.grant.allow(requests.UsageRequest)
    return json_response(session.data_dir.account_usage(session.grant.account_id, request))
