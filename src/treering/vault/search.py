"""Finding memories by relevance."""

from __future__ import annotations

from treering.errors import InvalidRequest
from treering.model import Caller
from treering.replies import SearchReply
from treering.requests import SearchRequest
from treering.retrieval.ranking import Ask, Ranking
from treering.rules.tokens import estimate_tokens
from treering.store.base import Reader
from treering.vault.context import Context
from treering.vault.live_index import LiveIndex
from treering.vault.rows import memory_row

_NO_SESSION = -1
"""The number of a session that the vault does not know: it lifts nothing and holds nothing."""


def search(context: Context, request: SearchRequest, caller: Caller) -> SearchReply:
    """The memories that answer the query best; all tiers blended unless `tiers` says otherwise.

    Raises InvalidRequest where one session alone is asked for and none is named.
    """
    session_id = request.session_id or caller.session_id
    if request.session_only and session_id is None:
        raise InvalidRequest("session_only: needs session_id")
    ranking = rank(
        context,
        request.query,
        limit=request.limit,
        tiers=request.tiers,
        importance=request.importance,
        session_id=session_id,
        session_only=request.session_only,
    )
    with context.store.read() as reader:
        memories = reader.memories(ranking.seqs)
        debt = context.debt(reader)
    rows = [
        memory_row(memories[seq], score, why if request.explain else None)
        for seq, score, why in zip(ranking.seqs, ranking.scores, ranking.why, strict=True)
        if seq in memories
    ]
    tokens = sum(estimate_tokens(row.content) for row in rows)
    context.meter.read(request.endpoint, tokens, caller, session_id)
    return SearchReply(memories=rows, count=len(rows), reflection=debt)


def rank(
    context: Context,
    text: str,
    *,
    limit: int | None,
    tiers: tuple[int, ...] | None = None,
    importance: int | None = None,
    session_id: str | None = None,
    session_only: bool = False,
    window: tuple[int, int] | None = None,
    levels: frozenset[int] | None = None,
    index: LiveIndex | None = None,
) -> Ranking:
    """Rank the vault, or what `index` holds of it, after it caught up with every commit."""
    vector = context.embedding.query(text)
    with context.store.read() as reader:
        session = _session_number(reader, session_id)
    ask = Ask(
        text=text,
        vector=vector,
        limit=limit,
        tiers=None if tiers is None else frozenset(tiers),
        importance=importance,
        session=session,
        session_only=session_only,
        window=window,
        levels=levels,
    )
    with (index or context.index).current() as current:
        return current.rank(ask)


def _session_number(reader: Reader, session_id: str | None) -> int | None:
    if session_id is None:
        return None
    number = reader.session_number(session_id)
    return _NO_SESSION if number is None else number
