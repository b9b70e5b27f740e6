"""`treering mcp`: protocol and nothing else on stdout, and a clean end."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from tests.conftest import Server
from treering.cli.app import app

START = {
    "jsonrpc": "2.0",
    "id": 0,
    "method": "initialize",
    "params": {
        "protocolVersion": "2025-06-18",
        "capabilities": {},
        "clientInfo": {"name": "test", "version": "1"},
    },
}


def call(id: int, tool: str, **arguments: Any) -> dict[str, Any]:
    params = {"name": tool, "arguments": arguments}
    return {"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params}


def started(*options: str) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [sys.executable, "-m", "treering", "mcp", *options],
        env={**os.environ, "TREERING_EMBEDDER": "hash-384"},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )


def lines_of(*messages: dict[str, Any] | bytes) -> bytes:
    encoded = [each if isinstance(each, bytes) else json.dumps(each).encode() for each in messages]
    return b"".join(line + b"\n" for line in encoded)


def answers(out: bytes) -> dict[Any, dict[str, Any]]:
    """Every line of stdout, which is a message each, by its id."""
    messages = [json.loads(line) for line in out.splitlines()]
    assert all(message["jsonrpc"] == "2.0" for message in messages)
    return {message["id"]: message for message in messages}


@pytest.mark.promise("mcp.stdio")
def test_what_was_asked_before_stdin_ends_is_answered(tmp_path: Path) -> None:
    process = started("--data-dir", str(tmp_path / "data"))
    asked = [call(number, "store_memory", content=f"Fact {number}.") for number in range(1, 21)]
    out, err = process.communicate(lines_of(START, *asked), timeout=60)
    assert process.returncode == 0
    assert err == b""
    found = answers(out)
    assert set(found) == set(range(21))
    assert not any(found[number]["result"].get("isError") for number in range(1, 21))


@pytest.mark.promise("mcp.stdio", "mcp.hostile")
def test_what_is_no_message_is_answered_and_does_not_end_it(tmp_path: Path) -> None:
    process = started("--vault", str(tmp_path / "memory.db"))
    out, err = process.communicate(
        lines_of(
            START,
            b"",
            b"not JSON",
            b"\xff\xfe",
            b"[" * 100_000,
            b"[1]",
            b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":[]}',
            b'{"jsonrpc":"2.0","id":"two","method":5}',
            b'{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"store_memory",'
            b'"arguments":{"content":"half \\ud83d"}}}',
            call(4, "store_memory", content="x" * 5_000_000),
            call(5, "memory_status"),
        ),
        timeout=60,
    )
    assert process.returncode == 0
    assert err == b""
    codes = [json.loads(line).get("error", {}).get("code") for line in out.splitlines()]
    assert codes.count(-32700) == 3
    assert codes.count(-32600) == 3
    found = answers(out)
    assert found["two"]["error"]
    assert found[1]["error"]
    [stored] = found[3]["result"]["structuredContent"]["stored"]
    assert stored["content"] == "half \ufffd"
    assert "4,000 characters" in found[4]["result"]["content"][0]["text"]
    assert found[5]["result"]["structuredContent"]["memories"] <= 1


@pytest.mark.promise("mcp.stdio")
@pytest.mark.parametrize("stop", [signal.SIGTERM, signal.SIGINT])
def test_it_ends_in_order_when_it_is_told_to(tmp_path: Path, stop: signal.Signals) -> None:
    process = started("--data-dir", str(tmp_path / "data"))
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.write(lines_of(START, call(1, "store_memory", content="The port is 5433.")))
    process.stdin.flush()
    assert {json.loads(process.stdout.readline())["id"] for _ in range(2)} == {0, 1}
    process.send_signal(stop)
    out, err = process.communicate(timeout=60)
    assert (process.returncode, out, err) == (0, b"", b"")


@pytest.mark.promise("mcp.stdio")
def test_a_server_that_is_away_is_reported_by_each_call() -> None:
    process = started("--url", "http://127.0.0.1:9", "--key", "mk_anything")
    out, err = process.communicate(
        lines_of(START, call(1, "search_memories", query="port")), timeout=60
    )
    assert process.returncode == 0
    assert b"did not answer" in err
    result = answers(out)[1]["result"]
    assert result["isError"]
    assert "did not answer" in result["content"][0]["text"]


@pytest.mark.promise("mcp.stdio")
def test_what_can_not_be_opened_ends_with_its_exit_code(server: Server, tmp_path: Path) -> None:
    for options, code, problem in [
        (["--url", server.url, "--key", "mk_unknown"], 3, "unknown, expired or revoked"),
        (["--data-dir", str(tmp_path), "--key", "mk_unknown"], 3, "unknown, expired or revoked"),
        (["--data-dir", str(tmp_path), "--vault", "none"], 4, "no such vault"),
        (["--data-dir", str(tmp_path), "--scopes", "everything"], 2, "scopes: must be some of"),
        (["--data-dir", str(tmp_path), "--read-only", "--scopes", "stats:read"], 2, "not both"),
    ]:
        ran = CliRunner().invoke(app, ["mcp", *options], env={"TREERING_EMBEDDER": "hash-384"})
        assert (ran.exit_code, ran.stdout) == (code, ""), ran.stderr
        assert problem in ran.stderr
        assert ("--read-only" in ran.stderr) == ("--read-only" in options)
