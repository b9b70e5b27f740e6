"""A model at the tools: the official SDK's client over either transport, called as a function."""

from __future__ import annotations

import os
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx2
import pytest
from anyio.from_thread import BlockingPortal, start_blocking_portal
from mcp import Client, StdioServerParameters
from mcp.client.client import ConnectMode
from mcp.client.streamable_http import streamable_http_client
from mcp.types import CallToolResult, TextContent, Tool

from tests.conftest import Server
from tests.faces.conftest import Wire

NEWEST: ConnectMode = "auto"
HANDSHAKE: ConnectMode = "legacy"


@dataclass(frozen=True)
class Model:
    """A connected client."""

    client: Client
    portal: BlockingPortal

    def __call__(self, tool: str, /, **arguments: Any) -> CallToolResult:
        """Call a tool."""
        result: CallToolResult = self.portal.call(self.client.call_tool, tool, arguments)
        return result

    def does(self, tool: str, /, **arguments: Any) -> Any:
        """Call a tool that succeeds; its structured content."""
        result = self(tool, **arguments)
        assert not result.is_error, text_of(result)
        return result.structured_content

    def reads(self, tool: str, /, **arguments: Any) -> str:
        """Call a tool that succeeds; its text."""
        result = self(tool, **arguments)
        assert not result.is_error, text_of(result)
        return text_of(result)

    def fails(self, tool: str, /, **arguments: Any) -> str:
        """Call a tool that answers an error; its text."""
        result = self(tool, **arguments)
        assert result.is_error, text_of(result)
        return text_of(result)

    def tools(self) -> list[Tool]:
        """The tools that it sees."""
        return self.portal.call(self.client.list_tools).tools

    def resources(self) -> list[str]:
        """The resources that it sees, by address."""
        listed = self.portal.call(self.client.list_resources).resources
        return [resource.uri for resource in listed]

    def resource(self, uri: str) -> str:
        """What a resource holds."""
        [contents] = self.portal.call(self.client.read_resource, uri).contents
        text: str = contents.text  # type: ignore[union-attr]  # ours are texts
        return text


def text_of(result: CallToolResult) -> str:
    """The text of a result."""
    [content] = result.content
    assert isinstance(content, TextContent)
    return content.text


@asynccontextmanager
async def over_http(url: str, key: str, mode: ConnectMode = NEWEST) -> AsyncIterator[Client]:
    """A client of the server at `url`."""
    headers = {"Authorization": f"Bearer {key}"}
    async with (
        httpx2.AsyncClient(headers=headers, timeout=60) as http,
        Client(streamable_http_client(f"{url}/mcp", http_client=http), mode=mode) as client,
    ):
        yield client


@asynccontextmanager
async def over_stdio(*options: str, mode: ConnectMode = NEWEST) -> AsyncIterator[Client]:
    """A client of a program that it starts."""
    command = StdioServerParameters(
        command=sys.executable,
        args=["-m", "treering", "mcp", *options],
        env={**os.environ, "TREERING_EMBEDDER": "hash-384"},
    )
    async with Client(command, mode=mode) as client:
        yield client


@contextmanager
def model_at(client: AbstractAsyncContextManager[Client]) -> Iterator[Model]:
    """A model at a client's tools."""
    with (
        start_blocking_portal() as portal,
        portal.wrap_async_context_manager(client) as connected,
    ):
        yield Model(connected, portal)


@pytest.fixture
def key(server: Server) -> str:
    """A key of a new vault."""
    return server.key()


@pytest.fixture
def model(server: Server, key: str) -> Iterator[Model]:
    """A model at the tools of a new vault, over HTTP."""
    with model_at(over_http(server.url, key)) as connected:
        yield connected


@pytest.fixture
def wire(server: Server, key: str) -> Iterator[Wire]:
    """The same vault in plain HTTP."""
    with httpx2.Client(base_url=server.url) as client:
        yield Wire(server, key, client)


@pytest.fixture(params=["http", "http-handshake", "stdio", "stdio-remote"])
def any_model(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Model]:
    """A model at the tools of a new vault, over each transport and either kind of protocol."""
    how: str = request.param
    if how == "stdio":
        client = over_stdio("--data-dir", str(tmp_path / "data"), mode=HANDSHAKE)
    else:
        running: Server = request.getfixturevalue("server")
        fresh = running.key()
        if how == "stdio-remote":
            client = over_stdio("--url", running.url, "--key", fresh)
        else:
            client = over_http(running.url, fresh, NEWEST if how == "http" else HANDSHAKE)
    with model_at(client) as connected:
        yield connected
