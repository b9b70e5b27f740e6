"""Whether bytes of deleted texts are left in a vault's files."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

import apsw
import numpy as np
from numpy.typing import NDArray

from treering.store.base import Residue
from treering.store.sqlite.text import stored

_PIECE = 24
"""How many bytes of a text are looked for as one: few enough to be left whole, too many to stand
in another text by chance."""
_FEWEST_BYTES = 6
"""A shorter text stands in hashes and vectors by chance, so that finding it says nothing."""
_MOST_PIECES = 4_096
"""A text of up to 96 KiB is looked for whole; of a longer one so many pieces, evenly spread."""
_WORD = 8
_CHUNK = 1 << 22
_FILTER_BITS = 20
_MIX = np.uint64(0x9E3779B97F4A7C15)


def residue(connection: apsw.Connection, path: Path, texts: Sequence[str]) -> Residue:
    """Look for `texts` in the database file and its log, byte by byte.

    Texts of under six bytes are passed over. A piece that a live row holds too is no residue of a
    deleted one.
    """
    pieces = [_pieces(data) for data in map(_bytes, texts) if len(data) >= _FEWEST_BYTES]
    sought = _Sought(frozenset().union(*pieces))
    files = [each for each in (path, path.with_name(f"{path.name}-wal")) if each.exists()]
    scanned = 0
    left: set[bytes] = set()
    for each in files:
        for chunk in _chunks(each):
            scanned += len(chunk)
            left |= sought.found_in(chunk)
    if left:
        still_sought = _Sought(left)
        left = left.difference(*map(still_sought.found_in, _live_text(connection)))
    found = sum(not left.isdisjoint(each) for each in pieces)
    return Residue(files=len(files), bytes=scanned, checked=len(pieces), found=found)


class _Sought:
    """Byte strings of up to 24 bytes that are looked for all at once.

    A string is found by its first eight bytes, as one number, in a set that most others fail at a
    bit table, and then in a set of the strings of its length; shorter ones one by one.
    """

    def __init__(self, pieces: Iterable[bytes]) -> None:
        self._short = [piece for piece in pieces if len(piece) < _WORD]
        self._pieces = frozenset(piece for piece in pieces if len(piece) >= _WORD)
        self._lengths = sorted({len(piece) for piece in self._pieces})
        words = {int.from_bytes(piece[:_WORD], "little") for piece in self._pieces}
        self._words = np.array(sorted(words), np.uint64)
        self._filter = np.zeros(1 << _FILTER_BITS, np.bool_)
        self._filter[self._slots(self._words)] = True

    def found_in(self, data: bytes) -> set[bytes]:
        """Those that `data` holds."""
        found = {piece for piece in self._short if piece in data}
        if not self._pieces:
            return found
        for shift in range(min(_WORD, max(0, len(data) - _WORD + 1))):
            words = np.frombuffer(data, "<u8", (len(data) - shift) // _WORD, shift)
            places = np.flatnonzero(self._filter[self._slots(words)])
            places = places[np.isin(words[places], self._words)]
            for start in (shift + places * _WORD).tolist():
                for length in self._lengths:
                    piece = data[start : start + length]
                    if piece in self._pieces:
                        found.add(piece)
        return found

    @staticmethod
    def _slots(words: NDArray[np.uint64]) -> NDArray[np.uint64]:
        return (words * _MIX) >> np.uint64(64 - _FILTER_BITS)


def _bytes(text: str) -> bytes:
    value = stored(text)
    return value.encode() if isinstance(value, str) else value


def _pieces(data: bytes) -> set[bytes]:
    """What of a text is looked for: all of it in steps, its very end included."""
    last = max(0, len(data) - _PIECE)
    step = max(_PIECE, last // _MOST_PIECES)
    return {data[start : start + _PIECE] for start in (*range(0, last, step), last)}


def _chunks(path: Path) -> Iterator[bytes]:
    """A file's bytes, each chunk with the end of the one before, so that no piece is cut.

    Read through SQLite's own file layer: closing a file opened any other way would drop the locks
    that this process holds on it.
    """
    flags = [apsw.SQLITE_OPEN_MAIN_DB | apsw.SQLITE_OPEN_READONLY, 0]
    file = apsw.VFSFile("", str(path), flags)
    try:
        size, start = file.xFileSize(), 0
        while start < size:
            yield file.xRead(min(_CHUNK + _PIECE, size - start), start)
            start += _CHUNK
    finally:
        file.xClose()


def _live_text(connection: apsw.Connection) -> Iterator[bytes]:
    """All text that rows hold, row by row."""
    columns = connection.execute(
        "SELECT t.name, c.name FROM sqlite_schema t JOIN pragma_table_info(t.name) c "
        "WHERE t.type = 'table' AND c.type IN ('TEXT', 'ANY')"
    ).fetchall()
    for table, column in columns:
        query = f'SELECT CAST("{column}" AS BLOB) FROM "{table}" WHERE "{column}" IS NOT NULL'
        for (value,) in connection.execute(query):
            yield value
