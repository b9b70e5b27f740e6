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

_REBUILD_SHARE = 64


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
    """The slots of all memories, messages first, by (session, date, seq).

    New ones wait unsorted until the order is asked for.
    """

    def __init__(self) -> None:
        self._order = np.empty(0, np.int32)
        self._new: list[NDArray[np.int32]] = []

    @property
    def nbytes(self) -> int:
        """Bytes allocated."""
        return self._order.nbytes + sum(slots.nbytes for slots in self._new)

    def add(self, slots: NDArray[np.int32]) -> None:
        """Take in new memories."""
        self._new.append(slots)

    def renumber(self, slots: NDArray[np.int32]) -> None:
        """Give each memory its new slot; those whose new slot is negative are dropped."""
        self._order, *self._new = (
            renumbered[renumbered >= 0]
            for renumbered in (slots[each] for each in (self._order, *self._new))
        )

    def turns(self, memories: Columns) -> Turns:
        """Return the living memories' conversations."""
        self._settle(memories)
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

    def _settle(self, memories: Columns) -> None:
        """Put new memories where they belong: a few one by one, many by sorting all again."""
        if not self._new:
            return
        new = np.concatenate(self._new)
        self._new.clear()
        if len(new) * _REBUILD_SHARE > len(self._order):
            self._order = _sorted(memories, np.concatenate([self._order, new]))
            return
        columns = [memories[name] for name in ("kind", "session", "date", "seq")]

        def key(slot: int) -> tuple[Any, ...]:
            kind, *rest = [column[slot] for column in columns]
            return (kind != MESSAGE, *rest)

        new = _sorted(memories, new)
        places = [bisect_left(self._order, key(slot), key=key) for slot in new.tolist()]
        self._order = np.insert(self._order, places, new)


def _sorted(memories: Columns, slots: NDArray[np.int32]) -> NDArray[np.int32]:
    columns = [memories[name].take(slots) for name in ("seq", "date", "session", "kind")]
    columns[-1] = columns[-1] != MESSAGE
    return slots[np.lexsort(columns)]
