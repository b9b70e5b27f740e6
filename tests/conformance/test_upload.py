"""Storing lines of a file: good lines are kept, and a file sent again is known line by line."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.conformance.steps import everything, iso, store
from tests.support.worlds import Clock
from treering import Verbs
from treering.errors import PayloadTooLarge
from treering.requests.lines import MAX_LINES


def lines(*bodies: Any) -> str:
    return "".join(json.dumps(body) + "\n" for body in bodies)


@pytest.mark.promise("upload.lines", "upload.reply")
def test_lines_become_messages(memory: Verbs) -> None:
    at = "2026-02-01T04:11:09.000Z"
    reply = memory.upload(
        lines(
            {"content": "We ship on Fridays."},
            {"content": "Noted.", "role": "assistant", "timestamp": at, "session_id": "s"},
        )
    )
    assert (reply.status, reply.errors) == ("ok", [])
    stats = reply.stats
    assert (stats.total, stats.processed, stats.known, stats.failed) == (2, 2, 0, 0)
    dated, undated = everything(memory)
    assert (dated.content, dated.role, dated.date, dated.session_id) == (
        "Noted.", "assistant", at, "s",
    )  # fmt: skip
    assert (undated.content, undated.role, undated.session_id) == (
        "We ship on Fridays.", "user", None,
    )  # fmt: skip


@pytest.mark.promise("upload.bad-lines")
def test_good_lines_are_kept_whatever_the_others_are(memory: Verbs) -> None:
    jsonl = b"\n".join(
        [
            b'{"content": "first"}',
            b"{not json",
            b"",
            b'{"content": "x", "colour": "red"}',
            b'{"content": "\xff"}',
            b'{"content": "x", "timestamp": "2026-02-01T04:11:09"}',
            b'{"content": "x", "role": "tool"}',
            b'{"content": "  "}',
            b'["content"]',
            b'{"content": "' + b"x" * 200_001 + b'"}',
            b"[" * 100_000,
            b'{"content": "last"}',
            b"",
        ]
    )
    reply = memory.upload(jsonl)
    assert reply.status == "partial"
    assert (reply.stats.total, reply.stats.processed, reply.stats.failed) == (11, 2, 9)
    assert [error.line for error in reply.errors] == [2, 4, 5, 6, 7, 8, 9, 10, 11]
    assert all(error.problem for error in reply.errors)
    assert [row.content for row in everything(memory)] == ["first", "last"]


@pytest.mark.promise("upload.kth-identical")
def test_a_file_sent_again_stores_what_was_added(memory: Verbs, clock: Clock) -> None:
    dated = {"content": "ok", "timestamp": clock.now()}
    file = [{"content": "ok"}, {"content": "ok"}, dated, {"content": "ok", "session_id": "s"}]
    assert memory.upload(lines(*file)).stats.processed == 4
    clock.advance(days=30)
    again = memory.upload(lines(*file))
    assert (again.stats.processed, again.stats.known) == (0, 4)
    longer = memory.upload(lines(*file, {"content": "ok"}, dated))
    assert (longer.stats.processed, longer.stats.known) == (2, 4)
    assert len(everything(memory)) == 6


@pytest.mark.promise("upload.occurrence")
def test_a_file_in_chunks_counts_its_lines_itself(memory: Verbs) -> None:
    chunks = [lines({"content": "ok", "occurrence": number}) for number in (1, 2, 3)]
    assert [memory.upload(chunk).stats.processed for chunk in chunks] == [1, 1, 1]
    assert [memory.upload(chunk).stats.known for chunk in chunks] == [1, 1, 1]


@pytest.mark.promise("upload.line-limit")
def test_more_lines_than_the_limit_are_refused_whole(memory: Verbs) -> None:
    with pytest.raises(PayloadTooLarge) as refused:
        memory.upload('{"content": "ok"}\n' * (MAX_LINES + 1))
    assert refused.value.extra["limit"] == MAX_LINES == 10_000
    assert memory.stats().memories == 0


@pytest.mark.promise("upload.order")
def test_undated_lines_keep_their_order(memory: Verbs, clock: Clock) -> None:
    memory.upload(lines(*({"content": f"line {number}"} for number in range(300))))
    stored = everything(memory)
    assert [row.content for row in stored] == [f"line {number}" for number in range(300)]
    assert stored[-1].date == iso(clock.now())
    assert len({row.date for row in stored}) == 300


@pytest.mark.promise("upload.injected-blocks")
def test_recalled_notes_are_taken_out_of_lines_too(memory: Verbs) -> None:
    store(memory, "The locker code is 4711.")
    context = memory.prepare([{"role": "user", "content": "locker code?"}]).context
    assert memory.upload(lines({"content": context})).stats.failed == 1
    assert memory.upload(lines({"content": f"{context}\nthanks"})).stats.processed == 1
    assert [row.content for row in everything(memory)][1:] == ["thanks"]
