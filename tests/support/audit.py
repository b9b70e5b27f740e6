"""A vault's file, recounted: what must hold whatever happened to the processes that wrote it."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from concurrent.futures import Executor, ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import apsw

_NOTHING = {
    "a memory without its text or its passages": """
        SELECT seq FROM memory WHERE
            wording IS NULL AND seq NOT IN (SELECT memory FROM body WHERE content <> '')
            OR seq NOT IN (SELECT memory FROM passage)""",
    "text or passages of a memory that is gone": """
        SELECT memory FROM body WHERE content <> '' AND memory NOT IN (SELECT seq FROM memory)
        UNION SELECT memory FROM passage WHERE memory NOT IN (SELECT seq FROM memory)""",
    "passages that are not numbered through": """
        SELECT memory FROM passage GROUP BY memory HAVING count(*) <> max(number) + 1""",
    "an emptied row without its tombstone": """
        SELECT memory FROM body WHERE content = '' AND memory NOT IN
            (SELECT memory FROM tombstone UNION SELECT seq FROM memory WHERE wording <> 0)""",
    "a count of emptied rows that is wrong": """
        SELECT emptied FROM vault WHERE emptied <>
            (SELECT count(*) FROM body WHERE content = '' AND memory NOT IN
             (SELECT seq FROM memory))""",
    "a sum that is not what it sums": """
        SELECT kind, tier, level, pooled, count, tokens, importance FROM tally WHERE count <> 0
            OR tokens <> 0 OR importance <> 0
        EXCEPT SELECT kind, tier, level, pooled, count(*), sum(tokens), sum(ifnull(importance, 0))
            FROM memory GROUP BY kind, tier, level, pooled""",
    "memories that no sum counts": """
        SELECT kind, tier, level, pooled, count(*), sum(tokens), sum(ifnull(importance, 0))
            FROM memory GROUP BY kind, tier, level, pooled
        EXCEPT SELECT kind, tier, level, pooled, count, tokens, importance FROM tally""",
    "a count of pending vectors that is wrong": """
        SELECT pending FROM vault WHERE pending <>
            (SELECT count(*) FROM passage WHERE vector IS NULL)""",
    "a memory consolidated twice": """
        SELECT m.memory FROM member m JOIN batch b ON b.seq = m.batch AND b.state = 'committed'
            GROUP BY m.memory HAVING count(*) > 1""",
    "a memory out of the pool without a batch that consolidated it": """
        SELECT seq FROM memory WHERE pooled = 0 AND tier < 3 AND source <> 'rules' AND seq NOT IN
            (SELECT m.memory FROM member m JOIN batch b ON b.seq = m.batch
             WHERE b.state = 'committed')""",
    "a consolidated memory in the pool": """
        SELECT m.seq FROM memory m JOIN member i ON i.memory = m.seq
            JOIN batch b ON b.seq = i.batch AND b.state = 'committed' WHERE m.pooled = 1""",
    "a lease of a batch that is over": """
        SELECT l.memory FROM lease l JOIN batch b ON b.seq = l.batch WHERE b.state <> 'leased'""",
    "a committed batch without its reflections": """
        SELECT seq FROM batch WHERE state = 'committed' AND json_array_length(created) = 0""",
    "a reflection of a batch that is not committed": """
        SELECT m.seq FROM memory m JOIN batch b ON b.seq = m.batch WHERE b.state <> 'committed'""",
    "something stored without being metered": """
        SELECT 1 FROM vault WHERE (SELECT sum(tokens) FROM memory WHERE kind = 1) >
            (SELECT ifnull(sum(tokens), 0) FROM usage WHERE endpoint IN
                ('ingest', 'upload', 'turns', 'memories', 'edit', 'tensions'))""",
}


class Audit:
    """A look at a vault's file through a connection of its own."""

    def __init__(self, path: Path) -> None:
        self._connection = apsw.Connection(str(path))
        self._connection.set_busy_timeout(10_000)

    def __enter__(self) -> Audit:
        return self

    def __exit__(self, *_: object) -> None:
        self._connection.close()

    def check(self) -> None:
        """Assert everything that holds of any vault at rest."""
        assert self._connection.pragma("integrity_check") == "ok"
        assert self.rows("PRAGMA foreign_key_check") == []
        self.recount()

    def recount(self) -> None:
        """Assert that sums, leases and lineage are what their rows say."""
        for wrong, sql in _NOTHING.items():
            assert self.rows(sql) == [], wrong

    def contents(self) -> list[str]:
        """The text of every message, in order of arrival."""
        return [
            row[0]
            for row in self.rows(
                "SELECT b.content FROM memory m JOIN body b ON b.memory = m.seq "
                "WHERE m.kind = 1 ORDER BY m.seq"
            )
        ]

    def one(self, sql: str, *values: Any) -> Any:
        """The single value that a query answers."""
        return self.rows(sql, *values)[0][0]

    def rows(self, sql: str, *values: Any) -> list[tuple[Any, ...]]:
        """All rows that a query answers."""
        return self._connection.execute(sql, values).fetchall()


def check(path: Path) -> None:
    """Assert everything that holds of any vault at rest."""
    with Audit(path) as audit:
        audit.check()


def processes(count: int) -> ProcessPoolExecutor:
    """Processes that share nothing with this one."""
    return ProcessPoolExecutor(count, mp_context=get_context("spawn"))


def wait_until(holds: Callable[..., bool], *values: Any, seconds: float = 20) -> None:
    """Wait for what comes true in a moment: that `holds` says so of these values."""
    deadline = time.monotonic() + seconds
    while not holds(*values):
        assert time.monotonic() < deadline, "it did not come true"
        time.sleep(0.02)


def gone_from_files(elsewhere: Executor, folder: Path, markers: Iterable[str]) -> bool:
    """Whether none of those markers stands in a file under a folder; read by another process."""
    return not elsewhere.submit(found_in_files, folder, markers).result()


def found_in_files(folder: Path, markers: Iterable[str]) -> list[str]:
    """Those markers that stand in some file under a folder, as UTF-8.

    Run it in a process that has none of the files open: closing one would drop SQLite's locks.
    """
    raw = [path.read_bytes() for path in folder.rglob("*") if path.is_file()]
    return [marker for marker in markers if any(marker.encode() in data for data in raw)]
