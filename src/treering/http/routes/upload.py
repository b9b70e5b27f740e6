"""`/v1/memory/upload`: a file of JSON lines."""

from __future__ import annotations

from fastapi import APIRouter, Request
from fastapi.concurrency import run_in_threadpool
from starlette.responses import Response

from treering import replies, requests
from treering.errors import PayloadTooLarge
from treering.http.call import AnyCall, Call
from treering.http.responses import answers
from treering.http.route import KeyedRoute, asks
from treering.requests.lines import MAX_LINES, upload_lines

router = APIRouter(prefix="/v1/memory", tags=["memory"], route_class=KeyedRoute)

_BODY = {
    "requestBody": {
        "required": True,
        "content": {
            "text/plain": {
                "schema": {"type": "string"},
                "example": '{"content": "We ship on Fridays.", "role": "user"}\n',
            }
        },
    }
}


@router.post("/upload", responses=answers(replies.UploadReply), openapi_extra=_BODY)
@asks(requests.UploadRequest)
async def upload(request: Request, call: AnyCall) -> Response:
    """Store up to 10,000 lines `{content, role?, timestamp?, session_id?}`; good ones are kept."""
    return await run_in_threadpool(_store, call, await request.body())


def _store(call: Call, body: bytes) -> Response:
    if body.removesuffix(b"\n").count(b"\n") >= MAX_LINES:
        raise PayloadTooLarge("The number of lines", MAX_LINES)
    return call.answer(requests.UploadRequest(lines=upload_lines(body)))
