"""Paging by time without cursors: rows set the page, and an instant is never split over two."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Generic, Literal, Protocol, TypeVar

from treering.model import Window

Order = Literal["newest_first", "oldest_first"]


class Pageable(Protocol):
    """What paging reads of a memory."""

    @property
    def covers(self) -> Window: ...
    @property
    def tokens(self) -> int: ...


P = TypeVar("P", bound=Pageable)


@dataclass(frozen=True, slots=True)
class Page(Generic[P]):
    """The rows of one page, the window that it returned, and whether more rows follow."""

    rows: list[P]
    returned: Window
    truncated: bool


def instant_of(row: Pageable, order: Order) -> int:
    """Where a row stands in time: a reflection at the end of its coverage that comes first."""
    return row.covers.end if order == "newest_first" else row.covers.start


def page(rows: Iterable[P], window: Window, order: Order, budget: int) -> Page[P]:
    """The head of `rows`, which come in `order`, that fits the budget; at least one instant.

    Continue with `to: returned.from` (newest first) or `from: returned.to` (oldest first).
    """
    chosen: list[P] = []
    tokens = 0
    truncated = False
    for row in rows:
        goes_on = chosen and instant_of(row, order) == instant_of(chosen[-1], order)
        if chosen and not goes_on and tokens + row.tokens > budget:
            truncated = True
            break
        chosen.append(row)
        tokens += row.tokens
    if not chosen:
        return Page(chosen, window, truncated)
    last = instant_of(chosen[-1], order)
    if order == "newest_first":
        return Page(chosen, Window(last, window.end), truncated)
    return Page(chosen, Window(window.start, last + 1), truncated)


def beside(rows: Sequence[P], order: Order, budget: int) -> list[P]:
    """Rows shown beside a page, in `order`, each that still fits the budget."""
    ordered = sorted(rows, key=lambda row: instant_of(row, order), reverse=order == "newest_first")
    chosen: list[P] = []
    for row in ordered:
        if row.tokens <= budget:
            chosen.append(row)
            budget -= row.tokens
    return chosen
