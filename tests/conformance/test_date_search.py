"""Finding memories by time."""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Iterator
from typing import Any, Literal

import pytest

from tests.conformance.steps import DAY, entry, iso, reflect, store_at, words
from tests.support.worlds import Clock
from treering import Verbs
from treering.errors import InvalidRequest
from treering.replies import DateSearchReply, MemoryRow
from treering.rules.instants import instant
from treering.rules.tokens import estimate_tokens

Order = Literal["newest_first", "oldest_first"]
ORDERS: tuple[Order, ...] = ("newest_first", "oldest_first")
FEBRUARY = instant("2026-02-01T00:00:00Z")
MARCH = instant("2026-03-01T00:00:00Z")


def at(moment: str) -> int:
    return instant(moment)


def texts(reply: DateSearchReply) -> list[str]:
    return [row.content for row in reply.memories]


def pages(
    memory: Verbs, since: str, until: str, order: Order, **filters: Any
) -> Iterator[DateSearchReply]:
    """Every page of a window, continued as the contract says; endless paging fails."""
    for _ in range(500):
        reply = memory.date_search(since, until, order=order, **filters)
        yield reply
        if not reply.truncated:
            return
        assert reply.returned.from_ is not None
        assert reply.returned.to is not None
        if order == "newest_first":
            until = reply.returned.from_
        else:
            since = reply.returned.to
    raise AssertionError("the pages never end")


def rows_of(paged: Iterator[DateSearchReply]) -> list[MemoryRow]:
    return list(itertools.chain.from_iterable(page.memories for page in paged))


@pytest.mark.promise("dates.half-open")
def test_a_window_holds_its_start_and_not_its_end(memory: Verbs) -> None:
    store_at(memory, *((FEBRUARY + n, f"ms {n}") for n in range(4)))
    window = memory.date_search(iso(FEBRUARY + 1), iso(FEBRUARY + 3), order="oldest_first")
    assert texts(window) == ["ms 1", "ms 2"]


@pytest.mark.promise("dates.date-only")
def test_a_date_alone_is_its_whole_day_in_utc(memory: Verbs) -> None:
    edges = {
        "2026-02-07T23:59:59.999Z": "before",
        "2026-02-08T00:00:00Z": "first",
        "2026-02-09T23:59:59.999Z": "last",
        "2026-02-10T00:00:00Z": "after",
    }
    store_at(memory, *((at(moment), text) for moment, text in edges.items()))
    assert texts(memory.date_search("2026-02-08", "2026-02-09")) == ["last", "first"]


@pytest.mark.promise("dates.offsets", "dates.zoneless-utc")
def test_offsets_are_honoured_and_no_zone_is_utc(memory: Verbs) -> None:
    noon = at("2026-02-08T12:00:00Z")
    store_at(memory, (noon, "noon"))
    for since in ("2026-02-08T21:00:00+09:00", "2026-02-08T04:00:00-08:00", "2026-02-08T12:00:00"):
        assert texts(memory.date_search(since, iso(noon + 1))) == ["noon"]
        assert texts(memory.date_search("2026-02-08", since)) == []


@pytest.mark.promise("dates.default-to")
def test_a_window_ends_now_by_default(memory: Verbs, clock: Clock) -> None:
    now = clock.now()
    store_at(memory, (now - 1, "past"), (now, "now"), (now + 1, "future"))
    reply = memory.date_search(iso(now - DAY))
    assert texts(reply) == ["now", "past"]
    assert reply.returned.to == iso(now + 1)


@pytest.mark.promise("dates.from-after-to", "dates.from-equals-to")
def test_a_window_runs_forward(memory: Verbs) -> None:
    store_at(memory, (FEBRUARY - DAY, "before"), (FEBRUARY, "noon"), (FEBRUARY + DAY, "after"))
    reflect(memory, entry("Around noon."))
    with pytest.raises(InvalidRequest) as refused:
        memory.date_search(iso(FEBRUARY + 1), iso(FEBRUARY))
    assert refused.value.issues[0].startswith("from: ")
    asked: list[dict[str, Any]] = [{}, {"tiers": [2]}, {"query": "noon"}]
    for filters in asked:
        empty = memory.date_search(iso(FEBRUARY), iso(FEBRUARY), **filters)
        assert (empty.memories, empty.count, empty.truncated) == ([], 0, False)
        assert (empty.returned.from_, empty.returned.to) == (iso(FEBRUARY), iso(FEBRUARY))


@pytest.mark.promise("dates.bounds-checked")
@pytest.mark.parametrize("bound", ["", "tomorrow", "2026-02-30", "2026-13-01", "1769919069250"])
def test_what_is_no_date_is_refused(memory: Verbs, bound: str) -> None:
    with pytest.raises(InvalidRequest) as refused:
        memory.date_search(bound)
    assert refused.value.issues[0].startswith("from: ")
    with pytest.raises(InvalidRequest) as refused:
        memory.date_search("2026-02-01", bound)
    assert refused.value.issues[0].startswith("to: ")


