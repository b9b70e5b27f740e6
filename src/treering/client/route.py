"""Where a server serves a verb."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

from treering.errors import NotFound


@dataclass(frozen=True, slots=True)
class Route:
    """A method, a path, and the class of what it answers.

    `{id}` in the path stands for the request's own: of a `resource`.
    """

    method: str
    path: str
    reply: Any
    resource: str = ""

    def path_of(self, id: str) -> str:
        """The path with that id as one piece of it; raises NotFound for what can be none.

        Those would lead to another path: it is put in order on its way to the server.
        """
        if id in ("", ".", "..") or "/" in id or not _has_utf_8(id):
            raise NotFound(self.resource, id)
        return self.path.format(id=quote(id, safe=""))


def _has_utf_8(text: str) -> bool:
    return not any("\ud800" <= character <= "\udfff" for character in text)
