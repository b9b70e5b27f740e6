"""The token estimate: one formula for budgets, debt, usage and prices."""

from __future__ import annotations

ESTIMATE_VERSION = 1
MIN_BUDGET, MAX_BUDGET = 1_000, 200_000


def estimate_tokens(text: str) -> int:
    """Tokens that `text` is taken to cost: ceil((ASCII characters + 3 x others) / 4).

    Frozen under `ESTIMATE_VERSION`; stored counts depend on it.
    """
    ascii_count = len(text) if text.isascii() else sum(map(str.isascii, text))
    weight = ascii_count + 3 * (len(text) - ascii_count)
    return (weight + 3) // 4


def clamped(budget: int) -> int:
    """A caller's budget of a page or a batch, within what either may have."""
    return min(max(budget, MIN_BUDGET), MAX_BUDGET)
