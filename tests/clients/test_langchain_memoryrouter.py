"""The published `langchain-memoryrouter`, unchanged but for its base URL, against a real server."""

from __future__ import annotations

import asyncio
from typing import Any, TypedDict

from langchain_memoryrouter.client import AsyncMemoryRouterClient, MemoryRouterClient
from langchain_memoryrouter.nodes import create_recall_node, create_retain_node
from langchain_memoryrouter.store import MemoryRouterStore
from langgraph.graph import END, START, StateGraph

from tests.conftest import Server

FACT = "The staging database listens on port 5433."


class State(TypedDict, total=False):
    messages: list[dict[str, str]]
    memory_context: str | None


def test_the_client_stores_searches_and_prepares(server: Server) -> None:
    client = MemoryRouterClient(server.key(), base_url=server.url)
    stored = client.ingest(
        [{"role": "user", "content": FACT}],
        session_id="ops",
        model="openai/gpt-4o",
        embeddings="bge-m3",
    )
    assert (stored["status"], stored["stored"], stored["session_id"]) == ("stored", 1, "ops")
    found = client.search("staging database port", limit=3, session_id="ops")
    assert found["memories"][0]["content"] == FACT
    asked = [{"role": "user", "content": "Which port has the staging database?"}]
    prepared = client.prepare(asked, session_id="ops", density="high", context_limit=5)
    assert FACT in prepared["context"]


def test_the_async_client_does_the_same(server: Server) -> None:
    client = AsyncMemoryRouterClient(server.key(), base_url=server.url)

    async def use() -> Any:
        await client.aingest([{"role": "user", "content": FACT}], session_id="ops")
        found = await client.asearch("staging database port")
        prepared = await client.aprepare([{"role": "user", "content": "staging database port?"}])
        return found["memories"][0]["content"], prepared["context"]

    content, context = asyncio.run(use())
    assert content == FACT
    assert FACT in context


def test_the_nodes_recall_and_retain_inside_a_graph(server: Server) -> None:
    client = MemoryRouterClient(base_url=server.url)
    graph = StateGraph(State)
    recall: Any = create_recall_node(client=client)
    retain: Any = create_retain_node(client=client)
    graph.add_node("recall", recall)
    graph.add_node("retain", retain)
    graph.add_edge(START, "recall")
    graph.add_edge("recall", "retain")
    graph.add_edge("retain", END)
    app = graph.compile()
    config: Any = {"configurable": {"memory_key": server.key(), "thread_id": "thread-1"}}
    first = app.invoke({"messages": [{"role": "user", "content": FACT}]}, config)
    assert not first.get("memory_context")
    asked = [{"role": "user", "content": "What is the port of the staging database?"}]
    second = app.invoke({"messages": asked}, config)
    assert FACT in second["memory_context"]


def test_the_store_sets_gets_and_searches(server: Server) -> None:
    store = MemoryRouterStore(server.key(), base_url=server.url, session_id="prefs")
    store.mset([("favourite editor", "vim"), ("favourite tea", {"kind": "oolong"})])
    (editor,) = store.mget(["favourite editor"])
    assert editor == "favourite editor: vim"
    assert "oolong" in store.search("tea")[0]["content"]
