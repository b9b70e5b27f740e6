"""What an index holds, as scoring reads it."""

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from treering.retrieval.columns import Columns
from treering.retrieval.conversation import Conversations, Turns
from treering.retrieval.postings import Postings
from treering.retrieval.signals import Flags, Floats, length_norms


@dataclass(frozen=True, slots=True)
class Contents:
    """The columns of an index between two changes, and what follows from them.

    Arrays over slots [slots] count removed memories in, arrays over passages [passages] theirs;
    `visible` [slots] and `live` [passages] say which are left. `visible` leaves out statements
    that fold into a message, too: `statements` holds their slots and `messages` those of their
    messages. `raw` [slots] weighs the memories that cosines are measured by, 1 or 0; `unknown` are
    the passages without a vector. There are `documents` living passages; `norms` [passages] is
    BM25's view of their lengths.
    """

    memories: Columns
    passages: Columns
    links: Columns
    postings: Postings
    turns: Turns
    live: Flags
    norms: Floats
    documents: int
    raw: NDArray[np.float64]
    unknown: NDArray[np.intp]
    visible: Flags
    statements: NDArray[np.intp]
    messages: NDArray[np.intp]

    @classmethod
    def of(
        cls,
        memories: Columns,
        passages: Columns,
        links: Columns,
        postings: Postings,
        conversations: Conversations,
    ) -> Self:
        """Derive the rest from what an index keeps."""
        alive: Flags = memories["alive"]
        live = alive.take(passages["memory"])
        documents = int(np.count_nonzero(live))
        mean_length = max(1.0, int(passages["length"].sum(where=live)) / max(1, documents))
        statements = np.flatnonzero((memories["folds_into"] >= 0) & alive)
        messages = memories["folds_into"][statements].astype(np.intp)
        folding = alive[messages]
        visible = alive.copy()
        visible[statements[folding]] = False
        raw = alive & (memories["tier"] == 1)
        unknown = np.flatnonzero(passages["inverse_norm"] == 0)
        raw[passages["memory"][unknown]] = False
        return cls(
            memories,
            passages,
            links,
            postings,
            conversations.turns(memories),
            live,
            length_norms(passages["length"], mean_length),
            documents,
            raw.astype(np.float64),
            unknown,
            visible,
            statements[folding],
            messages[folding],
        )

    @property
    def nbytes(self) -> int:
        """Bytes allocated for what was derived."""
        turns = self.turns
        derived = (turns.slots, turns.places, turns.joined, turns.starts, self.live, self.norms)
        return sum(each.nbytes for each in (*derived, self.raw, self.visible))

    def best_passages(self, values: NDArray[Any]) -> NDArray[Any]:
        """Return the largest of each memory's passages' values [passages], as [slots]."""
        if self.one_passage_each:
            return values
        return np.maximum.reduceat(values, self.memories["first"])

    def span(self, slot: int) -> slice:
        """Return where a memory's passages stand."""
        first = self.memories["first"]
        last = first[slot + 1] if slot + 1 < len(first) else len(self.passages)
        return slice(int(first[slot]), int(last))

    @property
    def one_passage_each(self) -> bool:
        """Whether passages are numbered as memories are."""
        return len(self.passages) == len(self.memories)
