"""Instants: milliseconds since 1970 UTC inside, ISO 8601 with a zone outside."""

from __future__ import annotations

import re
from datetime import UTC, date, datetime, timedelta
from typing import Literal

from treering.errors import InvalidRequest

Edge = Literal["start", "end"]
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
DAY_MS = 86_400_000
_MS = timedelta(milliseconds=1)
EARLIEST = (datetime.min.replace(tzinfo=UTC) - EPOCH) // _MS
LATEST = (datetime(9999, 1, 1, tzinfo=UTC) - EPOCH) // _MS - 1
"""The last instant that a memory may have: a window can still end after it, and be written out."""
_LAST_BOUND = (datetime.max.replace(tzinfo=UTC) - EPOCH) // _MS
_DATE_ONLY = re.compile(r"\d{4}(-?)\d{2}\1\d{2}", re.ASCII)
_WEEK_DATE = re.compile(r"\d{4}-?[Ww]", re.ASCII)
_ORDINAL_DATE = re.compile(r"\d{4}-?\d{3}(?!\d)", re.ASCII)


def to_iso(ms: int) -> str:
    """`ms` as `2026-02-01T04:11:09.000Z`."""
    return (EPOCH + timedelta(milliseconds=ms)).isoformat(timespec="milliseconds")[:-6] + "Z"


def instant(value: int | str) -> int:
    """The instant of a message: epoch milliseconds, or ISO 8601 with a zone.

    Raises ValueError with what is wrong and what would be right.
    """
    ms = value if isinstance(value, int) else _zoned(value)
    if not EARLIEST <= ms <= LATEST:
        raise ValueError("must lie in the years 1 to 9998, UTC")
    return ms


def bound(value: str, edge: Edge) -> int:
    """One bound of a half-open window.

    A date alone is that UTC day's start or its end (the next day's start); a time without a zone is
    UTC. What lies outside the years that can be written is moved to their edge. Raises ValueError.
    """
    return min(max(_bound(value, edge), EARLIEST), _LAST_BOUND)


def _bound(value: str, edge: Edge) -> int:
    if _DATE_ONLY.fullmatch(value):
        try:
            day = date.fromisoformat(value)
        except ValueError as error:
            raise ValueError(f"is no date: {error}") from None
        start = (day - EPOCH.date()).days * DAY_MS
        return start if edge == "start" else start + DAY_MS
    parsed = _parse(value)
    return milliseconds(parsed if parsed.tzinfo else parsed.replace(tzinfo=UTC))


def _zoned(value: str) -> int:
    parsed = _parse(value)
    if parsed.tzinfo is None:
        raise ValueError("needs a zone, as in 2026-02-01T04:11:09Z or …+09:00")
    return milliseconds(parsed)


def parsed_bound(field: str, value: str, edge: Edge) -> int:
    """`bound` of a request's field; raises InvalidRequest that names it."""
    try:
        return bound(value, edge)
    except ValueError as error:
        raise InvalidRequest(f"{field}: {error}") from None


def milliseconds(moment: datetime) -> int:
    """A moment with a zone as epoch milliseconds."""
    return (moment - EPOCH) // _MS


def _parse(value: str) -> datetime:
    if _WEEK_DATE.match(value):
        raise ValueError("is a week date; name the day, as in 2026-02-01")
    if _ORDINAL_DATE.match(value):
        raise ValueError("is a date by the day of the year; name the day, as in 2026-02-01")
    try:
        return datetime.fromisoformat(value)
    except ValueError:
        raise ValueError(
            "is no ISO 8601 date or time, such as 2026-02-01 or 2026-02-01T04:11:09Z"
        ) from None
