"""What a vault holds, and loading it."""

from __future__ import annotations

import pytest

from tests.conformance.steps import entry, iso, reflect, store, store_at
from tests.support.worlds import Clock
from treering import Verbs


@pytest.mark.promise("stats.reply")
def test_an_empty_vault_counts_nothing(memory: Verbs) -> None:
    stats = memory.stats()
    assert stats.by_tier == {"1": 0, "2": 0, "3": 0}
    assert stats.by_level == {"L0": 0, "L1": 0, "L2": 0, "L3": 0}
    assert stats.by_kind == {"message": 0, "statement": 0, "reflection": 0}
    assert (stats.memories, stats.total_tokens, stats.oldest, stats.newest) == (0, 0, None, None)


@pytest.mark.promise("stats.reply")
def test_memories_are_counted_by_tier_level_and_kind(memory: Verbs, clock: Clock) -> None:
    now = clock.now()
    ids = store_at(memory, (now - 5000, "abcd"), (now, "abcdefgh"))
    reflect(memory, entry("abcd"))
    stats = memory.stats()
    assert (stats.memories, stats.total_tokens, stats.pending_vectors) == (3, 4, 0)
    assert stats.by_tier == {"1": 2, "2": 1, "3": 0}
    assert stats.by_level == {"L0": 0, "L1": 0, "L2": 1, "L3": 2}
    assert stats.by_kind == {"message": 2, "statement": 0, "reflection": 1}
    assert (stats.oldest, stats.newest) == (iso(now - 5000), iso(now))
    assert stats.reflection == memory.debt()
    memory.delete(ids[:1])
    assert memory.stats().oldest == iso(now)


@pytest.mark.promise("warmup.reply")
def test_warmup_loads_what_a_search_looks_at(memory: Verbs) -> None:
    store(memory, "one", "two")
    reflect(memory, entry("both"))
    reply = memory.warmup()
    assert (reply.status, reply.memories_loaded) == ("warm", 3)
    assert reply.warmup_ms >= 0
