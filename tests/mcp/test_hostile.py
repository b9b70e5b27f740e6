"""What no well-meaning model sends: refused by name, or stored and found, and nothing breaks."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import httpx2
import pytest

from tests.conftest import Server
from tests.mcp.conftest import HANDSHAKE, NEWEST, Model, model_at, over_http
from treering.http.mcp import MAX_BYTES

EARLIER = {"MCP-Protocol-Version": "2025-06-18"}
WRONG: list[tuple[str, dict[str, Any], str]] = [
    ("search_memories", {}, "query: is required"),
    ("search_memories", {"query": 5}, "query"),
    ("search_memories", {"query": "x" * 200_001}, "query"),
    ("search_memories", {"query": "x", "limit": "10"}, "limit"),
    ("search_memories", {"query": "x", "limit": True}, "limit"),
    ("search_memories", {"query": "x", "limit": 10**30}, "limit"),
    ("search_memories", {"query": "x", "tiers": [4]}, "tiers"),
    ("search_memories", {"query": "x", "user_id": "someone else"}, "user_id: unknown field"),
    ("search", {"query": "x", "vault": "other"}, "vault: unknown field"),
    ("date_search_memories", {"from": "yesterday"}, "from"),
    ("date_search_memories", {"since": "2026-01-01"}, "since: unknown field"),
    ("store_memory", {"content": "x"}, "content"),
    ("store_memory", {"content": "x" * 4_001}, "content"),
    ("store_memory", {"content": "A fact.", "level": "L0"}, "level"),
    ("store_memory", {"content": "A fact.", "tier": "L1"}, "tier: unknown field"),
    ("store_memory", {"content": {"text": "A fact."}}, "content"),
    ("set_level", {"memory_id": "x", "level": "L0"}, "level"),
    ("set_level", {"memory_id": "", "level": "L1"}, "memory_id"),
    ("build_context", {"userMessage": "x"}, "userMessage: unknown field"),
    ("consolidate_memories", {"tier": 3}, "tier"),
    ("consolidate_memories", {"tier": 1, "max_tokens": 1.5}, "max_tokens"),
    ("delete_memories", {"ids": []}, "ids"),
    ("delete_memories", {"ids": "x"}, "ids"),
    ("forget_all_memories", {}, "confirmation"),
    ("forget_all_memories", {"confirmation": "delete all memories"}, "confirmation"),
    ("forget_all_memories", {"confirmation": "DELETE ALL MEMORIES "}, "confirmation"),
    ("record_outcome", {"domain": "x", "success": "yes"}, "success"),
    ("record_outcome", {"domain": "x", "success": True, "failure_pattern": "y"}, "failure"),
    ("resolve_tension", {"tension_id": "x", "resolved_by": " "}, "resolved_by"),
    ("set_level", {"memory_id": "x", "level": "L0"}, "level: pinning is a person's: L1, L2 or L3"),
    ("store_memory", {"content": "A fact.", "level": "L0"}, "level: pinning is a person's"),
    ("memory_status", {"verbose": True}, "verbose: unknown field"),
]


@pytest.fixture(scope="module")
def hostile(server: Server) -> Any:
    with model_at(over_http(server.url, server.key())) as model:
        yield model


@pytest.mark.promise("mcp.errors")
@pytest.mark.parametrize(("tool", "arguments", "problem"), WRONG)
def test_a_wrong_argument_is_named(
    hostile: Model, tool: str, arguments: dict[str, Any], problem: str
) -> None:
    refusal = hostile.fails(tool, **arguments)
    assert refusal.startswith("InvalidRequest")
    assert problem in refusal
    assert "call again" in refusal


@pytest.mark.promise("mcp.any-text")
@pytest.mark.parametrize("mode", [NEWEST, HANDSHAKE])
def test_any_text_is_stored_and_found(server: Server, mode: Any) -> None:
    with model_at(over_http(server.url, server.key(), mode)) as model:
        for text in [
            "会议改到下周二下午三点，地点不变。",
            "الاجتماع في الساعة الثالثة",
            "ประชุมวันอังคารหน้า",
            "emoji 👩‍👩‍👧‍👦 and e\u0301",
            "a NUL \0 inside",
            "line\nbreaks\r\nand \u2028 more",
            'quotes " and \\ud800 as text',
        ]:
            [stored] = model.does("store_memory", content=text)["stored"]
            assert stored["content"] == text.strip()
            found = model.does("search_memories", query=text)["memories"]
            assert text.strip() in {memory["content"] for memory in found}


@pytest.fixture
def post(server: Server, key: str) -> Callable[..., httpx2.Response]:
    """Send bytes as a message."""

    def send(body: bytes, **headers: str) -> httpx2.Response:
        sent = {
            "Authorization": f"Bearer {key}",
            "Content-Type": "application/json",
            "Accept": "application/json, text/event-stream",
            **headers,
        }
        return httpx2.post(f"{server.url}/mcp", content=body, headers=sent, timeout=60)

    return send


def call(tool: str, arguments: str) -> bytes:
    """A call whose arguments are this JSON text, whatever is in it."""
    params = f'{{"name":"{tool}","arguments":{arguments}}}'
    message = f'{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{params}}}'
    return message.encode("utf-8", "surrogatepass")


@pytest.mark.promise("mcp.any-text")
@pytest.mark.parametrize("half", ["\\ud83d", "\ud83d"])
def test_half_a_character_never_breaks_a_message(
    post: Callable[..., httpx2.Response], server: Server, key: str, half: str
) -> None:
    """Sent in a message, and kept in the vault by the API, which takes any text."""
    answer = post(
        call("store_memory", json.dumps({"content": "cut "})[:-2] + half + '"}'), **EARLIER
    )
    assert answer.json()["result"]["structuredContent"]["stored"][0]["content"] == "cut \ufffd"
    body = json.dumps({"messages": [{"role": "user", "content": "kept \ud83d half"}]})
    headers = {"Authorization": f"Bearer {key}", "Content-Type": "application/json"}
    httpx2.post(f"{server.url}/v1/memory/ingest", content=body, headers=headers).raise_for_status()
    for mode in (NEWEST, HANDSHAKE):
        with model_at(over_http(server.url, key, mode)) as model:
            found = model.does("search_memories", query="kept half")["memories"]
            assert "kept \ufffd half" in {memory["content"] for memory in found}
            assert "kept \ufffd half" in model.resource("memory://vault/recent")
            assert "kept \ufffd half" in model.reads("consolidate_memories", tier=1)
            model.does("forget_all_memories", confirmation="DELETE ALL MEMORIES")
            httpx2.post(f"{server.url}/v1/memory/ingest", content=body, headers=headers)


@pytest.mark.promise("mcp.hostile")
@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"\x00",
        b"null",
        b"[]",
        b'"tools/list"',
        b"{query: 1}",
        b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":"x"}',
        b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":1}}',
        b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"search","arguments":[]}}',
        b'[{"jsonrpc":"2.0","id":1,"method":"ping"}]',
        b'{"jsonrpc":"2.0","id":1,"method":"\xff\xfe"}',
        b"[" * 100_000,
        b'{"a":' * 50_000,
        b'{"jsonrpc":"2.0","id":1,"method":"x","params":{"a":[' + b"[]," * 300_000 + b"[]]}}",
        b'{"jsonrpc":"2.0","id":' + b"9" * 10_000 + b',"method":"ping"}',
    ],
    ids=range(15),
)
@pytest.mark.parametrize("version", ["2025-06-18", "2026-07-28", "1999-01-01"])
def test_what_is_no_message_is_answered_as_one(
    post: Callable[..., httpx2.Response], body: bytes, version: str
) -> None:
    answer = post(body, **{"MCP-Protocol-Version": version})
    assert answer.status_code < 500
    error = answer.json()["error"]
    assert error["message"]
    assert isinstance(error["code"], int)
    assert "Traceback" not in answer.text


@pytest.mark.promise("mcp.hostile")
def test_a_message_has_a_largest_size(post: Callable[..., httpx2.Response], server: Server) -> None:
    answer = post(call("search", json.dumps({"query": "x" * MAX_BYTES})), **EARLIER)
    assert answer.status_code == 413
    assert "limit" in answer.json()["error"]["message"]
    with model_at(over_http(server.url, server.key())) as model:
        with pytest.raises(Exception, match="over the limit"):
            model("search", query="x" * MAX_BYTES)
        assert model.does("search", query="x")["count"] == 0
