"""A model sees the tools that its key's scopes allow, and no others answer it."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.conftest import Server
from tests.mcp.conftest import model_at, over_http, over_stdio
from tests.support.worlds import World, hash_embedder
from treering.data_dir import DataDir

READ = {
    "search_memories",
    "search",
    "date_search_memories",
    "inspect_memory",
    "build_context",
    "list_tensions",
}
WRITE = {"store_memory", "set_level", "resolve_tension", "record_outcome"}
REFLECT = {"consolidate_memories", "commit_reflections"}
DELETE = {"delete_memories", "forget_all_memories"}
STATS = {"memory_status"}
TOOLS_OF = {
    "memories:read": READ,
    "memories:write": WRITE,
    "memories:reflect": REFLECT,
    "memories:delete": DELETE,
    "stats:read": STATS,
    "keys:manage": set[str](),
    "providers:use": set[str](),
}
EVERY = READ | WRITE | REFLECT | DELETE | STATS
VALID: dict[str, dict[str, object]] = {
    "search_memories": {"query": "x"},
    "search": {"query": "x"},
    "date_search_memories": {"from": "2026-01-01"},
    "inspect_memory": {"memory_id": "x"},
    "build_context": {},
    "list_tensions": {},
    "store_memory": {"content": "A fact."},
    "set_level": {"memory_id": "x", "level": "L1"},
    "resolve_tension": {"tension_id": "x", "resolved_by": "Ines"},
    "record_outcome": {"domain": "x", "success": True},
    "consolidate_memories": {"tier": 1},
    "commit_reflections": {"batch_id": "cb_x", "entries": [{"text": "x", "importance": 1}]},
    "delete_memories": {"ids": ["x"]},
    "forget_all_memories": {"confirmation": "DELETE ALL MEMORIES"},
    "memory_status": {},
}


@pytest.mark.promise("mcp.scopes")
@pytest.mark.parametrize("scope", TOOLS_OF)
def test_a_scope_shows_its_tools_and_refuses_the_others(server: Server, scope: str) -> None:
    with model_at(over_http(server.url, server.key([scope]))) as model:
        assert {tool.name for tool in model.tools()} == TOOLS_OF[scope]
        for name in EVERY - TOOLS_OF[scope]:
            [needed] = [other for other, names in TOOLS_OF.items() if name in names]
            refusal = model.fails(name, **VALID[name])
            assert refusal.startswith("Forbidden"), name
            assert needed in refusal, name
        resources = {"memories:read": ["recent"], "stats:read": ["stats"]}.get(scope, [])
        assert [uri.rpartition("/")[2] for uri in model.resources()] == resources
        for name in {"recent", "stats"} - set(resources):
            with pytest.raises(Exception, match="lacks the scope"):
                model.resource(f"memory://vault/{name}")


@pytest.mark.promise("mcp.scopes")
@pytest.mark.parametrize(
    ("suffix", "visible"), [(":read", READ | STATS), (":write", WRITE), (":off", set())]
)
def test_a_suffix_narrows_what_is_seen(server: Server, suffix: str, visible: set[str]) -> None:
    with model_at(over_http(server.url, server.key() + suffix)) as model:
        assert {tool.name for tool in model.tools()} == visible


@pytest.mark.promise("mcp.scopes")
def test_nothing_is_changed_by_a_call_that_is_refused(server: Server) -> None:
    key = server.key()
    with (
        model_at(over_http(server.url, key)) as whole,
        model_at(over_http(server.url, f"{key}:read")) as reader,
    ):
        whole.does("store_memory", content="The port is 5433.")
        reader.fails("forget_all_memories", confirmation="DELETE ALL MEMORIES")
        assert whole.does("memory_status")["memories"] == 1


@pytest.mark.promise("mcp.stdio-scopes")
@pytest.mark.parametrize(
    ("options", "visible"),
    [
        (["--read-only"], READ | STATS),
        (["--scopes", "memories:read, memories:write"], READ | WRITE),
    ],
)
def test_options_narrow_what_is_offered_locally(
    tmp_path: Path, options: list[str], visible: set[str]
) -> None:
    with model_at(over_stdio("--data-dir", str(tmp_path / "data"), *options)) as model:
        assert {tool.name for tool in model.tools()} == visible
        assert "memories:delete" in model.fails("delete_memories", ids=["x"])


@pytest.mark.promise("mcp.stdio-scopes", "keys.write-only-learns-nothing")
def test_a_client_that_may_not_read_is_told_nothing_held(tmp_path: Path) -> None:
    where = ["--data-dir", str(tmp_path / "data")]
    held = "The staging database listens on port 5433 and belongs to Nightingale."
    with model_at(over_stdio(*where)) as model:
        model.does("store_memory", content=held)
    with model_at(over_stdio(*where, "--scopes", "memories:write")) as model:
        told = model.does("store_memory", content="Staging database listens on port 5433")
    assert (told["counts"]["merged"], told["mergedInto"]) == (1, [])


@pytest.mark.promise("mcp.stdio-scopes")
def test_a_key_narrows_what_is_offered_whatever_the_options_say(
    server: Server, tmp_path: Path
) -> None:
    remote = ["--url", server.url, "--key", server.key(["memories:read"])]
    with model_at(over_stdio(*remote, "--scopes", "memories:read,memories:delete")) as model:
        assert {tool.name for tool in model.tools()} == READ
    data_dir = DataDir(tmp_path / "data", hash_embedder(), World().system())
    key = data_dir.create_key(scopes=["memories:write"]).key
    data_dir.close()
    assert key is not None
    with model_at(over_stdio("--data-dir", str(tmp_path / "data"), "--key", key)) as model:
        assert {tool.name for tool in model.tools()} == WRITE
