from __future__ import annotations

from dataclasses import dataclass

import pytest
from hypothesis import given
from hypothesis import strategies as st

from treering.model import Window
from treering.rules.paging import Order, beside, instant_of, page


@dataclass(frozen=True)
class Row:
    number: int
    covers: Window
    tokens: int


orders = st.sampled_from(["newest_first", "oldest_first"])
raw = st.lists(st.tuples(st.integers(0, 8), st.integers(0, 40)), max_size=30).map(
    lambda drawn: [Row(n, Window(at, at), tokens) for n, (at, tokens) in enumerate(drawn)]
)
spans = st.tuples(st.integers(0, 8), st.integers(0, 8)).map(lambda ends: Window(*sorted(ends)))
reflections = st.lists(st.tuples(spans, st.integers(0, 40)), max_size=20).map(
    lambda drawn: [Row(n, covers, tokens) for n, (covers, tokens) in enumerate(drawn)]
)


def within(rows: list[Row], window: Window, order: Order) -> list[Row]:
    inside = [row for row in rows if window.start <= instant_of(row, order) < window.end]
    return sorted(
        inside,
        key=lambda row: (instant_of(row, order), row.number),
        reverse=order == "newest_first",
    )


@pytest.mark.promise("dates.pages-once", "dates.instant-whole", "dates.continue")
@given(raw | reflections, orders, st.integers(1, 60))
def test_pages_return_every_row_once_and_end(rows: list[Row], order: Order, budget: int) -> None:
    window = Window(0, 9)
    returned: list[Row] = []
    for _ in range(len(rows) + 1):
        found = page(within(rows, window, order), window, order, budget)
        shown = {instant_of(row, order) for row in found.rows}
        assert shown.isdisjoint(instant_of(row, order) for row in returned), "a split instant"
        returned += found.rows
        if not found.truncated:
            break
        assert found.rows
        if order == "newest_first":
            window = Window(window.start, found.returned.start)
        else:
            window = Window(found.returned.end, window.end)
    else:
        raise AssertionError("the pages never end")
    assert returned == within(rows, Window(0, 9), order)


@pytest.mark.promise("dates.half-a-page")
@given(reflections, orders, st.integers(0, 100))
def test_what_stands_beside_a_page_keeps_to_its_budget(
    rows: list[Row], order: Order, budget: int
) -> None:
    chosen = beside(rows, order, budget)
    assert sum(row.tokens for row in chosen) <= budget
    instants = [instant_of(row, order) for row in chosen]
    assert instants == sorted(instants, reverse=order == "newest_first")
