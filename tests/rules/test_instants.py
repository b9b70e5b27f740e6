from __future__ import annotations

from contextlib import suppress
from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from treering.rules.instants import DAY_MS, EARLIEST, LATEST, bound, instant, to_iso

instants = st.integers(EARLIEST, LATEST)
minutes = st.integers(-14 * 60, 14 * 60)


@pytest.mark.promise("ingest.timestamp-zones")
@given(instants)
def test_an_instant_comes_back_from_its_text(ms: int) -> None:
    assert instant(to_iso(ms)) == bound(to_iso(ms), "start") == ms
    assert instant(ms) == ms


@pytest.mark.promise("ingest.timestamp-zones", "dates.offsets")
@given(st.integers(EARLIEST + DAY_MS, LATEST - DAY_MS), minutes)
def test_an_offset_is_honoured(ms: int, offset: int) -> None:
    zone = timezone(timedelta(minutes=offset))
    moment = datetime(1970, 1, 1, tzinfo=UTC) + timedelta(milliseconds=ms)
    assert instant(moment.astimezone(zone).isoformat()) == ms


@pytest.mark.promise("dates.date-only")
@given(st.dates())
def test_a_date_is_its_whole_day(day: object) -> None:
    start, end = bound(str(day), "start"), bound(str(day), "end")
    assert to_iso(start) == f"{day}T00:00:00.000Z"
    assert end == start + DAY_MS or str(day) == "9999-12-31"
    assert to_iso(end)


@pytest.mark.promise("dates.date-only")
def test_a_date_without_hyphens_is_its_whole_day_too() -> None:
    assert bound("20260201", "end") == bound("2026-02-01", "end") == bound("2026-02-02", "start")
    assert bound("20260201", "start") == bound("2026-02-01", "start")
    assert bound("20260201T120000", "end") == bound("2026-02-01T12:00:00Z", "end")


@pytest.mark.promise("dates.bounds-checked")
@pytest.mark.parametrize(
    ("value", "problem"),
    [
        *((week, "week") for week in ("2026-W05", "2026W051", "2026-w05-1", "2026-W05-1T10:00Z")),
        *((day, "day of the year") for day in ("2026-032", "2026032", "2026-032T10:00Z")),
        ("20260230", "no date"),
        ("2026-0201", "no ISO"),
    ],
)
def test_other_dates_are_refused_with_a_reason(value: str, problem: str) -> None:
    with pytest.raises(ValueError, match=problem):
        bound(value, "start")
    with pytest.raises(ValueError, match=r"is (?:a|no) |zone"):
        instant(value)


@pytest.mark.promise("ingest.timestamp-range", "dates.bounds-checked")
@given(st.text(st.characters(exclude_categories=()), max_size=30) | st.integers())
def test_anything_else_is_a_value_error(value: int | str) -> None:
    with suppress(ValueError):
        assert EARLIEST <= instant(value) <= LATEST
    with suppress(ValueError):
        assert to_iso(bound(str(value), "end"))


@pytest.mark.promise("dates.bounds-checked")
@pytest.mark.parametrize(
    ("text", "edge"),
    [("0001-01-01T00:00:00+14:00", "start"), ("9999-12-31T23:59:59-14:00", "end")],
)
def test_a_bound_beyond_the_years_is_moved_to_their_edge(text: str, edge: str) -> None:
    shown = to_iso(bound(text, "start" if edge == "start" else "end"))
    assert shown in ("0001-01-01T00:00:00.000Z", "9999-12-31T23:59:59.999Z")
