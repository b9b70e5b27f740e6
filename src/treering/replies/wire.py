"""Replies as JSON and back."""

from __future__ import annotations

import json
from typing import Any, TypeVar

from pydantic import TypeAdapter

T = TypeVar("T")


def to_wire(reply: object) -> Any:
    """`reply` as JSON-ready dicts and lists."""
    return _adapter(type(reply)).dump_python(reply, mode="json", by_alias=True)


def to_json(reply: object) -> bytes:
    """`reply` as JSON text, pure ASCII, so that any text passes through it, lone surrogates too."""
    return json.dumps(to_wire(reply), separators=(",", ":")).encode("ascii")


def from_wire(kind: type[T], body: object) -> T:
    """The reply of type `kind` that `body` holds; fields this version does not know are dropped."""
    reply: T = _adapter(kind).validate_python(body)
    return reply


def _adapter(kind: Any) -> TypeAdapter[Any]:
    if kind not in _ADAPTERS:
        _ADAPTERS[kind] = TypeAdapter(kind)
    return _ADAPTERS[kind]


_ADAPTERS: dict[Any, TypeAdapter[Any]] = {}
