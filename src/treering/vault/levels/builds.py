"""The builds log: every block that was sent, and what blocks cost."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from treering.errors import NotFound
from treering.model import Caller, Level
from treering.replies import (
    AnalyticsReply,
    BuildEntry,
    BuildReply,
    BuildsReply,
    DaySpend,
    Spend,
    Spent,
    SpentOn,
)
from treering.requests import AnalyticsRequest, BuildRequest, BuildsRequest
from treering.rules.instants import DAY_MS, to_iso
from treering.rules.levels.block import Reason
from treering.store.levels import BuildPart, BuildRecord, BuildTotal
from treering.vault.context import Context
from treering.vault.counts import sums

_BODIES = frozenset({Reason.PINNED, Reason.TRIGGER, Reason.RECALL})


def builds(context: Context, request: BuildsRequest, caller: Caller) -> BuildsReply:
    """The blocks that were sent, newest first."""
    with context.store.read() as reader:
        records = reader.builds(request.limit, request.offset)
    return BuildsReply([_build(record) for record in records])


def build(context: Context, request: BuildRequest, caller: Caller) -> BuildReply:
    """One block as it was sent; raises NotFound."""
    with context.store.read() as reader:
        record = reader.build(request.id)
    if record is None:
        raise NotFound("build", request.id)
    return _build(record)


def analytics(context: Context, request: AnalyticsRequest, caller: Caller) -> AnalyticsReply:
    """What blocks cost over the last days, today included."""
    now = context.system.now()
    today = now // DAY_MS
    start = (today - request.days + 1) * DAY_MS
    with context.store.read() as reader:
        totals = reader.build_totals(start, now + 1)
    total = _spent(totals)
    days = sorted({each.day for each in totals})
    return AnalyticsReply(
        days=request.days,
        total=total,
        tokens_per_turn=_per_turn(total),
        spend=_spend(totals),
        by_day=[_day(day, [each for each in totals if each.day == day]) for day in days],
        by_reason=_by_reason(totals),
        by_endpoint=_grouped(totals, lambda each: each.endpoint),
        by_key=_grouped(totals, lambda each: each.key_id or ""),
    )


def _build(record: BuildRecord) -> BuildReply:
    parts = record.parts
    return BuildReply(
        id=record.id,
        created_at=record.at,
        endpoint=record.endpoint,
        key_id=record.key_id,
        session_id=record.session_id,
        max_tokens=record.budget,
        total_tokens=record.tokens,
        truncated=record.truncated,
        text=None if parts is None else "".join(part.text for part in parts),
        entries=None if parts is None else [_entry(part) for part in parts],
        identifiers=list(dict.fromkeys(each for part in parts or () for each in part.by)),
    )


def _entry(part: BuildPart) -> BuildEntry:
    return BuildEntry(
        id=part.id or None, tier=Level(part.level).label, reason=part.reason, tokens=part.tokens
    )


def _day(day: int, totals: Sequence[BuildTotal]) -> DaySpend:
    spent = _spent(totals)
    return DaySpend(
        day=to_iso(day * DAY_MS)[:10],
        builds=spent.builds,
        tokens=spent.tokens,
        tokens_per_turn=_per_turn(spent),
        spend=_spend(totals),
    )


def _spent(totals: Iterable[BuildTotal]) -> Spent:
    return sum((Spent(each.builds, each.tokens) for each in totals), Spent())


def _per_turn(spent: Spent) -> float:
    return round(spent.tokens / spent.builds, 1) if spent.builds else 0.0


def _spend(totals: Iterable[BuildTotal]) -> Spend:
    by_reason = _by_reason(totals)
    index = by_reason.get(Reason.INDEX, SpentOn()).tokens
    body = sum(spent.tokens for reason, spent in by_reason.items() if reason in _BODIES)
    return Spend(index, body, sum(spent.tokens for spent in by_reason.values()) - index - body)


def _by_reason(totals: Iterable[BuildTotal]) -> dict[str, SpentOn]:
    return sums(
        (reason, SpentOn(entries, tokens))
        for each in totals
        for reason, (entries, tokens) in each.spend.items()
    )


def _grouped(
    totals: Iterable[BuildTotal], name_of: Callable[[BuildTotal], str]
) -> dict[str, Spent]:
    return sums((name_of(each), Spent(each.builds, each.tokens)) for each in totals)
