"""Which slot each memory stands in."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from treering.retrieval.columns import Columns

NOWHERE = -1
"""The slot of a memory that is not held."""


class Numbering:
    """The slots of memories by their seq, as two sorted columns: a tenth of the size of a dict."""

    def __init__(self) -> None:
        self._columns = Columns({"seq": np.int64, "slot": np.int32})

    def __len__(self) -> int:
        return len(self._columns)

    @property
    def nbytes(self) -> int:
        """Bytes allocated."""
        return self._columns.nbytes

    def find(self, seqs: Sequence[int] | NDArray[np.int64]) -> NDArray[np.int32]:
        """Return the slot of each seq, `NOWHERE` where it is not held."""
        places = self._places(np.asarray(seqs, np.int64))
        found = np.full(len(places), NOWHERE, np.int32)
        held = np.flatnonzero(places >= 0)
        found[held] = self._columns["slot"][places[held]]
        return found

    def assign(self, seqs: NDArray[np.int64], slots: NDArray[np.int32]) -> None:
        """Note where memories stand now."""
        places = self._places(seqs)
        held = places >= 0
        self._columns["slot"][places[held]] = slots[held]
        new = np.flatnonzero(~held)
        start = max(0, len(self._columns) - 1)
        self._columns.append({"seq": seqs[new], "slot": slots[new]}, len(new))
        if np.any(np.diff(self._columns["seq"][start:]) < 0):
            self._columns.keep(np.argsort(self._columns["seq"], kind="stable"))

    def remove(self, seqs: Sequence[int]) -> None:
        """Forget memories."""
        places = self._places(np.asarray(seqs, np.int64))
        kept = np.ones(len(self._columns), np.bool_)
        kept[places[places >= 0]] = False
        self._columns.keep(np.flatnonzero(kept))

    def renumber(self, slots: NDArray[np.int32]) -> None:
        """Give each memory its new slot."""
        self._columns["slot"][:] = slots[self._columns["slot"]]

    def _places(self, seqs: NDArray[np.int64]) -> NDArray[np.intp]:
        """Return where in the columns each seq stands, -1 where it does not."""
        held = self._columns["seq"]
        places = np.searchsorted(held, seqs)
        places[places == len(held)] = -1
        places[held[places] != seqs if len(held) else slice(None)] = -1
        return places
