"""The columns of one vault, kept in step with its database."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Final

import numpy as np
from numpy.typing import DTypeLike, NDArray

from treering.retrieval.columns import Columns
from treering.retrieval.contents import Contents
from treering.retrieval.conversation import Conversations
from treering.retrieval.numbering import NOWHERE, Numbering
from treering.retrieval.postings import Postings
from treering.retrieval.terms import TERM_RECORD
from treering.retrieval.vectors import inverse_norms, unpack_vectors

Row = tuple[int, int, int, int, int, int, int, int, int, int, int, bytes, bytes | None]
"""One passage of one memory: (seq, tier, kind, level, importance or 0, date_ms, covers_from_ms,
covers_to_ms, session or 0, speaker or 0, seq of the message it folds into or 0, terms, vector)."""

Link = tuple[int, int, float]
"""(seq of a reflection, seq of one of its sources, support)."""

_GIVEN: dict[str, DTypeLike] = {
    "seq": np.int64,
    "tier": np.int8,
    "kind": np.int8,
    "level": np.int8,
    "importance": np.int8,
    "date": np.int64,
    "covers_from": np.int64,
    "covers_to": np.int64,
    "session": np.int32,
    "speaker": np.uint32,
}
_DERIVED: dict[str, DTypeLike] = {"folds_into": np.int32, "first": np.int32, "alive": np.bool_}
_LINK: dict[str, DTypeLike] = {"reflection": np.int32, "source": np.int32, "support": np.float32}
_FOLDS_INTO: Final = 10
_TERMS: Final = 11
_VECTOR: Final = 12

_BATCH = 8192
_FEWEST_DEAD = 256
_DEAD_SHARE = 4


class Holdings:
    """What an index holds of a vault's memories, their passages and their links.

    A memory stands in a numbered slot. One that is removed or replaced leaves its slot dead,
    until enough are for a compaction.
    """

    def __init__(self, dims: int) -> None:
        self._dims = dims
        self._memories = Columns(_GIVEN | _DERIVED)
        self._passages = Columns(
            {
                "memory": np.int32,
                "length": np.int32,
                "inverse_norm": np.float32,
                "vector": np.dtype((np.int8, (dims,))),
            }
        )
        self._links = Columns(_LINK)
        self._postings = Postings()
        self._conversations = Conversations()
        self._numbering = Numbering()
        self._contents: Contents | None = None

    def __len__(self) -> int:
        return len(self._numbering)

    @property
    def nbytes(self) -> int:
        """Bytes allocated, room to grow included."""
        columns = self._memories.nbytes + self._passages.nbytes + self._links.nbytes
        orders = self._postings.nbytes + self._conversations.nbytes + self._numbering.nbytes
        return columns + orders + self.read().nbytes

    def read(self) -> Contents:
        """Return the contents, deriving again what the last change made stale."""
        if self._contents is None:
            self._contents = Contents.of(
                self._memories, self._passages, self._links, self._postings, self._conversations
            )
        return self._contents

    def update(self, rows: Iterable[Row], links: Iterable[Link], gone: Iterable[int]) -> None:
        """Forget the memories `gone`, then add or replace those of `rows`, then add links."""
        self._contents = None
        self._remove(list(gone))
        folding = [self._put(batch) for batch in _batches(rows)]
        for slots, messages in folding:
            self._memories["folds_into"][slots] = self._numbering.find(messages)
        self._link(list(links))
        dead = len(self._memories) - len(self)
        if dead > max(_FEWEST_DEAD, len(self) // _DEAD_SHARE):
            self._compact()

    def _remove(self, gone: Sequence[int]) -> None:
        if not gone:
            return
        slots = self._numbering.find(gone)
        self._memories["alive"][slots[slots != NOWHERE]] = False
        self._numbering.remove(gone)

    def _put(self, rows: Sequence[Row]) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
        """Give the memories of these rows new slots; what pointed to the old ones follows.

        Returns the slots of statements and what they fold into, which may be still to come.
        """
        vectors = self._vectors(rows)
        columns = list(zip(*rows, strict=True))
        seqs = np.array(columns[0], np.int64)
        heads = np.flatnonzero(np.diff(seqs, prepend=seqs[0] - 1))
        start = len(self._memories)
        slots = np.arange(start, start + len(heads), dtype=np.int32)
        old = self._numbering.find(seqs[heads])
        self._numbering.assign(seqs[heads], slots)
        given = dict(zip(_GIVEN, columns, strict=False))
        self._memories.append(
            {
                **{name: np.array(column)[heads] for name, column in given.items()},
                "folds_into": NOWHERE,
                "first": len(self._passages) + heads,
                "alive": True,
            },
            len(heads),
        )
        self._put_passages(rows, vectors, np.repeat(slots, np.diff(heads, append=len(rows))))
        self._conversations.add(slots)
        self._replace(old[old != NOWHERE], slots[old != NOWHERE])
        messages = np.array(columns[_FOLDS_INTO], np.int64)[heads]
        return slots[messages > 0], messages[messages > 0]

    def _put_passages(
        self, rows: Sequence[Row], vectors: NDArray[np.int8], memory: NDArray[np.int32]
    ) -> None:
        first = len(self._passages)
        packed = [row[_TERMS] for row in rows]
        records = np.frombuffer(b"".join(packed), TERM_RECORD)
        sizes = [len(terms) // TERM_RECORD.itemsize for terms in packed]
        passage = np.repeat(np.arange(len(rows)), sizes)
        self._passages.append(
            {
                "memory": memory,
                "length": np.bincount(passage, records["count"], len(rows)),
                "inverse_norm": inverse_norms(vectors),
                "vector": vectors,
            },
            len(rows),
        )
        self._postings.add(records["term"], first + passage, records["count"])

    def _vectors(self, rows: Sequence[Row]) -> NDArray[np.int8]:
        absent = bytes(self._dims)
        packed = [absent if row[_VECTOR] is None else row[_VECTOR] for row in rows]
        for vector in packed:
            if len(vector) != self._dims:
                raise ValueError(f"a vector has {len(vector)} dimensions, not {self._dims}")
        return unpack_vectors(b"".join(packed), self._dims)

    def _replace(self, old: NDArray[np.int32], new: NDArray[np.int32]) -> None:
        if len(old):
            self._memories["alive"][old] = False
            slots = np.arange(len(self._memories), dtype=np.int32)
            slots[old] = new
            self._repoint(slots)

    def _link(self, links: Sequence[Link]) -> None:
        """Give reflections these links in place of those that they have."""
        if not links:
            return
        reflections, sources, support = zip(*links, strict=True)
        ends = self._numbering.find(reflections), self._numbering.find(sources)
        held = np.flatnonzero((ends[0] != NOWHERE) & (ends[1] != NOWHERE))
        replaced = np.isin(self._links["reflection"], ends[0])
        if replaced.any():
            self._links.keep(np.flatnonzero(~replaced))
        columns = (ends[0][held], ends[1][held], np.array(support)[held])
        self._links.append(dict(zip(_LINK, columns, strict=True)), len(held))

    def _compact(self) -> None:
        """Give the living memories new slots without gaps, and forget the dead for good."""
        alive = self._memories["alive"]
        slots = _renumbering(alive)
        memory = slots[self._passages["memory"]]
        self._postings.renumber(_renumbering(memory != NOWHERE))
        self._passages["memory"][:] = memory
        self._passages.keep(np.flatnonzero(memory != NOWHERE))
        self._conversations.renumber(slots)
        self._numbering.renumber(slots)
        self._repoint(slots)
        self._memories.keep(np.flatnonzero(alive))
        heads = np.flatnonzero(np.diff(self._passages["memory"], prepend=NOWHERE))
        self._memories["first"][:] = heads

    def _repoint(self, slots: NDArray[np.int32]) -> None:
        """Point folds and links to the new slots of memories; links to nowhere are dropped."""
        folds = self._memories["folds_into"]
        folding = np.flatnonzero(folds != NOWHERE)
        folds[folding] = slots[folds[folding]]
        reflections, sources = self._links["reflection"], self._links["source"]
        reflections[:], sources[:] = slots[reflections], slots[sources]
        held = (reflections != NOWHERE) & (sources != NOWHERE)
        if not held.all():
            self._links.keep(np.flatnonzero(held))


def _batches(rows: Iterable[Row]) -> Iterator[list[Row]]:
    """Yield rows in lists of bounded length that keep the rows of one memory together."""
    batch: list[Row] = []
    for row in rows:
        if len(batch) >= _BATCH and row[0] != batch[-1][0]:
            yield batch
            batch = []
        batch.append(row)
    if batch:
        yield batch


def _renumbering(kept: NDArray[np.bool_]) -> NDArray[np.int32]:
    """Return the new number of everything that is kept, `NOWHERE` for the rest."""
    numbers = np.cumsum(kept, dtype=np.int32)
    return np.where(kept, numbers, 0).astype(np.int32) + np.int32(NOWHERE)
