"""Reading metered usage out."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from datetime import timedelta

from treering.errors import InvalidRequest
from treering.model import Caller, Window
from treering.replies import Metered, UsageReply
from treering.requests import UsageRequest
from treering.rules import instants
from treering.rules.instants import EPOCH, to_iso
from treering.store.base import UsageTotal
from treering.vault.context import Context
from treering.vault.counts import sums


def usage(context: Context, request: UsageRequest, caller: Caller) -> UsageReply:
    """The vault's usage, in sum and by endpoint, session and day."""
    window = usage_window(request, context.system.now())
    with context.store.read() as reader:
        return usage_reply(window, reader.usage(window.start, window.end))


def usage_window(request: UsageRequest, now: int) -> Window:
    """The half-open window that a request means; raises InvalidRequest."""
    moment = EPOCH + timedelta(milliseconds=now)
    month = moment.replace(day=1, hour=0, minute=0, second=0, microsecond=0)
    start = instants.milliseconds(month)
    if request.start is not None:
        start = instants.parsed_bound("start", request.start, "start")
    end = now + 1
    if request.end is not None:
        end = instants.parsed_bound("end", request.end, "end")
    if start > end:
        raise InvalidRequest("start: lies after `end`; swap them")
    return Window(start, end)


def usage_reply(window: Window, totals: Sequence[UsageTotal]) -> UsageReply:
    """The reply over these sums."""
    return UsageReply(
        start=to_iso(window.start),
        end=to_iso(window.end),
        total=sum((metered(total) for total in totals), Metered()),
        by_endpoint=grouped(totals, lambda total: total.endpoint),
        by_session=grouped(totals, lambda total: total.session_id or ""),
        by_day=grouped(totals, lambda total: to_iso(total.day * instants.DAY_MS)[:10]),
    )


def grouped(
    totals: Iterable[UsageTotal], name_of: Callable[[UsageTotal], str]
) -> dict[str, Metered]:
    """The sums under each name."""
    return sums((name_of(total), metered(total)) for total in totals)


def metered(total: UsageTotal) -> Metered:
    """One sum as the reply shows it."""
    return Metered(total.events, total.tokens)
