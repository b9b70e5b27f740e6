"""Strangers cost nothing, junk costs little, and one vault's callers hold up no other's."""

from __future__ import annotations

import asyncio
import json
import select
import socket
import threading
from collections.abc import AsyncIterator, Iterator
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

import httpx2
import pytest
from anyio.to_thread import current_default_thread_limiter, run_sync
from fastapi import FastAPI
from starlette.types import Message, Receive

from tests.faces.conftest import Wire
from tests.support.worlds import World, hash_embedder, running_server
from treering.access import SCOPES
from treering.data_dir import DataDir
from treering.descriptors import vaults_within
from treering.errors import NotFound, RateLimited, StorageFailure, StorageUnusable, Unauthorized
from treering.health import Health
from treering.http import body_limit, protocol, turns
from treering.http.accepting import quiet_when_full
from treering.http.app import create_app
from treering.http.turns import LENGTHY, PROMPT_BYTES, RUNNING, WAITING, Turns
from treering.open_vaults import _ceilings
from treering.requests.lines import MAX_LINE_BYTES
from treering.rules import bulk
from treering.rules.bulk import too_many_fields, too_many_values
from treering.settings import Settings

JSON = {"Content-Type": "application/json"}


@pytest.fixture
def data_dir(world: World, tmp_path: Path) -> Iterator[DataDir]:
    opened = DataDir(tmp_path, hash_embedder(), world.system())
    yield opened
    opened.close()


@pytest.fixture
def app(data_dir: DataDir) -> FastAPI:
    return create_app(data_dir, Settings(data_dir=data_dir.path, embedder="hash-384"))


def called(
    app: FastAPI,
    receive: Receive,
    method: str,
    path: str,
    key: str | None = None,
    query: bytes = b"",
) -> tuple[int, dict[str, str], Any]:
    """The status, the headers and the body of what the application answers."""
    sent: list[Message] = []

    async def send(message: Message) -> None:
        sent.append(message)

    headers = [(b"content-type", b"application/json")]
    if key:
        headers.append((b"x-api-key", key.encode()))
    scope = {
        "type": "http", "asgi": {"version": "3.0"}, "http_version": "1.1", "method": method,
        "scheme": "http", "path": path, "raw_path": path.encode(), "query_string": query,
        "root_path": "", "headers": headers, "client": None, "server": None, "state": {},
    }  # fmt: skip
    asyncio.run(app(scope, receive, send))
    shown = {name.decode(): value.decode() for name, value in sent[0]["headers"]}
    body = b"".join(message.get("body", b"") for message in sent[1:])
    return sent[0]["status"], shown, json.loads(body)


async def never() -> Message:
    raise AssertionError("the body was asked for")


def keyed(app: FastAPI) -> list[tuple[str, str]]:
    """Every operation that needs a key, as its method and path."""
    found = [
        (method.upper(), path)
        for path, operations in app.openapi()["paths"].items()
        if "health" not in path
        for method in operations
    ]
    assert len(found) > 50
    return found


@pytest.mark.promise("bodies.unread")
@pytest.mark.parametrize("key", [None, "mk_unknown"])
def test_the_body_of_a_stranger_is_never_read(app: FastAPI, key: str | None) -> None:
    for method, path in keyed(app):
        status, _, body = called(app, never, method, path, key)
        assert (status, body["error"]) == (401, "Unauthorized"), path


@pytest.mark.promise("bodies.unread")
def test_nor_is_a_body_that_the_key_may_not_send(app: FastAPI, data_dir: DataDir) -> None:
    key = data_dir.create_key(scopes=["providers:use"]).key
    for method, path in keyed(app):
        status, _, body = called(app, never, method, path, key)
        assert (status, body["error"]) == (403, "Forbidden"), f"{method} {path}"


@pytest.mark.promise("bodies.unread", "errors.unknown-parameter")
def test_nor_is_a_body_beside_a_parameter_that_nobody_knows(
    app: FastAPI, data_dir: DataDir
) -> None:
    key = data_dir.create_key(scopes=list(SCOPES)).key
    for method, path in keyed(app):
        status, _, body = called(app, never, method, path, key, b"session=a&user_id=b&session=c")
        assert (status, body["error"]) == (400, "InvalidRequest"), f"{method} {path}"
        assert body["issues"] == [
            "query.session: unknown parameter; remove it",
            "query.user_id: unknown parameter; remove it",
        ]
    many = b"&".join(b"%d%s" % (n, b"x" * 400) for n in range(100))
    _, _, body = called(app, never, "GET", "/v1/memory/stats", key, many)
    assert (len(body["issues"]), body["issues"][-1]) == (21, "body: … and 80 more problems")
    assert len(json.dumps(body)) < 20_000


