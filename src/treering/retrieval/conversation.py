"""Memories in the order of their conversation: who spoke before and after whom."""

from bisect import bisect_left
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treering.retrieval.columns import Columns

SILENCE_MS = 4 * 3_600_000
"""A session that is silent for longer goes on as another conversation."""

MESSAGE = 1
"""The kind of memory that is a turn of a conversation; others are each alone."""

_REBUILD_SHARE = 16


@dataclass(frozen=True, slots=True)
class Turns:
    """The living memories, conversation by conversation; each one's number here is its place.

    `slots` [places] are the memories' slots and `places` [slots] the way back, 0 for the dead.
    `joined` [places] says which memory goes on the conversation of the one before it; `starts` and
    `sizes` [conversations] are where each conversation begins, and how long it is.
    """

    slots: NDArray[np.intp]
    places: NDArray[np.intp]
    joined: NDArray[np.bool_]
    starts: NDArray[np.intp]
    sizes: NDArray[np.intp]


class Conversations:
    """The slots of all memories, messages first, by (session, date, seq)."""

    def __init__(self) -> None:
        self._order = np.empty(0, np.int32)

    @property
    def nbytes(self) -> int:
        """Bytes allocated."""
        return self._order.nbytes

    def insert(self, memories: Columns, slots: NDArray[np.int32]) -> None:
        """Put new memories where they belong."""
        if len(slots) * _REBUILD_SHARE > len(self._order):
            self._order = _sorted(memories, np.concatenate([self._order, slots]))
            return
        columns = [memories[name] for name in ("kind", "session", "date", "seq")]

        def key(slot: int) -> tuple[Any, ...]:
            kind, *rest = [column[slot] for column in columns]
            return (kind != MESSAGE, *rest)

        slots = _sorted(memories, slots)
        places = [bisect_left(self._order, key(slot), key=key) for slot in slots.tolist()]
        self._order = np.insert(self._order, places, slots)

    def renumber(self, slots: NDArray[np.int32]) -> None:
        """Give each memory its new slot; those whose new slot is negative are dropped."""
        order = slots[self._order]
        self._order = order[order >= 0]

    def turns(self, memories: Columns) -> Turns:
        """Return the living memories' conversations."""
        order = self._order.astype(np.intp)
        order = order[memories["alive"].take(order)]
        session, date = memories["session"].take(order), memories["date"].take(order)
        joined = memories["kind"].take(order) == MESSAGE
        joined[:1] = False
        joined[1:] &= (session[1:] == session[:-1]) & (date[1:] - date[:-1] <= SILENCE_MS)
        places = np.zeros(len(memories), np.intp)
        places[order] = np.arange(len(order))
        starts = np.flatnonzero(~joined)
        return Turns(order, places, joined, starts, np.diff(starts, append=len(order)))


def _sorted(memories: Columns, slots: NDArray[np.int32]) -> NDArray[np.int32]:
    columns = [memories[name].take(slots) for name in ("seq", "date", "session", "kind")]
    columns[-1] = columns[-1] != MESSAGE
    return slots[np.lexsort(columns)]
