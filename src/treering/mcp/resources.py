"""The resources: what a vault holds in numbers, and what it learnt last."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from mcp.types import Resource, TextResourceContents

from treering.access import SCOPES_OF
from treering.mcp.notes import notes_of, of_leveled
from treering.mcp.surrogates import whole
from treering.replies import MemoriesReply, to_wire
from treering.requests import MemoriesRequest, Request, StatsRequest

_RECENT = 20


@dataclass(frozen=True, slots=True)
class MemoryResource:
    """One resource over one verb, whose scopes it needs."""

    uri: str
    name: str
    description: str
    mime_type: str
    request: Request[Any]
    text: Callable[[Any], str]

    @property
    def scopes(self) -> tuple[str, ...]:
        """The scopes that it needs."""
        return SCOPES_OF[type(self.request)]

    def declared(self) -> Resource:
        """The resource as clients list it."""
        return Resource(
            uri=self.uri,
            name=self.name,
            description=self.description,
            mime_type=self.mime_type,
        )

    def contents(self, reply: Any) -> TextResourceContents:
        """What reading it answers."""
        text = whole(self.text(reply))
        return TextResourceContents(uri=self.uri, mime_type=self.mime_type, text=text)


def _as_json(reply: object) -> str:
    return json.dumps(to_wire(reply), indent=2, ensure_ascii=False)


def _recent(reply: MemoriesReply) -> str:
    return notes_of([of_leveled(memory) for memory in reply.memories]) or "Nothing is stored yet."


RESOURCES: tuple[MemoryResource, ...] = (
    MemoryResource(
        "memory://vault/stats",
        "Vault statistics",
        "What the vault holds, by tier, level and kind, and its reflection debt.",
        "application/json",
        StatsRequest(),
        _as_json,
    ),
    MemoryResource(
        "memory://vault/recent",
        "Recent memories",
        f"The {_RECENT} newest memories of every kind, newest first, as fenced notes.",
        "text/plain",
        MemoriesRequest(limit=_RECENT),
        _recent,
    ),
)
"""Every resource, in the order in which clients list them."""