@pytest.mark.promise("dates.order")
def test_newest_comes_first_unless_asked_otherwise(memory: Verbs) -> None:
    store_at(memory, (FEBRUARY, "one"), (FEBRUARY, "two"), (FEBRUARY + 1, "three"))
    assert texts(memory.date_search("2026-02-01", "2026-02-02")) == ["three", "two", "one"]
    oldest = memory.date_search("2026-02-01", "2026-02-02", order="oldest_first")
    assert texts(oldest) == ["one", "two", "three"]
    with pytest.raises(InvalidRequest):
        memory.date_search("2026-02-01", order="random")  # type: ignore[arg-type]  # on purpose


@pytest.mark.promise("dates.pages-once", "dates.instant-whole", "dates.continue")
@pytest.mark.parametrize("order", ORDERS)
def test_pages_return_every_row_once_and_never_split_an_instant(
    memory: Verbs, order: Order
) -> None:
    crowd = [(FEBRUARY + 5, f"crowd {n} {words(200)}") for n in range(12)]
    others = [(FEBRUARY + n, f"{n} {words(150)}") for n in range(30)]
    stored = store_at(memory, *crowd, *others)
    paged = list(pages(memory, "2026-02-01", "2026-02-01", order, max_tokens=1000))
    assert sorted(row.id for page in paged for row in page.memories) == sorted(stored)
    assert len(paged) > 3
    instants = [{row.date for row in page.memories} for page in paged]
    assert sum(map(len, instants)) == len(set().union(*instants)), "no instant is on two pages"
    dates = [row.date for page in paged for row in page.memories]
    assert dates == sorted(dates, reverse=order == "newest_first")
    for page in paged:
        last = page.memories[-1].date
        before = [row for row in page.memories if row.date != last]
        assert sum(estimate_tokens(row.content) for row in before) <= 1000
        assert page.tokens == sum(estimate_tokens(row.content) for row in page.memories)
        assert page.count == len(page.memories)


@pytest.mark.promise("dates.returned")
def test_the_window_returned_ends_where_the_next_page_begins(memory: Verbs) -> None:
    store_at(memory, *((FEBRUARY + n * DAY, words(600)) for n in range(3)))
    newest = memory.date_search("2026-02-01", "2026-02-28", max_tokens=1000)
    assert (newest.returned.from_, newest.returned.to) == (iso(FEBRUARY + 2 * DAY), iso(MARCH))
    oldest = memory.date_search("2026-02-01", "2026-02-28", max_tokens=1000, order="oldest_first")
    assert (oldest.returned.from_, oldest.returned.to) == (iso(FEBRUARY), iso(FEBRUARY + 1))
    assert newest.truncated
    assert oldest.truncated


@pytest.mark.promise("dates.coverage")
def test_reflections_match_on_the_period_they_cover(memory: Verbs) -> None:
    store_at(memory, (at("2026-02-03T00:00:00Z"), "start"), (at("2026-02-20T00:00:00Z"), "end"))
    reflect(memory, entry("What February was about."))
    for since, until in (("2026-02-10", "2026-02-11"), ("2026-01-01", "2026-02-03T00:00:00.001Z")):
        assert "What February was about." in texts(memory.date_search(since, until))
    for since, until in (("2026-02-21", "2026-02-28"), ("2026-01-01", "2026-02-02")):
        assert memory.date_search(since, until).count == 0


@pytest.mark.promise("dates.half-a-page")
@pytest.mark.parametrize("order", ORDERS)
def test_reflections_fill_at_most_half_a_page_beside_raw_rows(memory: Verbs, order: Order) -> None:
    stored = store_at(memory, *((FEBRUARY + n * DAY, f"{n} {words(90)}") for n in range(20)))
    reflect(memory, *(entry(f"{n} {words(140)}") for n in range(10)))
    paged = list(pages(memory, "2026-02-01", "2026-02-28", order, max_tokens=1000))
    for page in paged:
        assert sum(row.tier == 2 for row in page.memories) * 141 <= 500
        assert any(row.tier == 1 for row in page.memories)
    raw = [row.id for page in paged for row in page.memories if row.tier == 1]
    assert sorted(raw) == sorted(stored)


