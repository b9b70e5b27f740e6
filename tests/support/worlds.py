"""A clock, ids and random bytes that the test owns, and ways to stand up what it talks to."""

from __future__ import annotations

import itertools
import threading
import time
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import uvicorn
from fastapi import FastAPI

from treering.data_dir import DataDir
from treering.http.app import create_app
from treering.http.protocol import DeadlineProtocol
from treering.retrieval.embedder import Embedder, EmbedderSpec, open_embedder
from treering.settings import Settings
from treering.system import System

START = 1_788_220_800_000
"""2026-09-01T00:00:00Z, where every test's clock starts."""


@dataclass
class Clock:
    """A clock that moves when it is told to."""

    ms: int = START

    def now(self) -> int:
        return self.ms

    def advance(self, *, seconds: float = 0, minutes: float = 0, days: float = 0) -> None:
        self.ms += round(1000 * (seconds + 60 * minutes + 86_400 * days))


@dataclass
class World:
    """What comes from outside, under the test's control; ids count up from 1."""

    clock: Clock = field(default_factory=Clock)
    _counter: Iterator[int] = field(default_factory=lambda: itertools.count(1))
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def system(self) -> System:
        return System(
            now=self.clock.now, new_id=self._new_id, random=self._random, monotonic=time.monotonic
        )

    def _next(self) -> int:
        with self._lock:
            return next(self._counter)

    def _new_id(self) -> str:
        return str(uuid.UUID(int=self._next()))

    def _random(self, size: int) -> bytes:
        return self._next().to_bytes(size, "big")


def hash_embedder() -> Embedder:
    """The embedder of tests that are not about meaning."""
    return open_embedder(EmbedderSpec(name="hash-384"))


@contextmanager
def running_server(
    path: Path, system: System, embedder: Embedder | None = None
) -> Iterator[tuple[str, DataDir]]:
    """A real server on a free port of this machine: its URL, and its data directory."""
    settings = Settings(data_dir=path, embedder="hash-384")
    data_dir = DataDir(path, embedder or hash_embedder(), system)
    with serving(create_app(data_dir, settings)) as url:
        yield url, data_dir


@contextmanager
def serving(app: FastAPI) -> Iterator[str]:
    """An application on a free port of this machine: its URL."""
    config = uvicorn.Config(
        app, port=0, log_level="error", lifespan="on", http=DeadlineProtocol, backlog=128
    )
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    while not server.started:
        assert thread.is_alive(), "the server stopped while it started"
        time.sleep(0.01)
    port = server.servers[0].sockets[0].getsockname()[1]
    try:
        yield f"http://127.0.0.1:{port}"
    finally:
        server.should_exit = True
        thread.join()
