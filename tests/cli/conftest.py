"""The program run in this process, over a data directory of its own."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from treering.cli.app import app


@dataclass(frozen=True)
class Ran:
    """What a command printed, and how it ended."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        """The one JSON document on stdout."""
        return json.loads(self.out)


def _heed_ctrl_c() -> None:
    """A shell's background jobs, and so perhaps these tests, are started to ignore Ctrl-C."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


@dataclass
class Program:
    """Runs commands; `where` is the options that name the vault."""

    where: list[str]
    environment: dict[str, str] = field(default_factory=dict)

    def __call__(self, *arguments: str, stdin: str | bytes | None = None, code: int = 0) -> Ran:
        return self.bare(*arguments, *self.where, stdin=stdin, code=code)

    def bare(self, *arguments: str, stdin: str | bytes | None = None, code: int = 0) -> Ran:
        """Run a command without naming the vault."""
        result = CliRunner().invoke(app, arguments, input=stdin, env=self.environment)
        if result.exception is not None and not isinstance(result.exception, SystemExit):
            raise result.exception
        ran = Ran(result.exit_code, result.stdout, result.stderr)
        assert ran.code == code, ran
        return ran

    def start(
        self, *arguments: str, environment: Mapping[str, str] | None = None
    ) -> subprocess.Popen[bytes]:
        """Start a command as a process of its own."""
        return subprocess.Popen(
            [sys.executable, "-m", "treering", *arguments],
            preexec_fn=_heed_ctrl_c,
            env={**os.environ, **self.environment, **(environment or {})},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )


@pytest.fixture(autouse=True)
def _settings_of_the_test_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in list(os.environ):
        if name.startswith("TREERING_"):
            monkeypatch.delenv(name)
    monkeypatch.setenv("TREERING_EMBEDDER", "hash-384")
    monkeypatch.setenv("COLUMNS", "100")


@pytest.fixture
def program(tmp_path: Path) -> Program:
    """The program over an empty data directory."""
    return Program(["--data-dir", str(tmp_path / "data")])


def jsonl(path: Path, *lines: dict[str, Any] | str) -> str:
    """A file of these lines; returns its path."""
    texts = [line if isinstance(line, str) else json.dumps(line) for line in lines]
    path.write_text("".join(f"{text}\n" for text in texts), "utf-8")
    return str(path)


@pytest.fixture
def filled(program: Program, tmp_path: Path) -> Program:
    """The program over a vault of five messages."""
    texts = [
        "Ines: The server listens on port 8412 from today.",
        "Noted, the port is 8412.",
        "Ines: We keep every reading for good, disk is cheap.",
        "Tomasz: The sensors are waterproof and sit in the lid.",
        "evil \x1b[31mred\x1b]0;title\x07 [bold]loud[/bold] \u202e reversed \x9b1m \ud800",
    ]
    lines = [
        {"content": text, "timestamp": f"2026-02-0{day}T10:00:00Z", "session_id": "s"}
        for day, text in enumerate(texts, start=1)
    ]
    program("import", jsonl(tmp_path / "filled.jsonl", *lines))
    return program
