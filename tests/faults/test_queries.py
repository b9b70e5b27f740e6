"""No query walks a big table where an index should serve, however large the vault is."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import apsw
import pytest

from tests.support.audit import Audit
from tests.support.worlds import World, hash_embedder
from treering import Vault
from treering.replies import Batch
from treering.requests.lines import MAX_LINES
from treering.store.sqlite import reader

BIG = ("memory", "body", "passage", "member", "usage", "support", "session", "tombstone", "m", "b")
LOADING = {reader._INDEX_ROWS, "SELECT reflection, source, weight FROM support"}
"""The queries that read everything: they load the index."""


class Traced:
    """What every connection that is opened from now on runs."""

    def __init__(self) -> None:
        self.statements: set[str] = set()
        self.steps = 0

    def _note(self, event: dict[str, Any]) -> None:
        self.statements.add(event["sql"])
        self.steps += event["stmt_status"]["SQLITE_STMTSTATUS_VM_STEP"]

    def hook(self, connection: apsw.Connection) -> None:
        connection.trace_v2(apsw.SQLITE_TRACE_PROFILE, self._note)

    def counted(self, act: Callable[[], object]) -> int:
        """The steps of SQLite's machine that `act` takes."""
        before = self.steps
        act()
        return self.steps - before


@contextmanager
def traced() -> Iterator[Traced]:
    trace = Traced()
    apsw.connection_hooks.append(trace.hook)
    try:
        yield trace
    finally:
        apsw.connection_hooks.remove(trace.hook)


def filled(path: Path, world: World, size: int) -> Vault:
    """A vault of so many messages, a tenth of them consolidated over both tiers."""
    vault = Vault.open(path, embedder=hash_embedder(), system=world.system())
    lines = [
        json.dumps(
            {
                "content": "yes" if n % 3 == 0 else f"turn {n} of talk {n % 70}",
                "session_id": f"s{n % 70}",
                "timestamp": 1_700_000_000_000 + 60_000 * n,
            }
        )
        for n in range(size)
    ]
    for first in range(0, size, MAX_LINES):
        vault.upload(lines[first : first + MAX_LINES])
    for tier, batches in ((1, size // 1000), (2, 1)):
        for _ in range(batches):
            batch = vault.checkout(tier, max_tokens=1000)
            assert isinstance(batch, Batch)
            vault.commit(
                batch.batch_id, [{"text": f"sum of {batch.batch_id}", "importance": 5}] * 5
            )
    for n in range(20):
        vault.search(f"turn {n}")
    return vault


def verbs(vault: Vault) -> dict[str, Callable[[], object]]:
    """Each verb on a small thing, so that its cost should not hang on the size of the vault."""
    ids = vault.ingest(
        [{"role": "user", "content": f"to be deleted {n}"} for n in range(5)], session_id="s1"
    ).ids
    taken: list[Batch] = []

    def checkout() -> None:
        batch = vault.checkout(1, max_tokens=1000)
        assert isinstance(batch, Batch)
        taken.append(batch)

    entry = {"text": "a sum", "importance": 4}
    reflection = next(row.id for row in vault.search("sum of", tiers=[2, 3]).memories)
    return {
        "ingest": lambda: vault.ingest([{"role": "user", "content": "new today"}]),
        "ingest into a session": lambda: vault.ingest(
            [{"role": "user", "content": "yes"}, {"role": "user", "content": "new here"}],
            session_id="s3",
        ),
        "ingest into a new session": lambda: vault.ingest(
            [{"role": "user", "content": "first words"}], session_id="s-new"
        ),
        "ingest of a dated message that was said often": lambda: vault.ingest(
            [{"role": "user", "content": "yes", "timestamp": 1_700_000_000_007}], session_id="s3"
        ),
        "upload": lambda: vault.upload(['{"content": "a line"}']),
        "search": lambda: vault.search("turn 77", limit=5),
        "prepare": lambda: vault.prepare([{"role": "user", "content": "what of turn 77?"}]),
        "date-search": lambda: vault.date_search(
            "2023-11-15", "2023-11-16", max_tokens=1000, tiers=[1]
        ),
        "inspect a message": lambda: vault.inspect(str(ids[0])),
        "inspect a reflection": lambda: vault.inspect(reflection),
        "checkout": checkout,
        "commit": lambda: vault.commit(taken[0].batch_id, [entry]),
        "delete": lambda: vault.delete([str(memory_id) for memory_id in ids]),
        "debt": vault.debt,
        "stats": vault.stats,
    }


def test_no_query_scans_a_big_table(world: World, tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    with traced() as trace, filled(path, world, 3000) as vault:
        for act in verbs(vault).values():
            act()
        vault.usage()
        vault.wipe(session_id="s4")
    with Audit(path) as audit:
        scans = [
            (sql, step[3])
            for sql in sorted(trace.statements)
            if sql.split()[0] in ("SELECT", "INSERT", "UPDATE", "DELETE") and sql not in LOADING
            for step in audit.rows(f"EXPLAIN QUERY PLAN {sql}", *[None] * _parameters(sql))
            if step[3].split()[0] == "SCAN" and step[3].split()[1] in BIG
        ]
    assert len(trace.statements) > 40
    assert scans == []


@pytest.mark.parametrize(
    ("small", "large"), [(1000, 5000), pytest.param(9000, 200_000, marks=pytest.mark.soak)]
)
def test_no_verb_takes_more_steps_in_a_larger_vault(tmp_path: Path, small: int, large: int) -> None:
    steps: list[dict[str, int]] = []
    for size in (small, large):
        with traced() as trace, filled(tmp_path / f"{size}.db", World(), size) as vault:
            vault.wait_filled()
            steps.append({name: trace.counted(act) for name, act in verbs(vault).items()})
    few, many = steps
    grown = {name: (few[name], many[name]) for name in few if many[name] > 1.5 * few[name] + 100}
    assert grown == {}


def test_reading_the_debt_reads_the_sums_alone(world: World, tmp_path: Path) -> None:
    with traced() as trace, filled(tmp_path / "a.db", world, 1000) as vault:
        trace.statements.clear()
        vault.debt()
        assert {sql.split(" FROM ")[1] for sql in trace.statements} == {"tally"}


def _parameters(sql: str) -> int:
    numbered = [n for n in range(1, 30) if f"?{n}" in sql]
    return len(numbered) or sql.count("?")
