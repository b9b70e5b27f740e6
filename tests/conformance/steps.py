"""What tests say and do again and again, in one line each."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from treering import Verbs
from treering.replies import Batch, CommitReply, MemoryRow
from treering.rules.instants import to_iso

MINUTE = 60_000
DAY = 86_400_000


def said(content: Any, **fields: Any) -> dict[str, Any]:
    """A user's message."""
    return {"role": "user", "content": content, **fields}


def replied(content: Any, **fields: Any) -> dict[str, Any]:
    """An assistant's message."""
    return {"role": "assistant", "content": content, **fields}


def entry(text: str, importance: int = 5) -> dict[str, Any]:
    """One entry of a commit."""
    return {"text": text, "importance": importance}


def store(memory: Verbs, *texts: str, session_id: str | None = None) -> list[str]:
    """Store each text as a user's undated message; their ids."""
    reply = memory.ingest([said(text) for text in texts], session_id=session_id)
    return ids_of(reply.ids)


def store_at(memory: Verbs, *dated: tuple[int, str]) -> list[str]:
    """Store each (instant, text) as a user's message; their ids."""
    return ids_of(memory.ingest([said(text, timestamp=at) for at, text in dated]).ids)


def ids_of(ids: Sequence[str | None]) -> list[str]:
    """The ids, none of which may be missing."""
    assert None not in ids
    return [str(memory_id) for memory_id in ids]


def checked_out(memory: Verbs, tier: int = 1, max_tokens: int | None = None) -> Batch:
    """A batch, where there is something to consolidate."""
    batch = memory.checkout(tier, max_tokens=max_tokens)
    assert isinstance(batch, Batch)
    return batch


def reflect(memory: Verbs, *entries: dict[str, Any], tier: int = 1) -> CommitReply:
    """Consolidate what a tier's next batch holds into the entries."""
    return memory.commit(checked_out(memory, tier).batch_id, entries)


def everything(memory: Verbs) -> list[MemoryRow]:
    """All raw memories, oldest first."""
    page = memory.date_search(
        "0001-01-01", "9999-12-31", tiers=[1], max_tokens=200_000, order="oldest_first"
    )
    return page.memories


def words(tokens: int) -> str:
    """A text of exactly that many tokens by the estimate."""
    return ("word " * tokens)[: 4 * tokens]


def iso(ms: int) -> str:
    """The instant as the API writes it."""
    return to_iso(ms)
