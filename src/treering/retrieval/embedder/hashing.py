"""Vectors from the words themselves: no model, the same everywhere, fast."""

import hashlib
import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import chain, pairwise

import numpy as np
from numpy.typing import NDArray

from treering.retrieval.embedder.vectors import unit_rows
from treering.retrieval.normalised import normalised

MIN_DIMS = 8
MAX_DIMS = 4_096

_WINDOW = 1_024
_LONGEST_TOKEN = 64  # a longer run of letters is several tokens, so that no blob fills the cache

# Its own table, because a vector never changes, whatever the others come to hold.
_UNSPACED = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17dd\u3005-\u3007\u3041-\u3096\u30a1-\u30ff\u31f0-\u31ff"
    "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
)
_MARKS = (
    "\u0300-\u036f\u0483-\u0487\u0591-\u05bd\u0610-\u061a\u064b-\u065f\u0670\u06d6-\u06ed"
    "\u0900-\u0963\u0970-\u0dff\u20d0-\u20ff"
)
_PICTURES = "\u2190-\u21ff\u2300-\u23ff\u25a0-\u27bf\U0001f000-\U0001faff"

_ASCII_TOKEN = re.compile(rf"[a-z0-9]{{1,{_LONGEST_TOKEN}}}")
_TOKEN = re.compile(
    rf"[{_UNSPACED}]+|[{_PICTURES}]|(?:(?![{_UNSPACED}_])[\w{_MARKS}]){{1,{_LONGEST_TOKEN}}}"
)
_UNSPACED_START = re.compile(f"[{_UNSPACED}]")


class HashEmbedder:
    """Signed feature hashing of word tokens (Weinberger et al. 2009), named "hash-<dims>".

    Texts that share words are near, by about the share of words they share; meaning plays no
    part. Scripts written without spaces are hashed by character and pair of characters. A vector
    depends on the text and `dims` alone, and never changes from one version to another.
    """

    def __init__(self, dims: int = 384) -> None:
        if not MIN_DIMS <= dims <= MAX_DIMS:
            raise ValueError(f"dims must be {MIN_DIMS} to {MAX_DIMS}, not {dims}")
        self.name = f"hash-{dims}"
        self.dims = dims

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Unit vectors, shape (len(texts), dims); zeros for a text without a token."""
        vectors = np.empty((len(texts), self.dims), dtype=np.float32)
        for start in range(0, len(texts), _WINDOW):
            window = texts[start : start + _WINDOW]
            vectors[start : start + len(window)] = unit_rows(self._sums(window))
        return vectors

    def close(self) -> None:
        """Nothing is held."""

    def _sums(self, texts: Sequence[str]) -> NDArray[np.float64]:
        hashes = [[_hash(token) for token in _tokens(text)] for text in texts]
        lengths = np.fromiter(map(len, hashes), dtype=np.int64, count=len(texts))
        flat = np.fromiter(chain.from_iterable(hashes), dtype=np.uint64, count=int(lengths.sum()))
        starts = np.repeat(np.arange(len(texts)) * self.dims, lengths)
        cells, signs = self._cells(flat)
        sums = np.bincount(
            (starts[:, np.newaxis] + cells).ravel(),
            weights=signs.ravel(),
            minlength=len(texts) * self.dims,
        )
        return sums.astype(np.float64, copy=False).reshape(len(texts), self.dims)

    def _cells(self, hashes: NDArray[np.uint64]) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """Two different cells and their signs for each hash: shape (hashes, 2), twice.

        Two, so that no one word and practically no two words cancel to zeros.
        """
        low = (hashes & np.uint64(0x7FFF_FFFF)).astype(np.int64)
        high = (hashes >> np.uint64(32)).astype(np.int64) & 0x7FFF_FFFF
        first = low % self.dims
        second = (first + 1 + high % (self.dims - 1)) % self.dims
        bits = np.stack([hashes >> np.uint64(31), hashes >> np.uint64(63)], axis=1)
        signs = 1.0 - 2.0 * (bits & np.uint64(1)).astype(np.float64)
        return np.stack([first, second], axis=1), signs


def _tokens(text: str) -> list[str]:
    if text.isascii():
        return _ASCII_TOKEN.findall(text.lower())
    folded = normalised(text).casefold()
    return list(chain.from_iterable(map(_parts, _TOKEN.findall(folded))))


def _parts(token: str) -> Iterator[str]:
    if _UNSPACED_START.match(token) is None:
        yield token
    else:
        yield from token
        yield from map("".join, pairwise(token))


@lru_cache(maxsize=65_536)
def _hash(token: str) -> int:
    digest = hashlib.blake2b(token.encode(), digest_size=8).digest()
    return int.from_bytes(digest, "little")
