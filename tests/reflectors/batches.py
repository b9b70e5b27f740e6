"""Batches as a server would hand them out."""

from collections.abc import Sequence

from treering.model import Tier
from treering.replies import Batch, BatchMemory, Span
from treering.rules.contract import reflection_contract, tier_definitions

DAY = "2026-02-03T18:02:00.000Z"


def batch_of(texts: Sequence[str], *, tier: int = 1, batch_id: str = "cb_1") -> Batch:
    """A batch of these texts, a minute apart."""
    dates = [f"2026-02-03T18:{minute % 60:02d}:00.000Z" for minute in range(len(texts))]
    return Batch(
        batch_id=batch_id,
        tier=tier,
        count=len(texts),
        est_tokens=10 * len(texts),
        covers=Span(dates[0], dates[-1]),
        lease_expires_at=DAY,
        memories=[BatchMemory(text, date) for text, date in zip(texts, dates, strict=True)],
        source_ids=[f"secret-id-{place}" for place in range(len(texts))],
        reflection_contract=reflection_contract(Tier(tier)),
        tier_definitions=tier_definitions(Tier(tier)),
    )
