"""Junk costs little, and what a server lacks it says once."""

from __future__ import annotations

import asyncio
import json
import threading

import httpx2
import pytest
from anyio.to_thread import current_default_thread_limiter, run_sync
from fastapi import FastAPI

from tests.faces.conftest import Wire
from treering.errors import NotFound
from treering.http.accepting import quiet_when_full
from treering.requests.lines import MAX_LINE_BYTES
from treering.rules import bulk
from treering.rules.bulk import too_many_fields, too_many_values

JSON = {"Content-Type": "application/json"}


def test_an_unknown_path_or_method_is_named_whatever_the_key(anyone: httpx2.Client) -> None:
    assert anyone.post("/v1/nowhere", content=b"[", headers=JSON).status_code == 404
    assert anyone.put("/v1/memory/search", content=b"[", headers=JSON).status_code == 405
    assert anyone.get("/health/").status_code == 404, "no redirect either"


def test_a_body_of_too_many_values_is_refused_unparsed(wire: Wire) -> None:
    for junk in (b"[],", b"{},", b"0,", b'"",'):
        content = b'{"messages": [' + junk * 600_000 + b"and no JSON"
        response = wire.request("POST", "/v1/memory/ingest", JSON, content=content)
        assert response.status_code == 400
        assert response.json()["issues"][0].startswith("body: holds over ")


def test_what_stands_in_strings_is_no_junk(wire: Wire) -> None:
    text = "[{," * 60_000
    body = {"messages": [{"role": "user", "content": f"{n}{text}"} for n in range(4)]}
    assert wire.post("/v1/memory/ingest", body).json()["stored"] == 4
    escaped = json.dumps({"text": '\\"[' * 250_000 + "\\"})
    assert not too_many_values(escaped.encode())
    assert too_many_values(escaped.encode() + b"[" * (bulk.MAX_CONTAINERS + 1))
    assert too_many_values(b'""' * (2 * bulk.MAX_COMMAS) + b"," * (bulk.MAX_COMMAS + 1))


def test_an_object_of_thousands_of_fields_is_refused(wire: Wire) -> None:
    wide = dict.fromkeys(map(str, range(bulk.MAX_FIELDS + 1)), 0)
    for body in (wide, {"items": [wide]}):
        found = wire.post("/v1/memories", body).json()["issues"]
        assert found == ["body: has an object of over 1,000 fields"]
    assert not too_many_fields({str(n): 0 for n in range(bulk.MAX_FIELDS)})


def test_a_body_in_another_encoding_is_refused(wire: Wire) -> None:
    content = json.dumps({"query": "x"}).encode("utf-16")
    response = wire.request("POST", "/v1/memory/search", JSON, content=content)
    assert (response.status_code, response.json()["error"]) == (400, "InvalidRequest")


def test_an_error_stays_small_whatever_was_sent(wire: Wire) -> None:
    many = wire.post("/v1/memory/ingest", {"messages": [0] * 10_000})
    assert len(many.json()["issues"]) == 21
    assert many.json()["issues"][-1].endswith("more problems")
    field = wire.post("/v1/memory/search", {"query": "x", "y" * 100_000: 1})
    missing = wire.post("/v1/memory/inspect", {"memory_id": "z" * 100_000})
    assert missing.json()["id"] == "z" * 100
    more = wire.post("/v1/memory/ingest", {"messages": [0] * 100_000})
    for response in (many, more, field, missing):
        assert len(response.content) < 10_000
    assert NotFound("memory", "z" * 200).extra["id"] == "z" * 100


def test_ten_thousand_messages_are_the_most(wire: Wire) -> None:
    message = {"role": "user", "content": "x", "memory": False}
    refused = wire.post("/v1/memory/ingest", {"messages": [message] * 10_001})
    assert refused.json()["issues"][0].startswith("messages: ")
    assert wire.post("/v1/memory/ingest", {"messages": [message] * 10_000}).status_code == 202


def test_a_server_out_of_files_says_so_once(caplog: pytest.LogCaptureFixture) -> None:
    async def scenario() -> None:
        loop = asyncio.get_running_loop()
        quiet_when_full(loop)
        for _ in range(100):
            failure = {"message": "socket.accept() out of system resource", "exception": OSError()}
            loop.call_exception_handler(failure)

    asyncio.run(scenario())
    assert [record.name for record in caplog.records] == ["treering.http.accepting"]


def test_every_answer_says_that_it_is_what_it_says(wire: Wire, anyone: httpx2.Client) -> None:
    answers = [
        anyone.get("/health"),
        anyone.get("/v1/nowhere"),
        anyone.get("/v1/keys"),
        wire.get("/v1/memory/stats"),
        wire.post("/v1/memory/search", {}),
    ]
    assert [each.headers.get_list("X-Content-Type-Options") for each in answers] == [
        ["nosniff"]
    ] * 5


def test_a_line_that_is_too_large_is_a_bad_line_and_the_others_are_kept(wire: Wire) -> None:
    large = b'{"content": "' + b"x" * MAX_LINE_BYTES + b'"}'
    junk = b'{"content": [' + b"{}," * 250_000 + b"{}]}"
    wide = json.dumps(dict.fromkeys(map(str, range(2000)), 0)).encode()
    good = b'{"content": "kept"}'
    content = b"\n".join([large, junk, wide, good])
    reply = wire.request("POST", "/v1/memory/upload", content=content).json()
    assert [error["line"] for error in reply["errors"]] == [1, 2, 3]
    assert reply["message"].startswith("1 stored, ")


def test_lines_are_counted_before_they_are_read(wire: Wire) -> None:
    for content, status in ((b"\n" * 10_000, 200), (b"x\n" * 10_000 + b"x", 413)):
        assert wire.request("POST", "/v1/memory/upload", content=content).status_code == status


def test_a_server_whose_threads_are_all_busy_still_answers_strangers(app: FastAPI) -> None:
    async def scenario() -> list[int]:
        limiter = current_default_thread_limiter()
        free = threading.Event()
        transport = httpx2.ASGITransport(app)
        async with (
            httpx2.AsyncClient(transport=transport, base_url="http://server") as client,
            asyncio.TaskGroup() as group,
        ):
            limiter.total_tokens = 1
            group.create_task(run_sync(free.wait, 30))
            while limiter.borrowed_tokens < 1:
                await asyncio.sleep(0)
            asked = [client.get("/health"), client.get("/v1/keys", headers={"x-api-key": "mk_x"})]
            statuses = [(await each).status_code for each in asked]
            assert limiter.borrowed_tokens == 1
            free.set()
        return statuses

    assert asyncio.run(scenario()) == [200, 401]
