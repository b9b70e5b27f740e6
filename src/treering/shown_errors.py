"""What a caller is shown of an error, whichever face it is shown by."""

from __future__ import annotations

import uuid

from treering.errors import StorageFailure, TreeringError
from treering.logs import get_logger

log = get_logger(__name__)


def shown_body(error: TreeringError, cause: BaseException | None = None) -> dict[str, object]:
    """The error's JSON object; a failure of ours is logged under an `id` that the caller sees."""
    # The storage's own words name paths of this machine: they are for the log alone.
    body = StorageFailure().body() if isinstance(error, StorageFailure) else error.body()
    if error.status >= 500:
        body["id"] = error.extra.get("id") or uuid.uuid4().hex
        cause = cause or error.__cause__ or error
        log.error("request failed", id=body["id"], error=error.tag, exc_info=cause)
    return body
