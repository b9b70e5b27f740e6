"""Finding memories by time: see the contract for what a window holds and how pages go on."""

from __future__ import annotations

from collections.abc import Generator, Iterator, Mapping, Sequence
from contextlib import closing, nullcontext
from dataclasses import replace

from treering.errors import InvalidRequest
from treering.model import Caller, Tier, Window
from treering.replies import DateSearchReply
from treering.requests import DateSearchRequest
from treering.rules.instants import parsed_bound
from treering.rules.paging import Order, Page, beside, instant_of, page
from treering.rules.tokens import clamped
from treering.store.base import Dated, Reader
from treering.vault.context import Context
from treering.vault.rows import memory_row, span_of
from treering.vault.search import rank


def date_search(context: Context, request: DateSearchRequest, caller: Caller) -> DateSearchReply:
    """One page of the memories in a window."""
    window = _window(request, context.system.now())
    scores = _scores(context, request, window) if request.query is not None else None
    with context.store.read() as reader:
        found = _page(reader, request, window, scores)
        memories = reader.memories([row.seq for row in found.rows])
        debt = context.debt(reader)
    if scores is not None:
        found.rows.sort(key=lambda row: -scores[row.seq])
    rows = [
        memory_row(memories[row.seq], None if scores is None else scores[row.seq])
        for row in found.rows
        if row.seq in memories
    ]
    tokens = sum(row.tokens for row in found.rows)
    context.meter.read(request.endpoint, tokens, caller)
    return DateSearchReply(
        memories=rows,
        count=len(rows),
        returned=span_of(found.returned),
        truncated=found.truncated,
        tokens=tokens,
        reflection=debt,
    )


def _page(
    reader: Reader,
    request: DateSearchRequest,
    window: Window,
    scores: Mapping[int, float] | None,
) -> Page[Dated]:
    """The raw rows that make the page with reflections beside them.

    Where no raw row is asked for or stands in the window, reflections make the page: those dated
    inside the window, and beside them those that only reach into it.
    """
    if window.start == window.end:
        return Page([], window, truncated=False)
    tiers = frozenset(request.tiers or Tier)
    least = request.importance or 0
    reflections = [
        row
        for row in reader.reflections(window)
        if row.tier in tiers and row.importance >= least and (scores is None or row.seq in scores)
    ]
    order = request.order
    if Tier.RAW in tiers and not least:
        found = _fill(_raw_rows(reader, request, window, scores), reflections, window, request)
        if found.rows:
            return found
    dated = [row for row in reflections if window.start <= instant_of(row, order) < window.end]
    inside = {row.seq for row in dated}
    reaching_in = [row for row in reflections if row.seq not in inside]
    return _fill(iter(_in_order(dated, order)), reaching_in, window, request)


def _fill(
    rows: Iterator[Dated], aside: Sequence[Dated], window: Window, request: DateSearchRequest
) -> Page[Dated]:
    """A page of `rows` with, in at most half of its budget, those of `aside` that overlap it."""
    order = request.order
    budget = clamped(request.max_tokens)
    reserve = min(budget // 2, sum(row.tokens for row in aside))
    with closing(rows) if isinstance(rows, Generator) else nullcontext():
        main = page(rows, window, order, budget - reserve)
    reach = main.returned if main.truncated else window
    near = [row for row in aside if row.covers.end >= reach.start and row.covers.start < reach.end]
    rest = beside(near, order, reserve if main.rows else budget)
    return replace(main, rows=_in_order([*main.rows, *rest], order))


def _raw_rows(
    reader: Reader,
    request: DateSearchRequest,
    window: Window,
    scores: Mapping[int, float] | None,
) -> Iterator[Dated]:
    if scores is None:
        return reader.raw_dates(window, request.order == "newest_first")
    raw = [row for row in reader.dates(list(scores)) if row.tier == Tier.RAW]
    return iter(_in_order(raw, request.order))


def _in_order(rows: Sequence[Dated], order: Order) -> list[Dated]:
    return sorted(
        rows, key=lambda row: (instant_of(row, order), row.seq), reverse=order == "newest_first"
    )


def _window(request: DateSearchRequest, now: int) -> Window:
    start = parsed_bound("from", request.since, "start")
    end = now + 1 if request.until is None else parsed_bound("to", request.until, "end")
    if start > end:
        raise InvalidRequest("from: lies after `to`; swap them")
    return Window(start, end)


def _scores(context: Context, request: DateSearchRequest, window: Window) -> dict[int, float]:
    """The score of each memory of the window that matches the query."""
    ranking = rank(
        context,
        request.query or "",
        limit=None,
        tiers=request.tiers,
        importance=request.importance,
        window=(window.start, window.end),
    )
    return {
        seq: score
        for seq, score, matched in zip(ranking.seqs, ranking.scores, ranking.matched, strict=True)
        if matched
    }
