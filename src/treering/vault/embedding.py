"""Vectors: computed within a request as far as its time allows, and behind it otherwise."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from treering.logs import get_logger
from treering.retrieval.embedder import Embedder
from treering.retrieval.embedder.base import EmbedderError
from treering.retrieval.vectors import inverse_norms, quantise, unpack_vectors
from treering.store.base import VaultStore
from treering.system import System
from treering.vault.background import Background

REQUEST_BUDGET_S = 2.0
REST_S = 5.0
"""How long requests do without an embedder that has failed, so that they don't wait for it."""
_CHUNK = 32

log = get_logger(__name__)


class Embedding:
    """One vault's embedder, and the thread that fills in the vectors that are pending.

    An embedder that fails never fails a request that can do without it: what is stored stays
    pending, and a search goes by words.
    """

    def __init__(self, embedder: Embedder, store: VaultStore, system: System) -> None:
        self._embedder = embedder
        self._store = store
        self._system = system
        self._request_failures = 0
        self._rests_until = 0.0
        self._filling = Background("treering-embed", self._fill_chunk)

    @property
    def name(self) -> str:
        """The embedder's name."""
        return self._embedder.name

    @property
    def failures(self) -> int:
        """How often the embedder failed since the vault was opened."""
        return self._filling.failures + self._request_failures

    def query(self, text: str) -> NDArray[np.float32] | None:
        """The unit vector of a query, shape (dims,); None while the embedder fails."""
        vectors = self._attempt([text])
        return None if vectors is None else vectors[0]

    def all(self, texts: Sequence[str]) -> list[bytes]:
        """The packed vector of each text, however long it takes; raises EmbedderError."""
        return quantise(self._embedder.embed(texts)) if texts else []

    def within_budget(self, texts: Sequence[str]) -> list[bytes | None]:
        """The packed vector of each text; None for what 2 s were not enough for.

        Short texts come first, so that one long message does not keep many short ones waiting.
        """
        packed: list[bytes | None] = [None] * len(texts)
        deadline = self._system.monotonic() + REQUEST_BUDGET_S
        order = sorted(range(len(texts)), key=lambda place: len(texts[place]))
        for start in range(0, len(order), _CHUNK):
            if self._system.monotonic() >= deadline:
                break
            places = order[start : start + _CHUNK]
            vectors = self._attempt([texts[place] for place in places])
            if vectors is None:
                break
            for place, vector in zip(places, quantise(vectors), strict=True):
                packed[place] = vector
        return packed

    def fill(self, seqs: Sequence[int]) -> None:
        """Compute the pending vectors of these memories now; raises EmbedderError."""
        while self._fill_chunk(seqs) is False:
            pass

    def start_filling(self) -> None:
        """Compute whatever is pending on a thread of its own."""
        self._filling.start()

    def wait_filled(self, timeout: float | None = None) -> None:
        """Wait until nothing is pending."""
        self._filling.wait(timeout)

    def stop(self) -> None:
        """Stop filling; what is left stays durably pending."""
        self._filling.stop()

    def _attempt(self, texts: Sequence[str]) -> NDArray[np.float32] | None:
        """The vectors of some texts; None when the embedder fails or rests after a failure."""
        if self._system.monotonic() < self._rests_until:
            return None
        try:
            return self._embedder.embed(texts)
        except EmbedderError as error:
            self._request_failures += 1
            self._rests_until = self._system.monotonic() + REST_S
            log.warning("embedder failed; going on without it", error=str(error))
            return None

    def _fill_chunk(self, seqs: Sequence[int] | None = None) -> bool:
        with self._store.read() as reader:
            pending = reader.pending(_CHUNK, seqs)
        if not pending:
            return True
        vectors = self.all([passage.text for passage in pending])
        with self._store.write() as tx:
            tx.set_vectors(list(zip(pending, vectors, strict=True)))
        return False


def unit_vectors(packed: Sequence[bytes], dims: int) -> NDArray[np.float32]:
    """Packed vectors as unit float vectors, shape (len(packed), dims)."""
    whole = unpack_vectors(b"".join(packed), dims)
    units: NDArray[np.float32] = (whole * inverse_norms(whole)[:, None]).astype(np.float32)
    return units
