"""`/v1/memory/upload`: a file of JSON lines."""

from __future__ import annotations

from fastapi import APIRouter, Request
from fastapi.concurrency import run_in_threadpool
from starlette.responses import Response

from treering import replies, requests
from treering.errors import PayloadTooLarge
from treering.http.responses import answers
from treering.http.session import AnySession
from treering.rules.lines import MAX_LINES, Line, numbered_line

router = APIRouter(prefix="/v1/memory", tags=["memory"])

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
async def upload(request: Request, session: AnySession) -> Response:
    """Store up to 10,000 lines `{content, role?, timestamp?, session_id?}`; good ones are kept."""
    session.grant.allow(requests.UploadRequest)
    lines: list[Line] = []
    rest = b""
    async for chunk in request.stream():
        *whole, rest = (rest + chunk).split(b"\n")
        lines += map(numbered_line, whole)
        if len(lines) > MAX_LINES:
            raise PayloadTooLarge("The number of lines", MAX_LINES)
    if rest:
        lines.append(numbered_line(rest))
    return await run_in_threadpool(session.answer, requests.UploadRequest(lines=lines))
