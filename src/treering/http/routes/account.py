"""`/v1/account`: what was used."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query
from starlette.responses import Response

from treering import replies, requests
from treering.http.call import AnyCall
from treering.http.responses import answers
from treering.http.route import KeyedRoute, asks

router = APIRouter(prefix="/v1/account", tags=["account"], route_class=KeyedRoute)


@router.get("/usage", responses=answers(replies.UsageReply))
@asks(requests.UsageRequest)
def usage(
    call: AnyCall,
    start: Annotated[str | None, Query(description="ISO date or time.")] = None,
    end: Annotated[str | None, Query(description="ISO date or time, excluded.")] = None,
) -> Response:
    """Sum up metered usage of the key's vault; of its whole account with `keys:manage`."""
    return call.answer(requests.UsageRequest(start=start, end=end))
