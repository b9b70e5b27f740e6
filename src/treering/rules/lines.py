"""Lines of JSON as upload takes them."""

from __future__ import annotations

import json
from collections.abc import Iterable

from pydantic import ValidationError

from treering.requests import UploadLine, issues_of

MAX_LINES = 10_000


Line = UploadLine | str | None
"""A line of an upload, what is wrong with it, or None for a blank one, which only counts."""


def upload_lines(jsonl: str | bytes | Iterable[str | bytes]) -> list[Line]:
    """Each line of a file as `numbered_line` reads it."""
    if isinstance(jsonl, str):
        jsonl = jsonl.removesuffix("\n").split("\n")
    elif isinstance(jsonl, bytes):
        jsonl = jsonl.removesuffix(b"\n").split(b"\n")
    return [numbered_line(line) for line in jsonl]


def numbered_line(line: str | bytes) -> Line:
    """One line of a file; a blank one is None, so that those after it keep their numbers."""
    return upload_line(line) if line.strip() else None


def upload_line(line: str | bytes) -> UploadLine | str:
    """One line, or what is wrong with it."""
    try:
        body = json.loads(line)
    except UnicodeDecodeError:
        return "is not UTF-8"
    except RecursionError:
        return "is nested too deeply"
    except ValueError as error:
        return f"is not JSON: {error}"
    try:
        return UploadLine.model_validate(body)
    except ValidationError as error:
        return "; ".join(issues_of(error))
