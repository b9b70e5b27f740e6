"""The corpus: hand-written cases, a quarter held out from tuning, and how they are scored."""

from __future__ import annotations

import sys
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

HALVES = ("tuned", "held_out")
_ROOT = Path(__file__).parent / "corpus"


def load(half: str, name: str) -> dict[str, list[Any]]:
    return tomllib.loads((_ROOT / half / f"{name}.toml").read_text("utf-8"))


@dataclass(frozen=True)
class Turn:
    """A message and what is expected of it; `optional` statements may or may not be kept."""

    message: str
    keeps: list[str] = field(default_factory=list)
    optional: list[str] = field(default_factory=list)
    rejected: int | None = None
    is_question: bool = False


def turns(half: str) -> Iterator[Turn]:
    cases = load(half, "capture")
    yield from (Turn(message, [message]) for message in cases["whole"])
    yield from (Turn(message) for message in cases["nothing"])
    yield from (Turn(message, is_question=True) for message in cases["question"])
    yield from (Turn(**part) for part in cases["parts"])


@dataclass
class Score:
    """True and false positives and misses; a false alarm may weigh more than once."""

    right: int = 0
    false: int = 0
    missed: int = 0

    def precision(self, weight: int = 1) -> float:
        return self.right / (self.right + weight * self.false)

    @property
    def recall(self) -> float:
        return self.right / (self.right + self.missed)


def report(line: str) -> None:
    """Print a figure; `pytest -rP` or `-s` shows it."""
    sys.stdout.write(line + "\n")
