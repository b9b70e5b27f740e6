"""Every error Treering raises, and the one table that says how each is shown.

The class carries the policy (tag, HTTP status, exit code of the command line); its docstring is the
message used when none is given. Faces translate; they never invent an error of their own.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

_MAX_SHOWN_CHARACTERS = 100


class TreeringError(Exception):
    """Something went wrong in Treering."""

    tag: ClassVar[str] = "StorageFailure"
    status: ClassVar[int] = 500
    exit_code: ClassVar[int] = 1

    def __init__(self, message: str | None = None, /, **extra: object) -> None:
        self.message = message or (type(self).__doc__ or "").strip()
        self.extra = extra
        super().__init__(self.message)

    def body(self) -> dict[str, object]:
        """The JSON object that every face shows: `error`, `message`, and the tag's own fields."""
        return {"error": self.tag, "message": self.message, **self.extra}


class InvalidRequest(TreeringError):
    """The request is not valid."""

    tag, status, exit_code = "InvalidRequest", 400, 2

    def __init__(self, *issues: str) -> None:
        super().__init__("The request is not valid: " + "; ".join(issues), issues=list(issues))

    @property
    def issues(self) -> list[str]:
        """What is wrong, as `path: problem`."""
        found = self.extra.get("issues")
        return [str(issue) for issue in found] if isinstance(found, list) else []


class Unauthorized(TreeringError):
    """The memory key is missing, unknown, expired or revoked; make one: `treering keys create`."""

    tag, status, exit_code = "Unauthorized", 401, 3


class Forbidden(TreeringError):
    """This key does not allow that."""

    tag, status, exit_code = "Forbidden", 403, 3

    def __init__(self, required_scope: str, *, connection: bool = False) -> None:
        if connection:
            message = (
                f"This connection was not given the scope {required_scope}; connect again to give "
                "it that."
            )
        else:
            message = (
                f"This key lacks the scope {required_scope}; use a key that has it, "
                "or create one with `treering keys create --vault --scopes`."
            )
        super().__init__(message, requiredScope=required_scope)


class NotFound(TreeringError):
    """There is no such thing here."""

    tag, status, exit_code = "NotFound", 404, 4

    def __init__(self, resource: str, id: str) -> None:
        shown = id[:_MAX_SHOWN_CHARACTERS]
        super().__init__(f"There is no such {resource} here.", resource=resource, id=shown)


class LeaseExpired(TreeringError):
    """The lease has expired and its memories are back in the pool; check out again."""

    tag, status, exit_code = "LeaseExpired", 409, 5


class Conflict(TreeringError):
    """The request conflicts with what is stored."""

    tag, status, exit_code = "Conflict", 409, 5


class EmbedderMismatch(Conflict):
    """The vault was embedded by another model."""


class PayloadTooLarge(TreeringError):
    """The request is too large."""

    tag, status, exit_code = "PayloadTooLarge", 413, 2

    def __init__(self, what: str, limit: int) -> None:
        super().__init__(
            f"{what} is over the limit of {limit:,}; send less at a time.", limit=limit
        )


class RateLimited(TreeringError):
    """Too many requests; wait as long as Retry-After says."""

    tag, status, exit_code = "RateLimited", 429, 6


class StorageFailure(TreeringError):
    """The store failed; nothing was changed. The server's log has the cause under this id."""

    tag, status, exit_code = "StorageFailure", 500, 7


class StorageUnusable(StorageFailure):
    """The storage named cannot be used."""


class ModelFailure(TreeringError):
    """The model that writes the reflections did not answer in a way that can be used."""

    tag, status, exit_code = "ProviderFailure", 502, 8


class NotReady(TreeringError):
    """The server is not ready; try again in a moment."""

    tag, status, exit_code = "NotReady", 503, 9


def error_classes() -> Iterator[type[TreeringError]]:
    """Every error class, the root first."""
    pending: list[type[TreeringError]] = [TreeringError]
    while pending:
        found = pending.pop()
        yield found
        pending.extend(found.__subclasses__())


def from_body(status: int, body: object) -> TreeringError:
    """The error that a server answered, as this process would have raised it.

    MCP's own envelope has it under `error.data`.
    """
    fields = body if isinstance(body, dict) else {}
    if isinstance(fields.get("error"), dict):
        return from_body(status, fields["error"].get("data"))
    tag, message = str(fields.get("error", "")), str(fields.get("message", ""))
    known = {kind.tag: kind for kind in error_classes()}
    known |= {kind.__name__: kind for kind in error_classes()}
    kind = known.get(tag, TreeringError)
    error = kind.__new__(kind)
    extra = {name: value for name, value in fields.items() if name not in ("error", "message")}
    TreeringError.__init__(error, message or f"The server answered {status}.", **extra)
    return error
