"""How much waits for consolidation, and when that is said."""

from __future__ import annotations

import pytest

from tests.conformance.steps import checked_out, entry, reflect, said, store, words
from tests.support.worlds import Clock
from treering import Verbs
from treering.replies import DebtReply


def rate(memory: Verbs, *importances: int) -> None:
    """Make reflections of these importances."""
    store(memory, f"the source of {importances}")
    reflect(memory, *(entry(f"reflection {n}", each) for n, each in enumerate(importances)))


@pytest.mark.promise("debt.formula", "debt.block")
@pytest.mark.parametrize(("tokens", "equivalent"), [(1, 0), (333, 0), (334, 1), (49_999, 149)])
def test_raw_debt_is_floored_from_tokens(memory: Verbs, tokens: int, equivalent: int) -> None:
    store(memory, words(tokens))
    debt = memory.debt()
    raw = debt.unconsolidated.raw
    assert (raw.units, raw.est_tokens, raw.importance_equiv) == (1, tokens, equivalent)
    assert (debt.threshold_tokens, debt.threshold_importance) == (50_000, 150)
    assert debt.suggestion is None


@pytest.mark.promise("debt.tier-2")
def test_tier_2_debt_is_the_sum_of_importances(memory: Verbs) -> None:
    rate(memory, 10, 7, 1)
    tier2 = memory.debt().unconsolidated.tier2
    assert (tier2.count, tier2.importance, tier2.est_tokens) == (3, 18, 3 * 3)
    reflect(memory, entry("top"), tier=2)
    after = memory.debt().unconsolidated
    assert (after.tier2.count, after.tier2.importance, after.raw.units) == (0, 0, 0)


@pytest.mark.promise("debt.suggestion")
def test_a_suggestion_is_made_from_150_on(memory: Verbs) -> None:
    rate(memory, *[10] * 14, 9)
    assert memory.debt().suggestion is None
    rate(memory, 1)
    assert (
        memory.debt().suggestion == "tier 2 consolidation suggested: 150 unconsolidated importance"
    )


@pytest.mark.promise("debt.suggestion", "debt.both")
def test_both_boundaries_are_named(memory: Verbs) -> None:
    store(memory, words(50_000))
    raw = "raw consolidation suggested: 150 unconsolidated importance"
    assert memory.debt().suggestion == raw
    reflect(memory, *(entry(f"reflection {n}", 10) for n in range(16)))
    store(memory, words(30_000), words(30_000))
    assert memory.debt().suggestion == (
        "raw consolidation suggested: 180 unconsolidated importance; "
        "tier 2 consolidation suggested: 160 unconsolidated importance"
    )


@pytest.mark.promise("debt.leased")
def test_leased_memories_are_debt_until_committed(memory: Verbs, clock: Clock) -> None:
    store(memory, "first", "second")
    before = memory.debt()
    batch = checked_out(memory)
    assert memory.debt() == before
    memory.commit(batch.batch_id, [entry("one")])
    assert memory.debt().unconsolidated.raw.units == 0


@pytest.mark.promise("debt.deleted")
def test_what_is_deleted_is_no_debt(memory: Verbs) -> None:
    ids = store(memory, "first", "second")
    memory.delete(ids[:1])
    assert memory.debt().unconsolidated.raw.units == 1
    memory.wipe()
    assert memory.debt().unconsolidated.raw.units == 0


@pytest.mark.promise("debt.on-replies")
def test_the_debt_rides_on_replies(memory: Verbs) -> None:
    ridden: list[DebtReply] = [memory.ingest([said("first")]).reflection]
    ridden += [memory.search("first").reflection, memory.prepare([said("first")]).reflection]
    ridden += [memory.date_search("2020-01-01").reflection, memory.stats().reflection]
    assert {debt.unconsolidated.raw.units for debt in ridden} == {1}
    committed = reflect(memory, entry("one", 4)).reflection.unconsolidated
    assert (committed.raw.units, committed.tier2.importance) == (0, 4)


@pytest.mark.promise("debt.token-estimate")
@pytest.mark.parametrize(
    ("text", "tokens"), [("a", 1), ("abcd", 1), ("abcde", 2), ("数", 1), ("数据", 2), ("ab数", 2)]
)
def test_one_estimate_of_tokens_is_used_everywhere(memory: Verbs, text: str, tokens: int) -> None:
    assert memory.ingest([said(text)]).reflection.unconsolidated.raw.est_tokens == tokens
    assert memory.stats().total_tokens == tokens
    assert memory.date_search("2020-01-01").tokens == tokens
    assert checked_out(memory).est_tokens == tokens