@pytest.mark.promise("dates.without-tier-1")
@pytest.mark.parametrize("order", ORDERS)
def test_reflections_alone_are_dated_by_the_end_that_comes_first(
    memory: Verbs, order: Order
) -> None:
    for week in range(6):
        start = FEBRUARY + week * 7 * DAY
        store_at(memory, (start, f"week {week} begins"), (start + 6 * DAY, f"week {week} ends"))
        reflect(memory, *(entry(f"week {week}, entry {n}: {words(200)}") for n in range(3)))
    paged = list(pages(memory, "2026-01-01", "2026-04-01", order, tiers=[2], max_tokens=1000))
    assert len(paged) > 2
    dated = [row for page in paged for row in page.memories if _is_dated_in(page, row, order)]
    assert len({row.id for row in dated}) == len(dated) == 18
    shown = [row.content[:6] for row in dated[::3]]
    weeks = [f"week {week}" for week in range(6)]
    assert shown == (weeks[::-1] if order == "newest_first" else weeks)


def _is_dated_in(page: DateSearchReply, row: MemoryRow, order: Order) -> bool:
    """Whether the row stands in the page's window, and does not only reach into it."""
    assert row.covers is not None
    moment = row.covers.to if order == "newest_first" else row.covers.from_
    return str(page.returned.from_) <= str(moment) < str(page.returned.to)


@pytest.mark.promise("dates.query")
@pytest.mark.parametrize("order", ORDERS)
def test_with_a_query_the_rows_that_match_are_paged_by_time_and_ranked_inside(
    memory: Verbs, order: Order
) -> None:
    deploys = store_at(memory, *((FEBRUARY + n, f"deploy {n} {words(240)}") for n in range(10)))
    store_at(memory, *((FEBRUARY + n, f"zyx {n}") for n in range(10)))
    window = ("2026-02-01", "2026-02-01")
    paged = list(pages(memory, *window, order, query="deploy", max_tokens=1000))
    assert sorted(row.id for row in rows_of(iter(paged))) == sorted(deploys)
    assert len(paged) > 1
    for page in paged:
        scores = [row.score or 0 for row in page.memories]
        assert scores == sorted(scores, reverse=True)
    first = {row.date for row in paged[0].memories}
    second = {row.date for row in paged[1].memories}
    assert (min(first) > max(second)) == (order == "newest_first")


@pytest.mark.promise("dates.query")
def test_a_query_leaves_the_window_alone(memory: Verbs) -> None:
    store_at(memory, (FEBRUARY, "deploy in February"), (MARCH, "deploy in March"))
    assert texts(memory.date_search("2026-02-01", "2026-02-28", query="deploy")) == [
        "deploy in February"
    ]
    assert memory.date_search("2026-02-01", "2026-03-02", query="zyxwv").count == 0


@pytest.mark.promise("dates.filters")
def test_tiers_and_importance_filter(memory: Verbs) -> None:
    store_at(memory, (FEBRUARY, "raw"))
    reflect(memory, entry("minor", 3), entry("major", 8))
    window = ("2026-02-01", "2026-02-01")
    assert {row.tier for row in memory.date_search(*window).memories} == {1, 2}
    assert texts(memory.date_search(*window, tiers=[1])) == ["raw"]
    assert set(texts(memory.date_search(*window, tiers=[2, 3]))) == {"minor", "major"}
    assert texts(memory.date_search(*window, importance=4)) == ["major"]
    assert texts(memory.date_search(*window, importance=4, tiers=[1])) == []
    wrong: list[dict[str, Any]] = [
        {"tiers": []}, {"importance": 0}, {"tiers": [4]}, {"importance": True},
    ]  # fmt: skip
    for filters in wrong:
        with pytest.raises(InvalidRequest):
            memory.date_search(*window, **filters)


@pytest.mark.promise("dates.clamped")
def test_the_budget_is_clamped(memory: Verbs) -> None:
    store_at(memory, *((FEBRUARY + n, words(300)) for n in range(5)))
    for least in (1, -5, 0):
        assert memory.date_search("2026-02-01", "2026-02-02", max_tokens=least).count == 3
    assert memory.date_search("2026-02-01", "2026-02-02", max_tokens=10**9).count == 5
    for wrong in (True, 2.5, "1000"):
        with pytest.raises(InvalidRequest):
            memory.date_search("2026-02-01", max_tokens=wrong)  # type: ignore[arg-type]  # on purpose


@pytest.mark.promise("dates.clamped")
def test_a_page_holds_at_most_200_000_tokens_and_50_000_by_default(memory: Verbs) -> None:
    store_at(memory, *((FEBRUARY + n, words(49_000)) for n in range(6)))
    assert memory.date_search("2026-02-01", "2026-02-02").count == 1
    assert memory.date_search("2026-02-01", "2026-02-02", max_tokens=10**9).count == 4


@pytest.mark.promise("dates.row")
def test_rows_are_those_of_search(memory: Verbs) -> None:
    store_at(memory, (FEBRUARY, "raw"))
    searched = memory.search("raw").memories[0]
    (dated,) = memory.date_search("2026-02-01", "2026-02-02").memories
    assert dated == dataclasses.replace(searched, score=None)
