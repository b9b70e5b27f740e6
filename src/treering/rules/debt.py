"""Reflection debt: how much of a vault no reflection covers yet, and when to say so."""

from __future__ import annotations

THRESHOLD_TOKENS = 50_000
THRESHOLD_IMPORTANCE = 150


def importance_equivalent(raw_tokens: int) -> int:
    """The importance that unrated raw memories stand for: 150 for every 50,000 tokens, floored."""
    return raw_tokens * THRESHOLD_IMPORTANCE // THRESHOLD_TOKENS


def suggestion(raw_importance: int, tier2_importance: int) -> str | None:
    """What to consolidate, in the contract's words; None while both boundaries are under 150."""
    parts = [
        f"{boundary} consolidation suggested: {importance} unconsolidated importance"
        for boundary, importance in (("raw", raw_importance), ("tier 2", tier2_importance))
        if importance >= THRESHOLD_IMPORTANCE
    ]
    return "; ".join(parts) or None
