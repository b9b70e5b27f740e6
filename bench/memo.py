"""An embedder that remembers, so that the same text is embedded once in a benchmark run."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from treering.retrieval.embedder import Embedder


class MemoEmbedder:
    """Answers a text seen before from memory; else as the embedder it wraps."""

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder
        self._known: dict[str, NDArray[np.float32]] = {}

    @property
    def name(self) -> str:
        """The wrapped embedder's name."""
        return self._embedder.name

    @property
    def dims(self) -> int:
        """The wrapped embedder's dimensions."""
        return self._embedder.dims

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Unit vectors, shape (len(texts), dims)."""
        fresh = list(dict.fromkeys(text for text in texts if text not in self._known))
        if fresh:
            self._known.update(zip(fresh, self._embedder.embed(fresh), strict=True))
        return np.array([self._known[text] for text in texts], dtype=np.float32)

    def close(self) -> None:
        """Close the wrapped embedder."""
        self._embedder.close()
