"""docs/mcp.md says what is: its tools, its snippets and its commands."""

from __future__ import annotations

import json
import os
import re
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest
from mcp import Client, StdioServerParameters

from tests.mcp.conftest import model_at
from treering.http.mcp import MAX_BYTES
from treering.mcp.resources import RESOURCES
from treering.mcp.tools import TOOLS, MemoryTool

GUIDE = (Path(__file__).parents[2] / "docs" / "mcp.md").read_text("utf-8")
BLOCK = re.compile(r"^```(json|toml)\n(.*?)^```$", re.DOTALL | re.MULTILINE)
ROW = re.compile(r"^\| `(\w+)` \| `([\w:]+)` \| ([\w ]+) \| .+ \|$", re.MULTILINE)
SNIPPETS = [
    json.loads(text) if language == "json" else tomllib.loads(text)
    for language, text in BLOCK.findall(GUIDE)
]


def servers(snippet: dict[str, Any]) -> dict[str, Any]:
    """A client's servers by name, whatever the client calls them."""
    [found] = [snippet[key] for key in ("mcpServers", "servers", "mcp_servers") if key in snippet]
    return dict(found)


def kind(tool: MemoryTool) -> str:
    if tool.reads:
        return "reads"
    return "asks first" if tool.destroys else "adds"


@pytest.mark.promise("mcp.documented")
def test_the_table_of_tools_is_the_codes() -> None:
    assert ROW.findall(GUIDE) == [(tool.name, *tool.scopes, kind(tool)) for tool in TOOLS]
    for resource in RESOURCES:
        [scope] = resource.scopes
        assert f"`{resource.uri}` (`{scope}`)" in " ".join(GUIDE.split())
    assert f"at most {MAX_BYTES >> 20} MiB" in GUIDE


@pytest.mark.promise("mcp.documented")
def test_snippets_name_the_server_as_it_is() -> None:
    assert len(SNIPPETS) == 5
    for snippet in SNIPPETS:
        for server in servers(snippet).values():
            if "url" in server:
                assert server["url"] == "http://127.0.0.1:8787/mcp"
                headers = server.get("headers", {}).get("Authorization", "Bearer ")
                assert headers.startswith("Bearer ")
            else:
                assert server["command"] == "treering"


@pytest.mark.promise("mcp.documented")
@pytest.mark.parametrize("place", range(len(SNIPPETS)))
def test_a_snippets_command_serves_its_tools(place: int, tmp_path: Path) -> None:
    environment = {
        **os.environ,
        "TREERING_EMBEDDER": "hash-384",
        "TREERING_DATA_DIR": str(tmp_path / "data"),
    }
    for server in servers(SNIPPETS[place]).values():
        if "command" not in server:
            continue
        command = StdioServerParameters(
            command=sys.executable,
            args=["-m", server["command"], *server["args"]],
            env=environment,
        )
        with model_at(Client(command)) as model:
            offered = {tool.name for tool in model.tools()}
        wanted = {tool.name for tool in TOOLS if tool.reads or "--read-only" not in server["args"]}
        assert offered == wanted
