"""Who asks is known before the body is read, and known still when it is there."""

from __future__ import annotations

import asyncio
import json
from contextlib import AsyncExitStack

import httpx2
import pytest
from fastapi import FastAPI
from starlette.types import Message

from tests.faces.asgi import called, keyed, never, no_body
from tests.faces.conftest import Wire
from tests.support.worlds import World
from treering.access import SCOPES
from treering.data_dir import DataDir
from treering.http.turns import RUNNING, Turns


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
