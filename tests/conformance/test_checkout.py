"""Checking a batch out under a lease."""

from __future__ import annotations

import hashlib
from typing import Any

import pytest

from tests.conformance.steps import (
    checked_out,
    entry,
    ids_of,
    iso,
    reflect,
    said,
    store,
    store_at,
    words,
)
from tests.support.worlds import Clock
from treering import Verbs
from treering.errors import InvalidRequest, LeaseExpired
from treering.model import Tier
from treering.replies import Batch, NothingToConsolidate
from treering.requests import CheckoutRequest
from treering.rules import contract

INSTRUCTIONS = {
    1: "081008d30ee181c8",
}
"""Of each contract version, the start of the SHA-256 of its instructions for both tiers."""


def reflections(memory: Verbs, clock: Clock, *importances: int, tokens: int = 20) -> None:
    """Tier 2 memories with these importances, oldest first, of that many tokens each."""
    for first in range(0, len(importances), 50):
        store_at(memory, (clock.now() + first, f"source of {first}"))
        rated = importances[first : first + 50]
        reflect(memory, *(entry(words(tokens - 1) + "abcd", each) for each in rated))


@pytest.mark.promise("checkout.reply")
def test_a_batch_says_what_to_consolidate_and_how(memory: Verbs, clock: Clock) -> None:
    now = clock.now()
    ids = store_at(memory, (now - 2000, "first"), (now - 1000, "second"))
    batch = checked_out(memory)
    assert batch.batch_id.startswith("cb_")
    assert (batch.tier, batch.count, batch.source_ids) == (1, 2, ids)
    assert batch.est_tokens == 2 + 2
    assert (batch.covers.from_, batch.covers.to) == (iso(now - 2000), iso(now - 1000))
    assert batch.lease_expires_at == iso(now + 15 * 60_000)
    assert batch.tier_definitions.target_tier == 2
    assert "WHAT" in batch.tier_definitions.instruction


@pytest.mark.promise("checkout.no-ids")
def test_the_model_sees_text_and_date_alone(memory: Verbs, clock: Clock) -> None:
    ids = store_at(memory, (clock.now(), "first"))
    batch = checked_out(memory)
    assert [(item.text, item.date) for item in batch.memories] == [("first", iso(clock.now()))]
    assert set(type(batch.memories[0]).__slots__) == {"text", "date"}
    shown = batch.reflection_contract.instructions + "".join(item.text for item in batch.memories)
    assert not [each for each in [*ids, batch.batch_id] if each in shown]


@pytest.mark.promise("checkout.contract", "checkout.contract-pinned")
def test_the_contract_is_versioned(memory: Verbs, clock: Clock) -> None:
    store(memory, "first")
    raw = checked_out(memory)
    made = raw.reflection_contract
    assert made.instructions.startswith(
        "You are consolidating raw memories into main-level reflections."
    )
    assert (made.target_tier, made.min_entries, made.max_entries) == (2, 1, 100)
    assert made.recommended_entries == "5-10"
    assert made.entry_schema.importance == "integer 1 to 10"
    assert "1 to 8000 chars" in made.entry_schema.text
    memory.commit(raw.batch_id, [entry("one")])
    assert checked_out(memory, 2).reflection_contract.target_tier == 3
    both = [contract.reflection_contract(tier).instructions for tier in (Tier.RAW, Tier.REFLECTION)]
    pinned = hashlib.sha256("\0".join(both).encode()).hexdigest()[:16]
    assert pinned == INSTRUCTIONS[made.version], "new instructions need a new version"


@pytest.mark.promise("checkout.oldest-first")
def test_the_oldest_are_leased_first_by_date_then_arrival(memory: Verbs, clock: Clock) -> None:
    now = clock.now()
    store_at(memory, (now, "c"), (now - 5, "b"), (now, "d"), (now - 9, "a"))
    store_at(memory, (now - 5, "b too"))
    assert [item.text for item in checked_out(memory).memories] == ["a", "b", "b too", "c", "d"]


@pytest.mark.promise("checkout.tier-1-budget")
def test_a_raw_batch_stops_before_the_first_that_does_not_fit(memory: Verbs) -> None:
    store(memory, words(20_000), words(20_000), words(10_001), "small")
    assert checked_out(memory).est_tokens == 40_000
    assert checked_out(memory).count == 2


@pytest.mark.promise("checkout.tier-1-budget")
def test_a_raw_batch_may_fill_its_budget_exactly(memory: Verbs) -> None:
    store(memory, words(25_000), words(25_000), "small")
    assert checked_out(memory).est_tokens == 50_000


@pytest.mark.promise("checkout.at-least-one")
def test_a_batch_holds_at_least_one(memory: Verbs) -> None:
    store(memory, words(1500), "small")
    batch = checked_out(memory, max_tokens=1000)
    assert (batch.count, batch.est_tokens) == (1, 1500)


@pytest.mark.promise("checkout.tier-2-importance")
def test_a_tier_2_batch_ends_with_the_one_that_reaches_150(memory: Verbs, clock: Clock) -> None:
    reflections(memory, clock, *([10] * 14), 9, 1, 10)
    batch = checked_out(memory, 2)
    assert (batch.tier, batch.count) == (2, 16)
    assert checked_out(memory, 2).count == 1


