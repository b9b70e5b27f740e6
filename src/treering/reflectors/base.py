"""What writes reflections: anything from a text and its date to entries."""

from __future__ import annotations

from typing import Protocol, TypedDict

from treering.replies import Batch


class ReflectionEntry(TypedDict):
    """One reflection: clean standalone prose, and its importance from 1 to 10."""

    text: str
    importance: int


class Reflector(Protocol):
    """Reads a leased batch and writes the entries to commit over it."""

    def reflect(self, batch: Batch) -> list[ReflectionEntry]:
        """The entries for `batch`; raises ModelFailure when there are none that can be used."""
        ...

    def describe(self) -> str:
        """One sentence for a person: who writes the reflections, and how."""
        ...
