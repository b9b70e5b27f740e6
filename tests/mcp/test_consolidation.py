"""The round trip of consolidation inside a chat, in which no memory's id reaches the model."""

from __future__ import annotations

import json
import re

import pytest
from mcp.types import CallToolResult

from tests.conftest import Server
from tests.faces.conftest import Wire
from tests.mcp.conftest import Model, text_of
from treering.model import Tier
from treering.replies import to_wire
from treering.rules.contract import reflection_contract

UUID = re.compile(
    r"[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}", re.IGNORECASE
)


def ids_in(result: CallToolResult, batch_id: str | None) -> list[str]:
    """Whatever a model reads of a result that looks like an id, but for the batch's own."""
    read = text_of(result) + json.dumps(result.structured_content)
    return UUID.findall(read.replace(batch_id or "\0", ""))


@pytest.mark.promise("mcp.no-ids")
def test_both_tiers_are_consolidated_without_an_id(model: Model, wire: Wire) -> None:
    said = [
        {"role": "user", "content": f"Decision {number}: the sensor {number} sits in lid {number}."}
        for number in range(40)
    ]
    ids = wire.post("/v1/memory/ingest", {"messages": said}).json()["ids"]
    assert len(ids) == 40
    entries = [
        {"text": f"Sensor {number} sits in lid {number}.", "importance": 9} for number in range(10)
    ]
    for tier in (1, 2):
        rounds = 0
        while True:
            batch = model("consolidate_memories", tier=tier, max_tokens=1000)
            batch_id = batch.structured_content["batch_id"]
            assert not ids_in(batch, batch_id)
            assert "source_ids" not in batch.structured_content
            if batch_id is None:
                break
            contract = batch.structured_content["reflection_contract"]
            assert contract["instructions"] in text_of(batch)
            assert contract == to_wire(reflection_contract(Tier(tier)))
            for memory in batch.structured_content["memories"]:
                assert set(memory) == {"text", "date"}
            done = model("commit_reflections", batch_id=batch_id, entries=entries)
            assert not ids_in(done, batch_id)
            assert done.structured_content["created"] == 10
            again = model("commit_reflections", batch_id=batch_id, entries=entries)
            assert again.structured_content["already_committed"] is True
            assert not ids_in(again, batch_id)
            rounds += 1
        assert rounds
    status = model.does("memory_status")
    assert status["by_tier"]["3"] == 10


@pytest.mark.promise("mcp.errors")
def test_mistakes_are_explained_and_can_be_mended(model: Model) -> None:
    model.does("store_memory", content="The port is 5433.")
    batch_id = model.does("consolidate_memories", tier=1)["batch_id"]
    good = {"text": "The port is 5433.", "importance": 5}
    for entries, problem in [
        ([], "entries"),
        ([{**good, "importance": 7.5}], "entries[0].importance"),
        ([good, {**good, "importance": "7"}], "entries[1].importance"),
        ([{**good, "id": "x"}], "entries[0].id: unknown field"),
        ([{"text": " ", "importance": 1}], "entries[0].text"),
    ]:
        refusal = model.fails("commit_reflections", batch_id=batch_id, entries=entries)
        assert problem in refusal
        assert "call again" in refusal
    assert "consolidate_memories" in model.fails(
        "commit_reflections", batch_id="cb_0", entries=[good]
    )
    assert model.does("commit_reflections", batch_id=batch_id, entries=[good])["created"] == 1


@pytest.mark.promise("mcp.errors")
def test_a_lapsed_lease_says_to_check_out_again(model: Model, server: Server) -> None:
    model.does("store_memory", content="The port is 5433.")
    batch_id = model.does("consolidate_memories", tier=1)["batch_id"]
    server.world.clock.advance(minutes=16)
    refusal = model.fails(
        "commit_reflections", batch_id=batch_id, entries=[{"text": "x", "importance": 1}]
    )
    assert "Call consolidate_memories again" in refusal


@pytest.mark.promise("mcp.sizes")
def test_a_batch_fits_what_clients_take(model: Model, wire: Wire) -> None:
    said = [{"role": "user", "content": f"{number}: " + "word " * 800} for number in range(20)]
    wire.post("/v1/memory/ingest", {"messages": said})
    assert model.does("consolidate_memories", tier=1)["est_tokens"] <= 8_000
    assert model.does("consolidate_memories", tier=1, max_tokens=2_000)["est_tokens"] <= 2_000
    page = model.does("date_search_memories", **{"from": "2026-01-01"})
    assert page["truncated"]
    assert page["tokens"] <= 4_000
