"""The loop: everything is consolidated, the loop ends, and a failure commits nothing."""

from collections.abc import Callable
from typing import TypeVar

import pytest

from tests.reflectors.batches import batch_of
from treering import Vault, Verbs
from treering.errors import Conflict, LeaseExpired, ModelFailure, TreeringError
from treering.model import ANONYMOUS, Caller
from treering.reflectors import (
    ConsolidationSummary,
    Progress,
    ReflectionEntry,
    consolidate,
)
from treering.replies import (
    Batch,
    CheckoutReply,
    CommitReply,
    CreatedReflection,
    DebtReply,
    NothingToConsolidate,
    RawDebt,
    Tier2Debt,
    Unconsolidated,
)
from treering.requests import CheckoutRequest, CommitRequest, Request

R = TypeVar("R")
DEBT = DebtReply(Unconsolidated(RawDebt(0, 0, 0), Tier2Debt(0, 0, 0)), 50_000, 150, None)


class FakeVault(Verbs):
    """Hands out `waiting` batches a tier; each commit is answered by the next of `refusals`."""

    def __init__(
        self, waiting: dict[int, int], refusals: list[TreeringError | None] | None = None
    ) -> None:
        self.waiting = waiting
        self.refusals = refusals or []
        self.log: list[str] = []
        self.consolidates = 3

    def perform(self, request: Request[R], caller: Caller = ANONYMOUS) -> R:
        reply: object
        if isinstance(request, CheckoutRequest):
            reply = self._checkout(request)
        else:
            assert isinstance(request, CommitRequest)
            reply = self._commit(request)
        return reply  # type: ignore[return-value]  # which reply belongs to R is known at run time

    def close(self) -> None:
        """Nothing is held."""

    def _checkout(self, request: CheckoutRequest) -> CheckoutReply:
        self.log.append(f"checkout {request.tier}")
        if not self.waiting.get(request.tier):
            return NothingToConsolidate()
        return batch_of(["a", "b", "c"], tier=request.tier, batch_id=f"cb_{len(self.log)}")

    def _commit(self, request: CommitRequest) -> CommitReply:
        self.log.append("commit")
        refusal = self.refusals.pop(0) if self.refusals else None
        if refusal is not None:
            raise refusal
        tier = next(tier for tier, left in self.waiting.items() if left)
        self.waiting[tier] -= 1
        created = [CreatedReflection("r", entry.importance) for entry in request.parse_entries()]
        return CommitReply(
            request.batch_id, True, False, tier + 1, created, self.consolidates, DEBT
        )


class FakeReflector:
    """Writes one entry a batch, or fails."""

    def __init__(self, fails: Callable[[Batch], bool] = lambda batch: False) -> None:
        self.fails = fails

    def reflect(self, batch: Batch) -> list[ReflectionEntry]:
        if self.fails(batch):
            raise ModelFailure
        return [{"text": f"{batch.count} memories", "importance": 5}]

    def describe(self) -> str:
        return "A fake."


def test_tier_1_then_tier_2_until_both_are_empty() -> None:
    vault = FakeVault({1: 2, 2: 1})
    seen: list[Progress] = []
    summary = consolidate(vault, FakeReflector(), on_progress=seen.append)
    assert vault.log == [
        *("checkout 1", "commit", "checkout 1", "commit", "checkout 1"),
        *("checkout 2", "commit", "checkout 2"),
    ]
    assert (summary.batches, summary.memories, summary.finished) == (3, 9, True)
    assert summary.reflections == {"2": 2, "3": 1}
    assert [progress.stage for progress in seen] == ["reflecting", "committed"] * 3


def test_it_stops_after_max_batches() -> None:
    vault = FakeVault({1: 5})
    summary = consolidate(vault, FakeReflector(), max_batches=2)
    assert (summary.batches, summary.finished) == (2, False)
    assert vault.waiting == {1: 3}


@pytest.mark.parametrize("refusal", [LeaseExpired(), Conflict()])
def test_a_lost_batch_is_checked_out_again(refusal: TreeringError) -> None:
    vault = FakeVault({1: 1}, [refusal, refusal, None])
    summary = consolidate(vault, FakeReflector())
    assert (summary.batches, summary.lost_batches, summary.finished) == (1, 2, True)


def test_batches_that_are_always_lost_end_the_loop() -> None:
    vault = FakeVault({1: 1}, [LeaseExpired() for _ in range(100)])
    with pytest.raises(LeaseExpired):
        consolidate(vault, FakeReflector())
    assert vault.log.count("commit") == 3


def test_a_server_by_whose_commits_nothing_is_consolidated_ends_the_loop() -> None:
    vault = FakeVault({1: 10**9})
    vault.consolidates = 0
    with pytest.raises(Conflict):
        consolidate(vault, FakeReflector())


def test_a_batch_that_comes_again_ends_the_loop() -> None:
    class Stuck(FakeVault):
        def _checkout(self, request: CheckoutRequest) -> CheckoutReply:
            return batch_of(["a"], batch_id="cb_always")

    with pytest.raises(Conflict, match="committed already"):
        consolidate(Stuck({1: 10**9}), FakeReflector())


def test_a_model_that_fails_commits_nothing_and_leaves_the_lease() -> None:
    vault = FakeVault({1: 3})
    with pytest.raises(ModelFailure):
        consolidate(vault, FakeReflector(lambda batch: batch.batch_id != "cb_1"))
    assert vault.log == ["checkout 1", "commit", "checkout 1"]


def test_a_real_vault_ends_without_debt(vault: Vault) -> None:
    vault.ingest([{"role": "user", "content": f"Message {n} " + "x" * 1000} for n in range(20)])
    summary: ConsolidationSummary = consolidate(vault, FakeReflector(), max_tokens=1_000)
    assert summary.reflections["2"] > 3
    assert summary.reflections["3"] > 0
    waiting = vault.debt().unconsolidated
    assert (waiting.raw.units, waiting.tier2.count) == (0, 0)
    assert summary.reflection == vault.debt()
