"""Debt as the reply shows it, from the store's running sums."""

from __future__ import annotations

from collections.abc import Iterable

from treering.model import Tally, Tier
from treering.replies import DebtReply, RawDebt, Tier2Debt, Unconsolidated
from treering.rules import debt


def debt_of(tallies: Iterable[Tally]) -> DebtReply:
    """The debt that these tallies add up to."""
    pooled = [tally for tally in tallies if tally.pooled]
    raw = [tally for tally in pooled if tally.tier is Tier.RAW]
    tier2 = [tally for tally in pooled if tally.tier is Tier.REFLECTION]
    raw_tokens = sum(tally.tokens for tally in raw)
    raw_importance = debt.importance_equivalent(raw_tokens)
    tier2_importance = sum(tally.importance for tally in tier2)
    return DebtReply(
        unconsolidated=Unconsolidated(
            raw=RawDebt(sum(tally.count for tally in raw), raw_tokens, raw_importance),
            tier2=Tier2Debt(
                sum(tally.count for tally in tier2),
                tier2_importance,
                sum(tally.tokens for tally in tier2),
            ),
        ),
        threshold_tokens=debt.THRESHOLD_TOKENS,
        threshold_importance=debt.THRESHOLD_IMPORTANCE,
        suggestion=debt.suggestion(raw_importance, tier2_importance),
    )
