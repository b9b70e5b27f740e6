"""A vault is a wall: nothing of one shows in another, by content, count, rank or error."""

from __future__ import annotations

from typing import Any

import pytest

from tests.conftest import Server
from tests.faces.conftest import Wire
from tests.support.worlds import START

TEXTS = ["The red bike is in the shed.", "The blue bike was sold.", "Rain again, no bike today."]
QUERIES = ["red bike", "shed", "bike sold rain", "what about today?"]


def vault(server: Server, wire: Wire) -> Wire:
    return wire.with_key(server.key())


def fill(wire: Wire, texts: list[str], entry: str) -> list[str]:
    """Dated messages and a reflection over them; the ids of all."""
    messages = [
        {"role": "user", "content": text, "timestamp": START + place}
        for place, text in enumerate(texts)
    ]
    ids = wire.post("/v1/memory/ingest", {"messages": messages, "session_id": "s"}).json()["ids"]
    batch = wire.post("/v1/memory/consolidate/checkout", {"tier": 1}).json()["batch_id"]
    body = {"batch_id": batch, "entries": [{"text": entry, "importance": 5}]}
    made = wire.post("/v1/memory/consolidate/commit", body).json()["created"]
    return [*ids, made[0]["id"]]


def seen(wire: Wire, ids: list[str]) -> list[Any]:
    """All that a vault's key can find out, with its ids by their place."""
    asked = [
        *(wire.post("/v1/memory/search", {"query": query, "explain": True}) for query in QUERIES),
        *(
            wire.post("/v1/memory/prepare", {"messages": [{"role": "user", "content": query}]})
            for query in QUERIES
        ),
        wire.post("/v1/memory/search", {"query": "bike", "session_id": "s", "session_only": True}),
        wire.post("/v1/memory/date-search", {"from": "2020-01-01", "query": "bike"}),
        wire.post("/v1/memory/date-search", {"from": "2020-01-01", "to": "2100-01-01"}),
        wire.get("/v1/memory/stats"),
        wire.get("/v1/account/usage"),
    ]
    found = [response.text for response in asked]
    for place, memory_id in enumerate(ids):
        found = [text.replace(memory_id, f"id {place}") for text in found]
    return found


@pytest.mark.promise("wall.ranking", "wall.counts")
def test_what_a_vault_answers_does_not_depend_on_any_other(server: Server, wire: Wire) -> None:
    alone, beside, crowd = (vault(server, wire) for _ in range(3))
    alone_ids = fill(alone, TEXTS, "Bikes come and go.")
    before = seen(alone, alone_ids)
    fill(crowd, [*TEXTS, *(f"bike number {n} is in shed {n}" for n in range(200))], "Bikes, bikes.")
    beside_ids = fill(beside, TEXTS, "Bikes come and go.")
    assert seen(beside, beside_ids) == before


@pytest.mark.promise("wall.ids")
def test_another_vaults_ids_are_unknown_here(server: Server, wire: Wire) -> None:
    ours, theirs = vault(server, wire), vault(server, wire)
    fill(ours, ["Ours."], "Ours too.")
    ids = fill(theirs, TEXTS, "Bikes come and go.")
    for memory_id in ids:
        foreign = ours.post("/v1/memory/inspect", {"memory_id": memory_id})
        unknown = ours.post("/v1/memory/inspect", {"memory_id": memory_id[:-4] + "ffff"})
        assert foreign.status_code == unknown.status_code == 404
        assert foreign.text.replace(memory_id, "") == unknown.text.replace(
            memory_id[:-4] + "ffff", ""
        )
    deleted = ours.post("/v1/memory/delete-ids", {"ids": ids, "cascade": True}).json()
    assert (deleted["deleted"], deleted["not_found"], deleted["derived"]) == (0, 4, [])
    assert theirs.get("/v1/memory/stats").json()["memories"] == 4


@pytest.mark.promise("wall.batches")
def test_another_vaults_batch_is_unknown_here(server: Server, wire: Wire) -> None:
    ours, theirs = vault(server, wire), vault(server, wire)
    for each in (ours, theirs):
        each.post("/v1/memory/ingest", {"messages": [{"role": "user", "content": "hello"}]})
    batch = theirs.post("/v1/memory/consolidate/checkout", {"tier": 1}).json()["batch_id"]
    body = {"batch_id": batch, "entries": [{"text": "x", "importance": 5}]}
    assert ours.post("/v1/memory/consolidate/commit", body).status_code == 404
    assert theirs.post("/v1/memory/consolidate/commit", body).json()["committed"]


@pytest.mark.promise("wall.deletes")
def test_a_wipe_and_its_sessions_end_at_the_wall(server: Server, wire: Wire) -> None:
    ours, theirs = vault(server, wire), vault(server, wire)
    for each in (ours, theirs):
        fill(each, TEXTS, "Bikes.")
    assert ours.request("DELETE", "/v1/memory", {"X-Session-ID": "s"}).json() == {"deleted": 3}
    assert ours.request("DELETE", "/v1/memory").json() == {"deleted": 1}
    assert theirs.get("/v1/memory/stats").json()["memories"] == 4


@pytest.mark.promise("wall.requests")
def test_retries_and_idempotency_keys_are_of_one_vault(server: Server, wire: Wire) -> None:
    body = {"messages": [{"role": "user", "content": "hello"}]}
    for each in (vault(server, wire), vault(server, wire)):
        for headers in ({}, {"Idempotency-Key": "k"}):
            assert each.post("/v1/memory/ingest", body, headers).json()["stored"] == 1
