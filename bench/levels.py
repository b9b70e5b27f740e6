"""A context call by vault size, a full vault beside a small one."""

from __future__ import annotations

import json
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median, quantiles
from typing import Any

from bench import texts
from treering import Vault
from treering.retrieval.embedder import EmbedderSpec, open_embedder

_START = 1_700_000_000_000
_SEED = 20_260_902
_ROUNDS = 60
_CHUNK = 500


def measure(
    statements: int, messages: int, progress: Callable[[str], None], embedder: str = "minilm-l6-v2"
) -> dict[str, Any]:
    """Milliseconds of a context call in a vault of that size, and in one of 100 statements.

    Both vaults hold reflections, so that both rank candidates.
    """
    model = open_embedder(EmbedderSpec(name=embedder))
    with tempfile.TemporaryDirectory() as folder:
        small = Vault.open(Path(folder) / "small.db", embedder=model)
        full = Vault.open(Path(folder) / "full.db", embedder=model)
        with small, full:
            progress("a vault of 100 statements")
            _fill(small, 100, 100)
            progress(f"a vault of {statements:,} statements and {messages:,} messages")
            seeded = _seeding(full, statements)
            _fill(full, 0, messages)
            seconds: dict[str, list[float]] = {"small": [], "full": []}
            for number in range(_ROUNDS + 3):
                for name, vault in (("small", small), ("full", full)):
                    message = f"Is host{number % 90}.acme.dev slow since the mirror moved?"
                    started = time.perf_counter()
                    vault.context(message)
                    seconds[name].append(time.perf_counter() - started)
    figures: dict[str, float] = dict(seeded)
    for name, values in seconds.items():
        figures[f"{name}_p50_ms"] = median(values[3:]) * 1000
        figures[f"{name}_p95_ms"] = quantiles(values[3:], n=20)[-1] * 1000
    figures["full_over_small"] = figures["full_p50_ms"] / figures["small_p50_ms"]
    return {"statements": statements, "messages": messages, **figures}


def _facts(count: int) -> list[str]:
    return [
        f"The unit-{number} service listens on port {10_000 + number} at host{number}.acme.dev."
        for number in range(count)
    ]


def _fill(vault: Vault, statements: int, messages: int) -> None:
    _seed(vault, _facts(statements))
    lines = [json.dumps(line) for line in texts.lines(messages, _SEED, _START)]
    vault.change_settings(capture=False)
    for first in range(0, len(lines), 5_000):
        vault.upload(lines[first : first + 5_000])
    batch = vault.checkout(1)
    if batch.batch_id is not None:
        entries = [
            {"text": f"The mirror number {number} moved to another rack.", "importance": 5}
            for number in range(10)
        ]
        vault.commit(batch.batch_id, entries)


def _seed(vault: Vault, facts: list[str]) -> float:
    started = time.perf_counter()
    for first in range(0, len(facts), _CHUNK):
        vault.store(facts[first : first + _CHUNK])
    return time.perf_counter() - started


def _seeding(vault: Vault, statements: int) -> dict[str, float]:
    """Seconds that a seed list takes, and the same list again."""
    facts = _facts(statements)
    return {"seeding_s": _seed(vault, facts), "seeding_again_s": _seed(vault, facts)}
