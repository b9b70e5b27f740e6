"""What the OpenAPI document says of answers, errors included."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from fastapi import Body


@dataclass(frozen=True, slots=True)
class ErrorReply:
    """What every error looks like; the tags that have fields of their own add them."""

    error: str
    message: str


_MEANING = {
    400: "InvalidRequest: `issues` lists what is wrong, as `path: problem`.",
    401: "Unauthorized: no valid memory key.",
    403: "Forbidden: the key lacks `requiredScope`.",
    404: "NotFound: no such thing in this vault.",
    405: "InvalidRequest: this path has no such method.",
    409: "LeaseExpired or Conflict.",
    413: "PayloadTooLarge: over `limit`.",
    429: "RateLimited: too many requests of this vault wait already; see `Retry-After`.",
    500: "StorageFailure: nothing was changed; the log has the cause under `id`.",
    503: "NotReady: try again in a moment.",
}
_ANYWHERE = (400, 401, 403, 413, 429, 500, 503)


def answers(reply: Any, *errors: int, status: int = 200) -> dict[int | str, dict[str, Any]]:
    """The `responses` of a route: its reply, and the errors it can answer besides the usual."""
    documented: dict[int | str, dict[str, Any]] = {status: {"model": reply}}
    for error in sorted({*_ANYWHERE, *errors}):
        documented[error] = {"model": ErrorReply, "description": _MEANING[error]}
    return documented


def example(**body: Any) -> Any:
    """A body whose documentation shows this one."""
    return Body(openapi_examples={"typical": {"value": body}})
