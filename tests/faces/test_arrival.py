"""Bodies that are slow, large, endless or cut off hold up nobody, and each vault has its turn."""

from __future__ import annotations

import asyncio
import select
import socket
from pathlib import Path

import httpx2
import pytest
from fastapi import FastAPI
from starlette.types import Message

from tests.faces.asgi import called, never, no_body
from tests.faces.conftest import Wire
from tests.support.worlds import World, running_server
from treering.data_dir import DataDir
from treering.errors import RateLimited
from treering.http import body_limit, protocol, turns
from treering.http.turns import LENGTHY, PROMPT_BYTES, RUNNING, WAITING, Turns


def test_a_vault_runs_eight_requests_lets_some_wait_and_refuses_the_rest() -> None:
    async def scenario() -> list[int]:
        queue, running, most = Turns(), 0, 0
        finish = asyncio.Event()

        async def request(vault_id: str) -> None:
            nonlocal running, most
            async with queue.of(vault_id, no_body()):
                running += 1
                most = max(most, running)
                await finish.wait()
                running -= 1

        async with asyncio.TaskGroup() as group:
            for _ in range(RUNNING + WAITING):
                group.create_task(request("busy"))
            await asyncio.sleep(0)
            with pytest.raises(RateLimited):
                await request("busy")
            group.create_task(request("other"))
            await asyncio.sleep(0)
            finish.set()
        return [most, len(queue._queues)]

    assert asyncio.run(scenario()) == [RUNNING + 1, 0]


def test_one_request_too_many_is_answered_429(
    app: FastAPI, data_dir: DataDir, monkeypatch: pytest.MonkeyPatch
) -> None:
    key = data_dir.create_key().key
    monkeypatch.setattr(turns, "RUNNING", 0)
    monkeypatch.setattr(turns, "WAITING", 0)
    status, headers, body = called(app, never, "POST", "/v1/memory/search", key)
    assert (status, headers["retry-after"], body["error"]) == (429, "1", "RateLimited")


@pytest.mark.promise("bodies.time", "bodies.broken-off")
def test_a_body_that_stops_arriving_is_given_up(
    app: FastAPI, data_dir: DataDir, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(body_limit, "BODY_PATIENCE_S", 0.01)

    async def half() -> Message:
        if not began:
            began.append(True)
            return {"type": "http.request", "body": b'{"query"', "more_body": True}
        await asyncio.Event().wait()
        raise AssertionError

    for path in ("/v1/memory/search", "/v1/memory/upload"):
        began: list[bool] = []
        key = data_dir.create_key().key
        status, headers, body = called(app, half, "POST", path, key)
        assert (status, body["error"]) == (400, "InvalidRequest")
        assert "stopped arriving for 0.01 seconds" in body["message"]
        assert headers["connection"] == "close"


@pytest.mark.promise("bodies.time", "bodies.broken-off")
@pytest.mark.parametrize("pause", [0, 0.001])
def test_a_body_that_never_ends_is_given_up(
    app: FastAPI, data_dir: DataDir, monkeypatch: pytest.MonkeyPatch, pause: float
) -> None:
    monkeypatch.setattr(body_limit, "BODY_TIME_S", 0.05)
    key = data_dir.create_key().key

    async def dripping() -> Message:
        if pause:
            await asyncio.sleep(pause)
        return {"type": "http.request", "body": b" ", "more_body": True}

    for path in ("/v1/memory/search", "/v1/memory/upload"):
        status, headers, body = called(app, dripping, "POST", path, key)
        assert (status, body["issues"]) == (400, ["body: took over 0.05 seconds to arrive"])
        assert headers["connection"] == "close"


@pytest.mark.promise("bodies.broken-off")
def test_a_streamed_body_over_the_limit_closes_its_connection(
    app: FastAPI, data_dir: DataDir
) -> None:
    async def endless() -> Message:
        return {"type": "http.request", "body": b" " * (1 << 20), "more_body": True}

    key = data_dir.create_key().key
    for path in ("/v1/memory/search", "/v1/memory/upload"):
        status, headers, body = called(app, endless, "POST", path, key)
        assert (status, body["limit"]) == (413, 32 << 20)
        assert headers["connection"] == "close"


def test_a_body_that_is_whole_leaves_its_connection_open(wire: Wire) -> None:
    answers = [wire.post("/v1/memory/search", {}), wire.get("/v1/memory/stats?x=1")]
    assert [answer.headers.get("connection") for answer in answers] == [None, None]


def test_a_caller_who_hangs_up_is_no_failure_of_ours(
    app: FastAPI, data_dir: DataDir, caplog: pytest.LogCaptureFixture
) -> None:
    async def gone() -> Message:
        return {"type": "http.disconnect"}

    key = data_dir.create_key().key
    status, _, body = called(app, gone, "POST", "/v1/memory/upload", key)
    assert (status, body["issues"]) == (400, ["body: did not arrive whole"])
    assert caplog.records == []


@pytest.mark.promise("bodies.slow")
def test_bodies_that_drip_in_hold_up_no_reader(
    world: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(turns, "PROMPT_S", 0.3)
    with running_server(tmp_path, world.system()) as (url, data_dir):
        key = data_dir.create_key().key
        address = httpx2.URL(url)
        dripping = [
            socket.create_connection((address.host, address.port or 0)) for _ in range(LENGTHY + 4)
        ]
        for place, connection in enumerate(dripping):
            path = "ingest" if place % 2 else "upload"
            connection.settimeout(30)
            connection.sendall(
                f"POST /v1/memory/{path} HTTP/1.1\r\nHost: x\r\nx-api-key: {key}:write\r\n"
                "Content-Type: application/json\r\nContent-Length: 1000\r\n\r\n{".encode()
            )
        ready, _, _ = select.select(dripping, [], [], 30)
        while len(ready) < 4:
            ready, _, _ = select.select(dripping, [], [], 30)
        assert [connection.recv(100)[:12] for connection in ready] == [b"HTTP/1.1 429"] * 4
        with httpx2.Client(base_url=url, headers={"x-api-key": str(key)}) as reader:
            for _ in range(3):
                assert reader.post("/v1/memory/search", json={"query": "x"}).status_code == 200
                assert reader.get("/v1/memory/stats").status_code == 200
            large = b" " * (PROMPT_BYTES + 1)
            assert reader.post("/v1/memory/upload", content=large).status_code == 429
            for connection in dripping:
                connection.close()
            while reader.post("/v1/memory/upload", content=large).status_code == 429:
                pass


@pytest.mark.parametrize(
    "sent",
    [b"", b"GET /health HT", b"POST /v1/memory/search HTTP/1.1\r\nContent-Length: 9\r\n\r\nhalf"],
)
def test_half_a_request_is_not_waited_for_for_ever(
    world: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, sent: bytes
) -> None:
    monkeypatch.setattr(protocol, "HEAD_PATIENCE_S", 0.05)
    with running_server(tmp_path, world.system()) as (url, _):
        address = httpx2.URL(url)
        with socket.create_connection((address.host, address.port or 0)) as connection:
            connection.settimeout(30)
            connection.sendall(sent)
            while connection.recv(65_536):
                pass
