"""Where a server serves a verb."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Route:
    """A method, a path, and the class of what it answers."""

    method: str
    path: str
    reply: Any
