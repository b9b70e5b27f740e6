"""The searchable memory of one vault: what it holds, and its ranking for a question."""

from collections.abc import Iterable

import numpy as np

from treering.retrieval.contents import Contents
from treering.retrieval.holdings import Holdings, Link, Row
from treering.retrieval.ranking import Ask, Ranking, Slots, best, blend, squash
from treering.retrieval.scoring import Question, Scored, score
from treering.retrieval.signals import Flags, Weights
from treering.retrieval.terms import query_terms

__all__ = ["Ask", "Link", "Ranking", "Row", "VaultIndex"]

_MOST_PASSAGES = 5


class VaultIndex:
    """A vault's passages and links in memory, in step with the database, which alone is true.

    Not safe for threads: the caller holds a lock around every call.
    """

    def __init__(self, dims: int, weights: Weights | None = None) -> None:
        self._dims = dims
        self._weights = weights or Weights()
        self._holdings = Holdings(dims)

    def __len__(self) -> int:
        """Count the memories."""
        return len(self._holdings)

    @property
    def nbytes(self) -> int:
        """Bytes allocated, room to grow included."""
        return self._holdings.nbytes

    def load(self, rows: Iterable[Row], links: Iterable[Link]) -> None:
        """Hold these rows and links, and nothing else. As `update` otherwise."""
        self._holdings = Holdings(self._dims)
        self._holdings.update(rows, links, ())

    def update(self, rows: Iterable[Row], links: Iterable[Link], gone: Iterable[int]) -> None:
        """Forget the memories `gone`, then take in rows and links.

        The rows of one memory come together and in the order of its passages. A memory that is held
        already is replaced and keeps its links; those of a reflection come all at once, in place of
        those it has. A captured statement comes with or after its message, a link with or after
        both of its ends, and one with an end that is not held is passed over. Raises ValueError for
        a vector of other dimensions; load again after that.
        """
        self._holdings.update(rows, links, gone)

    def rank(self, ask: Ask) -> Ranking:
        """Rank memories for a question. Raises ValueError for a vector of other dimensions."""
        if ask.vector is not None and ask.vector.shape != (self._dims,):
            raise ValueError(f"a query's vector has shape {ask.vector.shape}, not {self._dims}")
        contents = self._holdings.read()
        question = Question(query_terms(ask.text), ask.vector, ask.session)
        scored = score(contents, question, self._weights)
        allowed = _allowed(contents, ask)
        chosen = _choose(contents, scored, allowed, ask.limit)
        return Ranking(
            seqs=tuple(contents.memories["seq"][chosen].tolist()),
            scores=tuple(squash(scored.fused[chosen].astype(np.float64)).tolist()),
            matched=tuple(scored.matched[chosen].tolist()),
            passages=tuple(_best_passages(contents, scored, slot) for slot in chosen.tolist()),
            signals=scored.signals(chosen, contents.turns.places[chosen]),
        )


def _allowed(contents: Contents, ask: Ask) -> Flags:
    """Return which visible memories the filters of a question leave."""
    memories = contents.memories
    by_level = ask.levels is not None
    allowed: Flags = (memories["alive"] if by_level else contents.visible).copy()
    if ask.tiers is not None:
        allowed &= np.isin(memories["tier"], list(ask.tiers))
    if ask.levels is not None:
        allowed &= np.isin(memories["level"], list(ask.levels))
    if ask.importance is not None:
        allowed &= memories["importance"] >= ask.importance
    if ask.session_only:
        allowed &= memories["session"] == ask.session if ask.session is not None else False
    if ask.window is not None:
        start, end = ask.window
        raw = memories["tier"] == 1
        earliest = np.where(raw, memories["date"], memories["covers_from"])
        latest = np.where(raw, memories["date"], memories["covers_to"])
        allowed &= (earliest < end) & (latest >= start)
    return allowed


def _choose(contents: Contents, scored: Scored, allowed: Flags, limit: int | None) -> Slots:
    """Return the slots of the best memories, reflections blended in."""
    seqs, raw = contents.memories["seq"], contents.memories["tier"] == 1
    return blend(
        scored.fused,
        best(scored.fused, seqs, np.flatnonzero(allowed & raw), limit),
        best(scored.fused, seqs, np.flatnonzero(allowed & ~raw), limit),
    )[:limit]


def _best_passages(contents: Contents, scored: Scored, slot: int) -> tuple[int, ...]:
    if contents.one_passage_each:
        return (0,)
    passages = scored.passages[contents.span(slot)]
    return tuple(np.argsort(-passages, kind="stable")[:_MOST_PASSAGES].tolist())
