"""Many clients at once, of two vaults: every call is answered, and nothing is mixed up."""

from __future__ import annotations

import anyio
import pytest

from tests.conftest import Server
from tests.mcp.conftest import HANDSHAKE, NEWEST, over_http

VAULTS = 2


@pytest.mark.promise("mcp.parallel")
def test_parallel_sessions_keep_to_their_vaults(server: Server) -> None:
    anyio.run(_many, server, 8, 5)


@pytest.mark.soak
@pytest.mark.promise("mcp.parallel")
def test_fifty_parallel_sessions_keep_to_their_vaults(server: Server) -> None:
    anyio.run(_many, server, 50, 20)


async def _many(server: Server, sessions: int, calls: int) -> None:
    keys = [server.key() for _ in range(VAULTS)]
    async with anyio.create_task_group() as group:
        for number in range(sessions):
            vault = number % VAULTS
            group.start_soon(_one, server.url, keys[vault], vault, number, calls)
    for vault, key in enumerate(keys):
        async with over_http(server.url, key) as client:
            held = (await client.call_tool("memory_status", {})).structured_content["memories"]
            of_vault = len(range(vault, sessions, VAULTS))
            assert held == of_vault * (calls // 2)


async def _one(url: str, key: str, vault: int, number: int, calls: int) -> None:
    """One client: every other call stores something, and the next one finds it."""
    mode = NEWEST if number % 4 < 2 else HANDSHAKE
    async with over_http(url, key, mode) as client:
        for call in range(calls // 2):
            text = f"The badger{number}x{call} lives in garden{vault}."
            stored = await client.call_tool("store_memory", {"content": text})
            assert not stored.is_error, stored
            assert [one["content"] for one in stored.structured_content["stored"]] == [text]
            query = {"query": f"badger{number}x{call} garden", "limit": 50}
            found = (await client.call_tool("search_memories", query)).structured_content
            texts = [memory["content"] for memory in found["memories"]]
            assert text in texts
            assert all(f"garden{vault}." in each for each in texts)
