"""JSON that costs far more to read than it says: millions of values in a few megabytes."""

from __future__ import annotations

from collections.abc import Iterable

MAX_CONTAINERS = 200_000
MAX_COMMAS = 500_000
MAX_FIELDS = 1_000


def too_many_values(text: bytes) -> bool:
    """Whether JSON in UTF-8 holds more lists, objects or commas than any request needs.

    Those inside strings count only while there are so many strings that telling is as costly.
    """
    if not _exceeds([text]):
        return False
    bare = text.replace(b"\\\\", b"").replace(b'\\"', b"")
    if bare.count(b'"') > 2 * MAX_COMMAS:
        return True
    return _exceeds(bare.split(b'"')[::2])


def too_many_fields(value: object, depth: int = 2) -> bool:
    """Whether an object in `value`, down to `depth` levels below it, has over 1,000 fields."""
    inner: Iterable[object]
    if isinstance(value, dict):
        if len(value) > MAX_FIELDS:
            return True
        inner = value.values()
    elif isinstance(value, list):
        inner = value
    else:
        return False
    return depth > 0 and any(too_many_fields(each, depth - 1) for each in inner)


def _exceeds(pieces: Iterable[bytes]) -> bool:
    containers = commas = 0
    for piece in pieces:
        containers += piece.count(b"[") + piece.count(b"{")
        commas += piece.count(b",")
    return containers > MAX_CONTAINERS or commas > MAX_COMMAS