@pytest.mark.promise("errors.unknown-parameter")
def test_every_parameter_that_is_documented_is_known(wire: Wire, app: FastAPI) -> None:
    paths, asked = app.openapi()["paths"], 0
    for method, path in keyed(app):
        for parameter in paths[path][method.lower()].get("parameters", []):
            if parameter["in"] == "query":
                asked += 1
                answer = wire.request(method, f"{path}?{parameter['name']}=1")
                assert "unknown parameter" not in answer.text
    assert asked > 20


@pytest.mark.promise("keys.revoked-at-once")
@pytest.mark.parametrize("way", ["revoked", "expired"])
def test_a_key_that_ends_while_the_body_arrives_does_nothing(
    app: FastAPI, data_dir: DataDir, world: World, way: str
) -> None:
    for method, path in keyed(app):
        if method == "GET":
            continue
        made = data_dir.create_key(scopes=list(SCOPES), expires_in_days=1)

        async def arriving(key_id: str = made.id) -> Message:
            if way == "revoked":
                data_dir.revoke_key(key_id)
            else:
                world.clock.advance(days=2)
            return {"type": "http.request", "body": b"{}", "more_body": False}

        status, _, body = called(app, arriving, method, path, made.key)
        assert (status, body["error"]) == (401, "Unauthorized"), f"{method} {path}"


@pytest.mark.promise("keys.revoked-at-once")
def test_nor_does_one_that_is_revoked_while_it_waits_for_its_turn(
    app: FastAPI, data_dir: DataDir
) -> None:
    made = data_dir.create_key()

    async def scenario() -> int:
        turns: Turns = app.state.turns
        async with (
            httpx2.AsyncClient(
                transport=httpx2.ASGITransport(app), base_url="http://server"
            ) as client,
            asyncio.TaskGroup() as group,
            AsyncExitStack() as running,
        ):
            for _ in range(RUNNING):
                await running.enter_async_context(turns.of(made.vault_id, no_body()))
            asked = group.create_task(
                client.get("/v1/memory/stats", headers={"x-api-key": made.key})
            )
            while turns._queues[made.vault_id].requests == RUNNING:
                await asyncio.sleep(0)
            data_dir.revoke_key(made.id)
        return asked.result().status_code

    assert asyncio.run(scenario()) == 401


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


async def no_body() -> AsyncIterator[bytes]:
    return
    yield


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


def test_a_server_out_of_files_says_so_once(caplog: pytest.LogCaptureFixture) -> None:
    async def scenario() -> None:
        loop = asyncio.get_running_loop()
        quiet_when_full(loop)
        for _ in range(100):
            failure = {"message": "socket.accept() out of system resource", "exception": OSError()}
            loop.call_exception_handler(failure)

    asyncio.run(scenario())
    assert [record.name for record in caplog.records] == ["treering.http.accepting"]


@pytest.mark.parametrize(
    ("descriptors", "vaults"), [(256, 12), (64, 8), (1024, 48), (65_536, 3120)]
)
def test_vaults_get_a_third_of_the_files(descriptors: int, vaults: int) -> None:
    assert vaults_within(descriptors) == vaults


def test_few_files_mean_few_open_vaults() -> None:
    assert _ceilings(12) == (12, 18)
    assert _ceilings(3120) == (64, 96)


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


def test_health_names_no_vault(app: FastAPI, data_dir: DataDir) -> None:
    broken = data_dir.create_key().vault_id
    data_dir.file_of(broken).parent.mkdir(exist_ok=True)
    data_dir.file_of(broken).write_text("no database at all " * 100)
    with pytest.raises(StorageUnusable), data_dir.using(broken):
        pass
    status, _, body = called(app, never, "GET", "/health")
    assert (status, body["ok"], body["problems"]) == (200, False, ["1 vault cannot be used"])
    assert Health(["a", "b"], ["c"], 0).summary == [
        "2 vaults cannot be used", "1 vault cannot be given vectors",
    ]  # fmt: skip


def fill_with_junk(data_dir: DataDir, vault_id: str) -> None:
    for file in data_dir.path.glob(f"vaults/{vault_id}.db*"):
        file.write_bytes(b"no database at all " * 10_000)


