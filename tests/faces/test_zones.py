"""The host's zone never shows: windows mean the same east and west of Greenwich."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator

import pytest

from tests.conformance.steps import store_at
from treering import Vault
from treering.rules.instants import instant


@pytest.fixture(params=["Asia/Tokyo", "America/Los_Angeles", "UTC"])
def host_zone(request: pytest.FixtureRequest) -> Iterator[str]:
    before = os.environ.get("TZ")
    os.environ["TZ"] = request.param
    time.tzset()
    yield request.param
    if before is None:
        del os.environ["TZ"]
    else:
        os.environ["TZ"] = before
    time.tzset()


@pytest.mark.promise("dates.zoneless-utc", "dates.date-only")
def test_a_time_without_a_zone_is_utc_whatever_the_host_says(vault: Vault, host_zone: str) -> None:
    start = instant("2026-03-08T00:00:00Z")
    store_at(vault, (start - 1, "before"), (start, "first"), (start + 86_400_000, "after"))
    texts = {
        bounds: [row.content for row in vault.date_search(*bounds, order="oldest_first").memories]
        for bounds in (
            ("2026-03-08", "2026-03-08"),
            ("2026-03-08T00:00:00", "2026-03-09T00:00:00"),
            ("2026-03-08T09:00:00+09:00", "2026-03-08T16:00:00-08:00"),
        )
    }
    assert list(texts.values()) == [["first"]] * 3
    page = vault.date_search("2026-03-08", "2026-03-08")
    assert (page.returned.from_, page.returned.to) == (
        "2026-03-08T00:00:00.000Z",
        "2026-03-09T00:00:00.000Z",
    )
    assert page.memories[0].date == "2026-03-08T00:00:00.000Z"
