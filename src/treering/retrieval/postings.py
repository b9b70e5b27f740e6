"""Which passages hold a term, and how often."""

import numpy as np
from numpy.typing import NDArray

_TERM_SHIFT = np.uint64(32)
_COUNT_BITS = np.uint64(6)
_COUNT_MASK = np.uint64(63)
_PASSAGE_MASK = np.uint64((1 << 26) - 1)
_REST = np.uint64((1 << 32) - 1)

_TAIL_ROOM = 1 << 14
_TAIL_SHARE = 32


class Postings:
    """Sorted uint64 keys: term (32 bits), passage (26), count (6, so counts stop at 63).

    One term's passages are one slice, found by binary search, so no vocabulary is held. New keys
    wait in a short sorted tail that now and then is merged into the body.
    """

    def __init__(self) -> None:
        self._body = np.empty(0, np.uint64)
        self._tail = np.empty(0, np.uint64)
        self._new: list[NDArray[np.uint64]] = []

    @property
    def nbytes(self) -> int:
        """Bytes allocated."""
        return self._body.nbytes + self._tail.nbytes + sum(keys.nbytes for keys in self._new)

    def add(
        self, terms: NDArray[np.uint32], passages: NDArray[np.intp], counts: NDArray[np.uint8]
    ) -> None:
        """Add one posting for each element of the three arrays."""
        keys = terms.astype(np.uint64) << _TERM_SHIFT
        keys |= passages.astype(np.uint64) << _COUNT_BITS
        keys |= np.minimum(counts, _COUNT_MASK)
        self._new.append(keys)

    def find(self, term: np.uint32) -> tuple[NDArray[np.intp], NDArray[np.float32]]:
        """Return the passages that hold a term, each once, and its count in each."""
        self._settle()
        first = np.uint64(term) << _TERM_SHIFT
        slices = []
        for keys in (self._body, self._tail):
            low, high = np.searchsorted(keys, [first, first | _REST])
            slices.append(keys[low:high])
        found = np.concatenate(slices) if len(slices[1]) else slices[0]
        return _passages(found), (found & _COUNT_MASK).astype(np.float32)

    def renumber(self, passages: NDArray[np.int32]) -> None:
        """Give each passage its new number; those whose new number is negative are dropped."""
        self._settle()
        keys = _merged(self._body, self._tail)
        renumbered = passages[_passages(keys)]
        kept = renumbered >= 0
        keys = keys[kept] & ~(_PASSAGE_MASK << _COUNT_BITS)
        self._body = keys | (renumbered[kept].astype(np.uint64) << _COUNT_BITS)
        self._tail = np.empty(0, np.uint64)

    def _settle(self) -> None:
        if not self._new:
            return
        self._tail = np.concatenate([self._tail, *self._new])
        self._tail.sort()
        self._new.clear()
        if len(self._tail) > max(_TAIL_ROOM, len(self._body) // _TAIL_SHARE):
            self._body = _merged(self._body, self._tail)
            self._tail = np.empty(0, np.uint64)


def _passages(keys: NDArray[np.uint64]) -> NDArray[np.intp]:
    return ((keys >> _COUNT_BITS) & _PASSAGE_MASK).view(np.intp)


def _merged(body: NDArray[np.uint64], tail: NDArray[np.uint64]) -> NDArray[np.uint64]:
    return np.insert(body, np.searchsorted(body, tail), tail) if len(body) else tail
