"""Recalling memories of all levels by relevance."""

from __future__ import annotations

from treering.model import Caller, Level
from treering.replies import RecallReply, RecallResult
from treering.requests import RecallRequest
from treering.rules.tokens import estimate_tokens
from treering.vault.context import Context
from treering.vault.levels.rows import leveled
from treering.vault.levels.settings import in_force
from treering.vault.search import rank

_ALL = frozenset(level.value for level in Level)


def recall(context: Context, request: RecallRequest, caller: Caller) -> RecallReply:
    """The memories that answer a query best; none where nothing is above the recall floor.

    A memory below the floor is there when what surrounds it is above: `matched` is False then.
    """
    session_id = request.session_id or caller.session_id
    limit = request.limit
    if limit is None:
        with context.store.read() as reader:
            limit = in_force(context, reader).default_recall_limit
    ranking = rank(context, request.query, limit=limit, levels=_ALL, session_id=session_id)
    is_empty = not any(ranking.matched)
    with context.store.write() as tx:
        seqs = [] if is_empty else list(tx.memories(ranking.seqs))
        tx.touch(seqs, context.system.now())
        rows = dict(zip(seqs, leveled(tx, seqs), strict=True))
        tokens = sum(estimate_tokens(row.content) for row in rows.values())
        context.meter.write(tx, request.endpoint, tokens, caller, session_id)
    results = [
        RecallResult(rows[seq], round(score, 4), matched)
        for seq, score, matched in zip(ranking.seqs, ranking.scores, ranking.matched, strict=True)
        if seq in rows
    ]
    return RecallReply(results, empty=is_empty)