@pytest.mark.promise("health.unreadable")
def test_an_open_vault_that_becomes_unreadable_is_reported(app: FastAPI, data_dir: DataDir) -> None:
    broken, well = data_dir.create_key(), data_dir.create_key()
    for key in (broken, well):
        with data_dir.using(key.vault_id) as vault:
            vault.ingest([{"role": "user", "content": "hello"}])
    fill_with_junk(data_dir, broken.vault_id)
    status, _, body = called(app, never, "GET", "/health")
    assert (status, body["ok"], body["problems"]) == (200, False, ["1 vault cannot be used"])
    assert data_dir.health().problems == [f"vault {broken.vault_id}: cannot be used"]
    assert called(app, never, "GET", "/v1/memory/stats", well.key)[0] == 200


@pytest.mark.promise("health.unreadable")
def test_an_unreadable_vault_is_closed_in_its_turn_and_fails_no_other(
    world: World, tmp_path: Path
) -> None:
    data_dir = DataDir(tmp_path, hash_embedder(), world.system(), open_vaults=2)
    broken, *well = (data_dir.create_key().vault_id for _ in range(3))
    with data_dir.using(broken):
        pass
    fill_with_junk(data_dir, broken)
    for vault_id in well:
        with data_dir.using(vault_id) as vault:
            assert vault.stats().memories == 0
    assert list(data_dir._vaults._vaults) == well
    data_dir.close()


@pytest.mark.promise("health.unreadable")
def test_an_unreadable_vault_keeps_no_other_from_being_resumed(data_dir: DataDir) -> None:
    broken, well = (data_dir.create_key().vault_id for _ in range(2))
    with data_dir.using(broken):
        pass
    fill_with_junk(data_dir, broken)
    while data_dir._vaults._visit_next() is False:
        pass
    assert data_dir._vaults._vaults.keys() == {broken, well}


def test_a_key_that_cannot_be_noted_as_used_works_all_the_same(
    data_dir: DataDir, monkeypatch: pytest.MonkeyPatch
) -> None:
    locked = threading.Event()

    def used_key(key_id: str, now: int) -> None:
        assert locked.wait(30)
        raise StorageFailure

    monkeypatch.setattr(data_dir._uses, "_store_use", used_key)
    made = data_dir.create_key()
    assert data_dir.grant_for(str(made.key)).key_id == made.id, "while the other holds the lock"
    assert [key.last_used_at for key in data_dir.keys().keys] != [None]
    locked.set()
    data_dir._uses._storing.wait(30)
    assert [key.last_used_at for key in data_dir.keys().keys] == [None]


def test_the_last_use_of_a_key_is_kept(data_dir: DataDir) -> None:
    made = data_dir.create_key()
    data_dir.grant_for(str(made.key))
    data_dir._uses._storing.wait(30)
    [record] = data_dir._control.keys()
    assert record.last_used is not None


def test_a_key_ends_with_the_key_that_made_it(wire: Wire) -> None:
    maker = wire.post(
        "/v1/keys", {"scopes": ["keys:manage", "stats:read"], "expires_in_days": 2}
    ).json()
    through = wire.with_key(maker["key"])
    for asked in ({}, {"expires_in_days": 30}):
        assert through.post("/v1/keys", asked).json()["expires_at"] == maker["expires_at"]
    shorter = through.post("/v1/keys", {"expires_in_days": 1}).json()
    assert shorter["expires_at"] < maker["expires_at"]


def test_revoking_a_key_revokes_what_was_made_with_it(wire: Wire) -> None:
    scopes = {"scopes": ["keys:manage", "stats:read"]}
    child = wire.post("/v1/keys", scopes).json()
    grandchild = wire.with_key(child["key"]).post("/v1/keys", scopes).json()
    sibling = wire.post("/v1/keys", scopes).json()
    wire.request("DELETE", f"/v1/keys/{child['id']}")
    for key, expected in ((child, 401), (grandchild, 401), (sibling, 200)):
        assert wire.with_key(key["key"]).get("/v1/memory/stats").status_code == expected
    assert wire.get("/v1/memory/stats").status_code == 200


def test_a_key_that_is_revoked_meanwhile_makes_none(data_dir: DataDir) -> None:
    made = data_dir.create_key(scopes=["keys:manage"])
    grant = data_dir.grant_for(str(made.key))
    data_dir.revoke_key(made.id)
    with pytest.raises(Unauthorized):
        data_dir.create_key(granted_by=grant)


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
