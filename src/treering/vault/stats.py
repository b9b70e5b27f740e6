"""What a vault holds, and whether its index is in memory."""

from __future__ import annotations

from treering.model import Caller
from treering.replies import DebtReply, StatsReply, WarmupReply
from treering.requests import DebtRequest, StatsRequest, WarmupRequest
from treering.rules.instants import to_iso
from treering.vault.context import Context
from treering.vault.counts import counts_by_kind, counts_by_level, counts_by_tier, total
from treering.vault.debt import debt_of


def stats(context: Context, request: StatsRequest, caller: Caller) -> StatsReply:
    """Counts by tier, level and kind, from the store's running sums."""
    with context.store.read() as reader:
        tallies = reader.tallies()
        span = reader.span()
        pending = reader.head().pending
    return StatsReply(
        memories=total(tallies),
        by_tier=counts_by_tier(tallies),
        by_level=counts_by_level(tallies),
        by_kind=counts_by_kind(tallies),
        total_tokens=sum(tally.tokens for tally in tallies),
        oldest=to_iso(span.start) if span else None,
        newest=to_iso(span.end) if span else None,
        pending_vectors=pending,
        reflection=debt_of(tallies),
    )


def debt(context: Context, request: DebtRequest, caller: Caller) -> DebtReply:
    """The reflection debt."""
    return context.debt()


def warmup(context: Context, request: WarmupRequest, caller: Caller) -> WarmupReply:
    """Load the index, so that the next search finds it in memory."""
    started = context.system.monotonic()
    with context.index.current() as index:
        loaded = len(index)
    elapsed = context.system.monotonic() - started
    return WarmupReply(status="warm", memories_loaded=loaded, warmup_ms=round(elapsed * 1000))
