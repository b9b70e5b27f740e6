"""Columns of equal length that grow by appending."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, DTypeLike, NDArray

_GROWTH = 1.5


class Columns:
    """Named numpy columns of one length, with room to grow.

    `columns[name]` is a view of the filled part: assign through it, never keep it over an append.
    """

    def __init__(self, dtypes: Mapping[str, DTypeLike]) -> None:
        self._stores: dict[str, NDArray[Any]] = {
            name: np.empty(0, dtype) for name, dtype in dtypes.items()
        }
        self._size = 0

    def __len__(self) -> int:
        return self._size

    def __getitem__(self, name: str) -> NDArray[Any]:
        return self._stores[name][: self._size]

    @property
    def nbytes(self) -> int:
        """Bytes allocated, room to grow included."""
        return sum(store.nbytes for store in self._stores.values())

    def append(self, values: Mapping[str, ArrayLike], count: int) -> None:
        """Add `count` rows; `values` holds every column, as an array [count] or a scalar."""
        start, self._size = self._size, self._size + count
        for name, store in self._stores.items():
            if len(store) < self._size:
                room = self._size if start == 0 else max(self._size, int(start * _GROWTH))
                grown = np.empty((room, *store.shape[1:]), store.dtype)
                grown[:start] = store[:start]
                self._stores[name] = store = grown
            store[start : self._size] = values[name]

    def keep(self, rows: NDArray[np.intp]) -> None:
        """Keep these rows, in this order, and no others."""
        for name in self._stores:
            self._stores[name] = self[name][rows]
        self._size = len(rows)
