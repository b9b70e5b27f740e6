"""Replies without filters are, byte for byte, what they were when they were recorded."""

from __future__ import annotations

import pytest

from tests.faces.record_golden import GOLDEN, REQUESTS, replies


@pytest.fixture(scope="module")
def answered() -> dict[str, bytes]:
    return replies()


@pytest.mark.promise("search.golden", "prepare.golden")
@pytest.mark.parametrize("name", REQUESTS)
def test_a_reply_is_the_recorded_one(answered: dict[str, bytes], name: str) -> None:
    recorded = (GOLDEN / f"{name}.json").read_bytes()
    assert answered[name] == recorded, "on purpose? then: python -m tests.faces.record_golden"


def test_every_recording_is_asked_for() -> None:
    assert {path.stem for path in GOLDEN.iterdir()} == set(REQUESTS)
