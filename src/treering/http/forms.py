"""Small bodies that are no business of a vault's: forms, and what programs say of themselves."""

from __future__ import annotations

from typing import Annotated

from fastapi import Depends, Request

from treering.errors import InvalidRequest, PayloadTooLarge
from treering.oauth import Parameters

MOST_BYTES = 64 << 10
_FORM = "application/x-www-form-urlencoded"


async def small_body(request: Request) -> bytes:
    """A body of at most 64 KiB, for strangers send these; raises PayloadTooLarge."""
    body = bytearray()
    async for piece in request.stream():
        body += piece
        if len(body) > MOST_BYTES:
            raise PayloadTooLarge("The body in bytes", MOST_BYTES)
    return bytes(body)


def query_of(request: Request) -> str:
    """The query of a request's address as it was sent; raises InvalidRequest."""
    return _ascii(request.scope["query_string"], "query")


async def form_of(request: Request) -> Parameters:
    """The form that a request carries; raises InvalidRequest."""
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind != _FORM:
        raise InvalidRequest(f"Content-Type: must be {_FORM}")
    return Parameters.parse(_ascii(await small_body(request), "body"))


def _ascii(text: bytes, place: str) -> str:
    try:
        return text.decode("ascii")
    except UnicodeDecodeError:
        raise InvalidRequest(f"{place}: has letters beyond ASCII that are not escaped") from None


AnyForm = Annotated[Parameters, Depends(form_of)]
