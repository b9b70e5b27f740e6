"""Errors as HTTP shows them: the table's status, tag and message, and nothing internal."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.responses import Response

from treering.errors import (
    InvalidRequest,
    NotFound,
    RateLimited,
    StorageFailure,
    TreeringError,
    Unauthorized,
)
from treering.http.addresses import challenge_of
from treering.http.safe_headers import SAFE_HEADERS
from treering.requests import issues_in
from treering.shown_errors import shown_body


def add_error_handlers(app: FastAPI) -> None:
    """Answer every error from the one table."""

    @app.exception_handler(TreeringError)
    async def known(request: Request, error: TreeringError) -> Response:
        return error_response(error, challenge=challenge_of(request))

    @app.exception_handler(RequestValidationError)
    async def invalid(request: Request, error: RequestValidationError) -> Response:
        return error_response(invalid_request(error.errors()))

    @app.exception_handler(HTTPException)
    async def refused(request: Request, error: HTTPException) -> Response:
        if isinstance(error.__cause__, TreeringError):
            return error_response(error.__cause__, challenge=challenge_of(request))
        if error.status_code == 404:
            return error_response(NotFound("path", request.url.path))
        if error.status_code == 400:
            return error_response(InvalidRequest("body: is not JSON in UTF-8, or nests too deeply"))
        response = error_response(InvalidRequest(f"{request.method}: {error.detail}"))
        response.status_code = error.status_code
        response.headers.update(error.headers or {})
        return response

    @app.exception_handler(Exception)
    async def unforeseen(request: Request, error: Exception) -> Response:
        return error_response(StorageFailure(), cause=error)


def invalid_request(errors: Sequence[Mapping[str, Any]]) -> InvalidRequest:
    """The framework's errors as the caller sees them."""
    return InvalidRequest(*issues_in([{**issue, "loc": _in_body(issue)} for issue in errors]))


def _in_body(issue: Mapping[str, Any]) -> tuple[int | str, ...]:
    """Where in the body an issue is; a place in broken JSON is a number that helps nobody."""
    return () if issue["type"] == "json_invalid" else tuple(issue["loc"][1:])


def error_response(
    error: TreeringError, cause: BaseException | None = None, challenge: str = "Bearer"
) -> Response:
    """The response to an error; a failure of ours is logged under an id that the caller sees.

    `challenge` is what a refused caller reads in `WWW-Authenticate`.
    """
    headers = dict(SAFE_HEADERS)
    if isinstance(error, Unauthorized):
        headers["WWW-Authenticate"] = challenge
    if isinstance(error, RateLimited):
        headers["Retry-After"] = str(error.extra.get("retry_after", 1))
    # Pure ASCII: a lone surrogate that the caller sent is shown again and has no UTF-8.
    content = json.dumps(shown_body(error, cause), separators=(",", ":")).encode("ascii")
    return Response(content, error.status, headers, "application/json")
