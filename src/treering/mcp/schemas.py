"""JSON Schemas of tools, derived from what they take and what they answer."""

from __future__ import annotations

from typing import Any

from pydantic import TypeAdapter

from treering.mcp.arguments import Arguments


def input_schema(arguments: type[Arguments]) -> dict[str, Any]:
    """The schema of a tool's arguments."""
    schema = _tidy(arguments.model_json_schema())
    schema.pop("description", None)
    return schema


def output_schema(reply: Any) -> dict[str, Any]:
    """The schema of what `to_wire` makes of a reply of that class, or of one of a union's classes.

    Its root is an object, which earlier revisions of the protocol ask for.
    """
    adapter: TypeAdapter[Any] = TypeAdapter(reply)
    schema = _tidy(adapter.json_schema(mode="serialization", by_alias=True))
    return {"type": "object", **schema}


def _tidy(schema: dict[str, Any]) -> dict[str, Any]:
    """A schema without the titles, which only repeat the names and cost tokens."""
    return {name: _without_titles(part) for name, part in schema.items() if name != "title"}


def _without_titles(part: Any, *, names: bool = False) -> Any:
    """`part` of a schema; where its keys are `names` of fields, one may be called `title`."""
    if isinstance(part, list):
        return [_without_titles(each) for each in part]
    if not isinstance(part, dict):
        return part
    return {
        key: _without_titles(value, names=not names and key in ("properties", "$defs"))
        for key, value in part.items()
        if names or key != "title"
    }