@pytest.mark.promise("checkout.tier-2-soft-cap")
def test_a_tier_2_batch_ends_with_the_one_that_reaches_10_000_tokens(
    memory: Verbs, clock: Clock
) -> None:
    reflections(memory, clock, *([1] * 12), tokens=1900)
    batch = checked_out(memory, 2)
    assert (batch.count, batch.est_tokens) == (6, 6 * 1900)


@pytest.mark.promise("checkout.explicit-cap")
def test_an_explicit_cap_is_hard_and_ignores_importance(memory: Verbs, clock: Clock) -> None:
    reflections(memory, clock, *([10] * 20), tokens=100)
    assert checked_out(memory, 2, max_tokens=1950).count == 19
    store(memory, words(800), words(800), words(800))
    assert checked_out(memory, 1, max_tokens=1700).count == 2


@pytest.mark.promise("checkout.clamped")
def test_an_explicit_cap_is_clamped(memory: Verbs) -> None:
    store(memory, *(words(400) for _ in range(5)))
    assert checked_out(memory, max_tokens=-3).count == 2
    store(memory, *(words(49_000) for _ in range(5)))
    batch = checked_out(memory, max_tokens=10**9)
    assert (batch.count, batch.est_tokens) == (3 + 4, 3 * 400 + 4 * 49_000)


@pytest.mark.promise("checkout.wrong-type")
@pytest.mark.parametrize(
    "body",
    [
        {},
        {"tier": 3},
        {"tier": 0},
        {"tier": True},
        {"tier": "1"},
        {"tier": 1, "max_tokens": "5000"},
        {"tier": 1, "max_tokens": 5000.5},
        {"tier": 1, "max_tokens": True},
        {"tier": 1, "limit": 5},
        {"tier": 1, "session_id": ""},
    ],
)
def test_a_wrong_type_is_refused(memory: Verbs, body: dict[str, Any]) -> None:
    with pytest.raises(InvalidRequest):
        memory.perform(CheckoutRequest.parse(body))


@pytest.mark.promise("checkout.embeddings-accepted")
def test_session_and_embeddings_are_accepted(memory: Verbs) -> None:
    store(memory, "first")
    body = {"tier": 1, "session_id": "s", "embeddings": "another"}
    assert memory.perform(CheckoutRequest.parse(body)).count == 1


@pytest.mark.promise("checkout.no-sharing")
def test_two_checkouts_never_share_a_memory(memory: Verbs) -> None:
    ids = store(memory, *(f"{n} {words(400)}" for n in range(9)))
    leased: list[str] = []
    while isinstance(batch := memory.checkout(1, max_tokens=1000), Batch):
        leased += batch.source_ids
    assert leased == ids


@pytest.mark.promise("checkout.empty")
def test_when_all_is_leased_or_consolidated_checkout_says_so(memory: Verbs) -> None:
    empty = NothingToConsolidate(None, 0, "nothing unconsolidated")
    assert memory.checkout(1) == memory.checkout(2) == empty
    store(memory, "first")
    batch = checked_out(memory)
    assert memory.checkout(1) == empty, "all is leased"
    memory.commit(batch.batch_id, [entry("one")])
    assert memory.checkout(1) == empty, "all is consolidated"


@pytest.mark.promise("checkout.lease", "checkout.expiry")
def test_a_lease_lasts_15_minutes_and_returns_its_memories(memory: Verbs, clock: Clock) -> None:
    ids = store(memory, "first", "second")
    first = checked_out(memory)
    clock.advance(seconds=15 * 60 - 0.001)
    assert isinstance(memory.checkout(1), NothingToConsolidate)
    clock.advance(seconds=0.001)
    second = checked_out(memory)
    assert (second.source_ids, second.batch_id == first.batch_id) == (ids, False)
    with pytest.raises(LeaseExpired):
        memory.commit(first.batch_id, [entry("late")])
    assert memory.commit(second.batch_id, [entry("in time")]).sources_consolidated == 2


@pytest.mark.promise("checkout.pool")
def test_consolidated_memories_never_return_and_tier_3_is_the_top(
    memory: Verbs, clock: Clock
) -> None:
    store(memory, "first")
    reflect(memory, entry("one", 5))
    reflect(memory, entry("top", 5), tier=2)
    clock.advance(days=30)
    assert isinstance(memory.checkout(1), NothingToConsolidate)
    assert isinstance(memory.checkout(2), NothingToConsolidate)


@pytest.mark.promise("consolidate.backfill")
def test_a_backfill_is_the_loop_until_checkout_is_empty(memory: Verbs, clock: Clock) -> None:
    ids = ids_of(memory.ingest([said(f"{n} {words(300)}", timestamp=n) for n in range(40)]).ids)
    checked_out(memory, max_tokens=2000)
    clock.advance(minutes=15)
    covered: list[str] = []
    while isinstance(batch := memory.checkout(1, max_tokens=2000), Batch):
        made = memory.commit(batch.batch_id, [entry(f"covers {batch.count}")])
        sources = memory.inspect(made.created[0].id).sources
        assert sources is not None
        covered += sorted((source.id for source in sources), key=ids.index)
    assert covered == ids
    assert memory.stats().reflection.unconsolidated.raw.units == 0
