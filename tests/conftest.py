"""Fixtures: one world a test, and the verbs of a vault behind every face."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.support.worlds import Clock, World, hash_embedder, running_server
from treering import RemoteVault, Vault, Verbs
from treering.data_dir import DataDir


@pytest.fixture
def world() -> World:
    return World()


@pytest.fixture
def vault(world: World, tmp_path: Path) -> Iterator[Vault]:
    """A vault in this process."""
    with Vault.open(
        tmp_path / "memory.db", embedder=hash_embedder(), system=world.system()
    ) as opened:
        yield opened


@dataclass(frozen=True)
class Server:
    """A real server that the whole test run shares; every test makes its own keys."""

    url: str
    data_dir: DataDir
    world: World

    def key(self, scopes: list[str] | None = None) -> str:
        """A new key of a new vault."""
        made = self.data_dir.create_key(name="test", scopes=scopes)
        assert made.key is not None
        return made.key


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    world = World()
    with running_server(tmp_path_factory.mktemp("server"), world.system()) as (url, data_dir):
        yield Server(url, data_dir, world)


@dataclass(frozen=True)
class Face:
    """The verbs of an empty vault behind one face, and the clock that it goes by."""

    name: str
    memory: Verbs
    clock: Clock


@pytest.fixture(params=["vault", "http"])
def face(request: pytest.FixtureRequest) -> Iterator[Face]:
    """Every behaviour test runs in-process and over HTTP."""
    if request.param == "vault":
        opened: Vault = request.getfixturevalue("vault")
        own: World = request.getfixturevalue("world")
        yield Face("vault", opened, own.clock)
        return
    running: Server = request.getfixturevalue("server")
    with RemoteVault(running.url, running.key()) as remote:
        yield Face("http", remote, running.world.clock)


@pytest.fixture
def memory(face: Face) -> Verbs:
    return face.memory


@pytest.fixture
def clock(face: Face) -> Clock:
    return face.clock
