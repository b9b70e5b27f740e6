"""A vault spoken to in plain HTTP."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import httpx2
import pytest
from fastapi import FastAPI

from tests.conftest import Server
from tests.support.worlds import World, hash_embedder
from treering.data_dir import DataDir
from treering.http.app import create_app
from treering.settings import Settings

SCOPES = [
    "memories:read",
    "memories:write",
    "memories:reflect",
    "memories:delete",
    "stats:read",
    "keys:manage",
]


@dataclass(frozen=True)
class Wire:
    """Requests to the vault of one key."""

    server: Server
    key: str
    client: httpx2.Client

    def request(
        self, method: str, path: str, headers: dict[str, str] | None = None, **content: Any
    ) -> httpx2.Response:
        sent = {"Authorization": f"Bearer {self.key}", **(headers or {})}
        return self.client.request(method, path, headers=sent, **content)

    def get(self, path: str) -> httpx2.Response:
        return self.request("GET", path)

    def post(
        self, path: str, body: Any = None, headers: dict[str, str] | None = None
    ) -> httpx2.Response:
        return self.request("POST", path, headers, json=body)

    def with_key(self, key: str) -> Wire:
        """The same server through another key."""
        return replace(self, key=key)


@pytest.fixture
def anyone(server: Server) -> Iterator[httpx2.Client]:
    """Somebody without a key."""
    with httpx2.Client(base_url=server.url) as client:
        yield client


@pytest.fixture
def wire(server: Server, anyone: httpx2.Client) -> Wire:
    """A new vault, through a key that may do everything."""
    return Wire(server, server.key(SCOPES), anyone)


@pytest.fixture
def data_dir(world: World, tmp_path: Path) -> Iterator[DataDir]:
    """Storage in this process."""
    opened = DataDir(tmp_path, hash_embedder(), world.system())
    yield opened
    opened.close()


@pytest.fixture
def app(data_dir: DataDir) -> FastAPI:
    """The application over that storage, called without a server."""
    return create_app(data_dir, Settings(data_dir=data_dir.path, embedder="hash-384"))
