"""Published clients, installed afresh with npm and run in an empty home."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from mcp.types import Tool

from tests.conftest import Server
from tests.docs.test_mcp import GUIDE
from tests.mcp.fake_model import FakeModel, serving
from tests.mcp.test_tools import Journey
from treering.mcp.tools import TOOLS

pytestmark = pytest.mark.soak

PACKAGES = [
    "@anthropic-ai/claude-code",
    "@openai/codex",
    # Named, or npm takes an old one where it finds an older Node than the inspector asks for.
    "@modelcontextprotocol/inspector@2",
    "node@22",
]
NAMES = {tool.name for tool in TOOLS}
ROOT = Path(__file__).parents[2]


@dataclass
class Machine:
    """A home without anything in it, the clients' programs, and a server with a new vault."""

    server: Server
    home: Path
    programs: Path
    key: str = ""
    environment: dict[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.key = self.server.key()
        # Clients start it with more or less of their own environment, and the key is the server's.
        treering = self.home / "bin" / "treering"
        treering.parent.mkdir()
        treering.write_text(
            f"#!/bin/sh\nexport PYTHONPATH='{ROOT / 'src'}' TREERING_EMBEDDER=hash-384\n"
            f"export TREERING_DATA_DIR='{self.home / 'data'}'\nunset TREERING_KEY\n"
            f"exec '{sys.executable}' -m treering \"$@\"\n"
        )
        treering.chmod(0o700)
        self.environment = {
            "HOME": str(self.home),
            "PATH": f"{treering.parent}:{self.programs}:{os.environ['PATH']}",
            "TREERING_KEY": self.key,
            "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
        }

    @property
    def url(self) -> str:
        return f"{self.server.url}/mcp"

    def run(self, *command: str) -> str:
        """Run a command in the home; what it printed."""
        done = subprocess.run(
            command,
            cwd=self.home,
            env=self.environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=120,
        )
        assert done.returncode == 0, f"{command}\n{done.stdout}\n{done.stderr}"
        return done.stdout

    def documented(self, program: str) -> list[str]:
        """Run the lines of the guide that begin with a program; what each printed."""
        lines = [line for line in GUIDE.splitlines() if line.startswith(f"{program} mcp ")]
        assert len(lines) == 3
        return [
            self.run("sh", "-c", line.replace("http://127.0.0.1:8787/mcp", self.url))
            for line in lines
        ]


@pytest.fixture(scope="session")
def programs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    prefix = tmp_path_factory.mktemp("npm")
    command = ["npm", "install", "--no-fund", "--no-audit", "--prefix", str(prefix), *PACKAGES]
    done = subprocess.run(command, capture_output=True, text=True, timeout=280)
    assert done.returncode == 0, done.stderr
    return prefix / "node_modules" / ".bin"


@pytest.fixture
def machine(server: Server, programs: Path, tmp_path: Path) -> Machine:
    return Machine(server, tmp_path, programs)


@pytest.mark.promise("mcp.clients")
def test_claude_code_connects(machine: Machine) -> None:
    *_, listed = machine.documented("claude")
    lines = [line for line in listed.splitlines() if line.startswith("treering")]
    assert len(lines) == 2, listed
    assert all("Connected" in line for line in lines), listed


@pytest.mark.promise("mcp.clients")
def test_claude_codes_model_is_offered_the_tools_and_reads_their_results(machine: Machine) -> None:
    headers = {"Authorization": f"Bearer {machine.key}"}
    entry = {"type": "http", "url": machine.url, "headers": headers}
    config = machine.home / "mcp.json"
    config.write_text(json.dumps({"mcpServers": {"treering": entry}}))
    tool = "mcp__treering__store_memory"
    with serving(FakeModel(tool, {"content": "The port is 5433."})) as model:
        machine.environment |= {"ANTHROPIC_BASE_URL": model.url, "ANTHROPIC_API_KEY": "sk-none"}
        asked = ["claude", "-p", "Remember the port.", "--allowedTools", tool]
        machine.run(*asked, "--strict-mcp-config", "--mcp-config", str(config))
    assert {f"mcp__treering__{name}" for name in NAMES} <= model.offered
    [result] = model.results
    assert "The port is 5433." in json.dumps(result)
    assert not result.get("is_error")


@pytest.mark.promise("mcp.clients")
def test_codex_lists_the_tools(machine: Machine) -> None:
    *_, listed = machine.documented("codex")
    assert listed.count("enabled") == 2, listed
    assert "Bearer token" in listed
    asked: list[dict[str, Any]] = [
        {"id": 0, "method": "initialize", "params": {"clientInfo": {"name": "t", "version": "1"}}},
        {"method": "initialized"},
        {"id": 1, "method": "mcpServerStatus/list", "params": {}},
    ]
    process = subprocess.Popen(
        [str(machine.programs / "codex"), "app-server"],
        cwd=machine.home,
        env=machine.environment,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    assert process.stdin is not None
    assert process.stdout is not None
    with process:
        process.stdin.write("".join(json.dumps(message) + "\n" for message in asked))
        process.stdin.flush()
        messages = map(json.loads, process.stdout)
        answer = next(message for message in messages if message.get("id") == 1)
        process.terminate()
    servers = {server["name"]: set(server["tools"]) for server in answer["result"]["data"]}
    assert servers == {"treering": NAMES, "treering-local": NAMES}


@dataclass
class Inspected:
    """The inspector as a model: every call is a program of its own."""

    machine: Machine
    target: list[str]

    def ask(self, *asked: str) -> Any:
        return json.loads(self.machine.run("mcp-inspector", "--cli", *self.target, *asked))

    def tools(self) -> list[Tool]:
        listed = self.ask("--method", "tools/list", "--strict")
        return [Tool.model_validate(tool) for tool in listed["tools"]]

    def does(self, tool: str, /, **arguments: Any) -> Any:
        given = []
        for name, value in arguments.items():
            shown = value if isinstance(value, str) else json.dumps(value)
            given += ["--tool-arg", f"{name}={shown}"]
        result = self.ask("--method", "tools/call", "--tool-name", tool, *given)
        assert not result.get("isError"), result
        return result["structuredContent"]


@pytest.mark.promise("mcp.clients")
@pytest.mark.parametrize("transport", ["http", "stdio"])
def test_the_inspector_calls_every_tool(machine: Machine, transport: str) -> None:
    header = ["--header", f"Authorization: Bearer {machine.key}"]
    remote = Inspected(machine, [machine.url, "--transport", "http", *header])
    local = Inspected(machine, ["treering", "mcp"])
    inspected = remote if transport == "http" else local
    journey = Journey(inspected)
    assert set(journey.declared) == NAMES
    journey.run()
    assert set(journey.called) == NAMES
    inspected.does("store_memory", content="The port is 5433.")
    read = inspected.ask("--method", "resources/read", "--uri", "memory://vault/recent")
    assert "The port is 5433." in json.dumps(read)
