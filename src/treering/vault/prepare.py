"""Building the block of recalled notes for a prompt, within a budget."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from treering.model import Caller, Memory
from treering.replies import PrepareReply
from treering.requests import PrepareRequest
from treering.requests.fields import MAX_QUERY_CHARACTERS
from treering.rules.content import text_of
from treering.rules.fence import FENCE, Note, block, line, without_blocks
from treering.rules.levels.block import Block
from treering.rules.tokens import estimate_tokens
from treering.store.base import Reader
from treering.vault.context import Context
from treering.vault.levels.block import Turn, build, rank_warm
from treering.vault.rows import memory_row, note
from treering.vault.search import rank
from treering.vault.shown import Shown

MEMORIES_BY_DENSITY = {"low": 5, "default": 15, "high": 40, "xhigh": 100}
_PASSAGES_OF_A_LONG_MEMORY = 2
_MOST_SKIPPED = 200
"""How many memories are ranked beyond the limit, in place of those that the messages show."""
_FENCE_TOKENS = estimate_tokens(FENCE) + 1


@dataclass(frozen=True, slots=True)
class _Recalled:
    memory: Memory
    note: Note
    score: float


def prepare(context: Context, request: PrepareRequest, caller: Caller) -> PrepareReply:
    """What memory adds to a prompt: the most relevant notes that the messages do not show yet."""
    shown = [without_blocks(text_of(message.content)) for message in request.messages]
    query = _query(request, shown)
    limit = request.context_limit
    if limit is None:
        limit = MEMORIES_BY_DENSITY[request.density]
    session_id = request.session_id or caller.session_id
    levels = _levels(context, request, query, shown, session_id, caller)
    shown.append(levels.text)
    left = request.max_tokens - levels.total_tokens - bool(levels.text)
    asked = query[:MAX_QUERY_CHARACTERS]
    found = _recall(context, request, asked, shown, limit, session_id) if asked and limit else []
    chosen, truncated = _within_budget(found, left)
    by_time = sorted(chosen, key=lambda recalled: (recalled.memory.date, recalled.memory.seq))
    notes = block([recalled.note for recalled in by_time])
    text = "\n".join(part for part in (levels.text, notes) if part)
    tokens = estimate_tokens(text)
    context.meter.read(request.endpoint, tokens, caller, session_id)
    return PrepareReply(
        context=text,
        memories_found=len(chosen),
        tokens=tokens,
        truncated=truncated or levels.truncated,
        memories=[memory_row(recalled.memory, recalled.score) for recalled in chosen],
        reflection=context.debt(),
    )


def _levels(
    context: Context,
    request: PrepareRequest,
    query: str,
    shown: Sequence[str],
    session_id: str | None,
    caller: Caller,
) -> Block:
    """The levels block, where it is asked for: of the vault's budget, but at most the request's."""
    if not request.levels:
        return Block("", (), 0, truncated=False)
    transcript = "\n".join(text for text in shown if text != query)
    turn = Turn(
        query[:MAX_QUERY_CHARACTERS],
        transcript,
        most_tokens=request.max_tokens,
        session_id=session_id,
    )
    warm = rank_warm(context, turn)
    with context.store.write() as tx:
        return build(context, tx, turn, warm, request.endpoint, caller).block


def _query(request: PrepareRequest, shown: Sequence[str]) -> str:
    """The last user message that says something; without one, the last message that does."""
    said = [
        (message.role, text)
        for message, text in zip(request.messages, shown, strict=True)
        if text.strip()
    ]
    by_user = [text for role, text in said if role == "user"]
    if by_user:
        return by_user[-1]
    return said[-1][1] if said else ""


def _recall(
    context: Context,
    request: PrepareRequest,
    query: str,
    shown: Sequence[str],
    limit: int,
    session_id: str | None,
) -> list[_Recalled]:
    """Up to `limit` relevant memories, best first, without those that `shown` holds."""
    already = Shown(shown)
    ranking = rank(
        context,
        query,
        limit=limit + min(already.count, _MOST_SKIPPED),
        tiers=request.tiers,
        importance=request.importance,
        session_id=session_id,
    )
    relevant = [place for place, matched in enumerate(ranking.matched) if matched]
    found: list[_Recalled] = []
    with context.store.read() as reader:
        memories = reader.memories([ranking.seqs[place] for place in relevant])
        for place in relevant:
            if len(found) == limit:
                break
            memory = memories.get(ranking.seqs[place])
            if memory is None or already.holds(memory.content):
                continue
            text = _excerpt(reader, memory, ranking.passages[place])
            found.append(_Recalled(memory, note(memory, text), ranking.scores[place]))
    return found


def _excerpt(reader: Reader, memory: Memory, best: Sequence[int]) -> str:
    """The whole text, or the best passages of a long one in their order."""
    spans = reader.spans(memory.seq)
    chosen = sorted(number for number in best[:_PASSAGES_OF_A_LONG_MEMORY] if number < len(spans))
    if len(spans) == 1 or not chosen:
        return memory.content
    return " […] ".join(
        memory.content[start:end] for start, end in _joined([spans[number] for number in chosen])
    )


def _joined(spans: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """Spans in order, those that touch made one."""
    joined = list(spans[:1])
    for start, end in spans[1:]:
        if start <= joined[-1][1]:
            joined[-1] = joined[-1][0], end
        else:
            joined.append((start, end))
    return joined


def _within_budget(found: Sequence[_Recalled], max_tokens: int) -> tuple[list[_Recalled], bool]:
    """The best that fit, and whether the budget left any out."""
    left = max_tokens - _FENCE_TOKENS
    chosen: list[_Recalled] = []
    for recalled in found:
        cost = estimate_tokens(line(recalled.note))
        if cost <= left:
            chosen.append(recalled)
            left -= cost
    return chosen, len(chosen) < len(found)
