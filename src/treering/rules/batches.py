"""Which memories a checkout leases, and how long for."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Protocol, TypeVar

from treering.model import Tier, Window
from treering.rules.debt import THRESHOLD_IMPORTANCE, THRESHOLD_TOKENS
from treering.rules.tokens import clamped

C = TypeVar("C", bound="Candidate")

LEASE_MS = 15 * 60_000
TIER2_SOFT_CAP = 10_000


class Candidate(Protocol):
    """What selection reads of a memory."""

    @property
    def tokens(self) -> int: ...
    @property
    def importance(self) -> int | None: ...
    @property
    def covered(self) -> Window: ...


@dataclass(frozen=True, slots=True)
class Budget:
    """When a batch is full.

    A hard cap stops before the memory that does not fit; importance and a soft cap stop after the
    one that reaches them. The first memory is always taken, or the loop could never end.
    """

    hard_tokens: int | None = None
    soft_tokens: int | None = None
    importance: int | None = None


def budget_for(tier: Tier, max_tokens: int | None) -> Budget:
    """The budget of a checkout; an explicit cap is clamped and hard."""
    if max_tokens is not None:
        return Budget(hard_tokens=clamped(max_tokens))
    if tier is Tier.RAW:
        return Budget(hard_tokens=THRESHOLD_TOKENS)
    return Budget(soft_tokens=TIER2_SOFT_CAP, importance=THRESHOLD_IMPORTANCE)


def select(pool: Iterable[C], budget: Budget) -> list[C]:
    """The head of `pool`, which comes oldest first, that fills `budget`."""
    chosen: list[C] = []
    tokens = importance = 0
    for candidate in pool:
        if chosen and _over(tokens + candidate.tokens, budget.hard_tokens):
            break
        chosen.append(candidate)
        tokens += candidate.tokens
        importance += candidate.importance or 0
        if _reached(tokens, budget.soft_tokens) or _reached(importance, budget.importance):
            break
    return chosen


def coverage(members: Iterable[Candidate]) -> Window:
    """The span that at least one member covers, both ends included."""
    spans = [member.covered for member in members]
    return Window(min(span.start for span in spans), max(span.end for span in spans))


def _over(value: int, limit: int | None) -> bool:
    return limit is not None and value > limit


def _reached(value: int, limit: int | None) -> bool:
    return limit is not None and value >= limit
