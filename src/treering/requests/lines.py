"""Lines of JSON as upload takes them."""

from __future__ import annotations

import json
from collections.abc import Iterable

from pydantic import ValidationError

from treering.requests.fields import issues_of
from treering.requests.memory import UploadLine
from treering.rules.bulk import (
    MAX_COMMAS,
    MAX_CONTAINERS,
    MAX_FIELDS,
    too_many_fields,
    too_many_values,
)

MAX_LINES = 10_000
MAX_LINE_BYTES = 8 << 20
"""More than the JSON of the longest message there can be, with every character escaped."""
TOO_LONG = f"is over {MAX_LINE_BYTES:,} bytes"

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
    encoded = line.encode("utf-8", "surrogatepass") if isinstance(line, str) else line
    if len(encoded) > MAX_LINE_BYTES:
        return TOO_LONG
    if too_many_values(encoded):
        return f"holds over {MAX_CONTAINERS:,} lists and objects, or over {MAX_COMMAS:,} values"
    try:
        body = json.loads(encoded.decode("utf-8-sig", "surrogatepass"))
    except UnicodeDecodeError:
        return "is not UTF-8"
    except RecursionError:
        return "is nested too deeply"
    except ValueError as error:
        return f"is not JSON: {error}"
    if too_many_fields(body):
        return f"has an object of over {MAX_FIELDS:,} fields"
    try:
        return UploadLine.model_validate(body)
    except ValidationError as error:
        return "; ".join(issues_of(error))


def line_json(line: UploadLine) -> bytes:
    """A line as it is sent, without what it leaves open."""
    return json.dumps(line.model_dump(exclude_none=True)).encode("ascii")
