"""Queries of one vault's file."""

from __future__ import annotations

import json
import uuid
from collections.abc import Generator, Iterator, Sequence
from contextlib import closing
from typing import Any, cast

import apsw

from treering.model import Kind, Level, Memory, Source, Tally, Tier, Window
from treering.rules.instants import DAY_MS
from treering.store.base import (
    BatchRecord,
    BatchState,
    Dated,
    Head,
    IndexLink,
    IndexRow,
    Known,
    Pending,
    UsageTotal,
)
from treering.store.sqlite.text import loaded

_MEMORY = """
SELECT m.seq, m.id, m.kind, m.tier, m.level, m.role, ifnull(w.content, b.content), m.date,
       m.created, m.tokens, m.source, s.id, m.covers_from, m.covers_to, m.importance, m.batch,
       m.accessed, m.accesses
FROM memory m JOIN body b ON b.memory = m.seq LEFT JOIN wording w ON w.seq = m.wording
    LEFT JOIN session s ON s.number = m.session
WHERE m.seq = ?"""

INDEX_COLUMNS = """
SELECT m.seq, m.tier, m.kind, m.level, ifnull(m.importance, 0), m.date,
       ifnull(m.covers_from, m.date), ifnull(m.covers_to, m.date), ifnull(m.session, 0), m.speaker,
       CASE WHEN m.source = 'rules'
            THEN ifnull((SELECT max(message) FROM origin
                         WHERE statement = m.seq AND wording = ifnull(m.wording, 0)), 0)
            ELSE 0 END,
       p.terms, p.vector"""

_INDEX_ROWS = f"""{INDEX_COLUMNS}
FROM memory m CROSS JOIN passage p ON p.memory = m.seq
ORDER BY m.seq, p.number"""

_CHANGED_INDEX_ROWS = f"""{INDEX_COLUMNS}
FROM memory m INDEXED BY memory_changed CROSS JOIN passage p ON p.memory = m.seq
WHERE m.changed > ?
ORDER BY m.seq, p.number"""

_CHANGED_INDEX_LINKS = """
SELECT l.reflection, l.source, l.weight
FROM memory m INDEXED BY memory_changed CROSS JOIN support l ON l.reflection = m.seq
WHERE m.changed > ?"""

_DATED = """
SELECT seq, tier, ifnull(covers_from, date), ifnull(covers_to, date), tokens, ifnull(importance, 0)
FROM memory"""

_SPAN = """
SELECT (SELECT min(date) FROM memory WHERE tier = ?1),
       (SELECT max(date) FROM memory WHERE tier = ?1)"""

_KNOWN = "SELECT m.seq, m.id, m.digest, m.date, m.dated, m.created FROM memory m"

_BATCH = """
SELECT seq, id, tier, state, expires, covers_from, covers_to, size, created, consolidated
FROM batch"""


class SqliteReader:
    """A connection's view of the vault; see `store.base.Reader`."""

    def __init__(self, connection: apsw.Connection) -> None:
        self._connection = connection

    def _rows(self, sql: str, *values: apsw.SQLiteValue) -> Generator[tuple[Any, ...]]:
        """The rows of a query; leaving the iterator early ends the query."""
        cursor = self._connection.execute(sql, values)
        try:
            yield from cursor
        finally:
            cursor.close()

    def _all(self, sql: str, *values: apsw.SQLiteValue) -> list[tuple[Any, ...]]:
        return self._connection.execute(sql, values).fetchall()

    def _row(self, sql: str, *values: apsw.SQLiteValue) -> tuple[Any, ...] | None:
        return cast("tuple[Any, ...] | None", self._connection.execute(sql, values).fetchone())

    def _numbers(self, sql: str, *values: apsw.SQLiteValue) -> list[int]:
        return [row[0] for row in self._all(sql, *values)]

    def head(self) -> Head:
        rows = self._all("SELECT epoch, change, pending, embedder FROM vault")
        return Head(*rows[0])

    def tallies(self) -> list[Tally]:
        rows = self._all("SELECT kind, tier, level, pooled, count, tokens, importance FROM tally")
        return [
            Tally(Kind(kind), Tier(tier), Level(level), bool(pooled), count, tokens, importance)
            for kind, tier, level, pooled, count, tokens, importance in rows
        ]

    def span(self) -> Window | None:
        bounds = [
            row
            for tier in Tier
            if (row := self._row(_SPAN, tier)) is not None and row[0] is not None
        ]
        if not bounds:
            return None
        return Window(min(row[0] for row in bounds), max(row[1] for row in bounds))

    def memories(self, seqs: Sequence[int]) -> dict[int, Memory]:
        found = (self._row(_MEMORY, seq) for seq in seqs)
        return {row[0]: _memory(row) for row in found if row}

    def seqs_of(self, ids: Sequence[str]) -> dict[str, int]:
        found: dict[str, int] = {}
        for memory_id in ids:
            key = key_of(memory_id)
            row = key and self._row("SELECT seq FROM memory WHERE id = ?", key)
            if row:
                found[memory_id] = row[0]
        return found

    def session_number(self, session_id: str) -> int | None:
        row = self._row("SELECT number FROM session WHERE id = ?", session_id)
        return row[0] if row else None

    def index_rows(self, after: int) -> Iterator[IndexRow]:
        rows = self._rows(_CHANGED_INDEX_ROWS, after) if after else self._rows(_INDEX_ROWS)
        return cast("Iterator[IndexRow]", rows)

    def index_links(self, after: int) -> Iterator[IndexLink]:
        if after == 0:
            rows = self._rows("SELECT reflection, source, weight FROM support")
        else:
            rows = self._rows(_CHANGED_INDEX_LINKS, after)
        return cast("Iterator[IndexLink]", rows)

    def gone(self, after: int) -> list[int]:
        return self._numbers("SELECT memory FROM tombstone WHERE changed > ?", after)

    def raw_dates(self, window: Window, newest_first: bool) -> Generator[Dated]:
        order = "date DESC, seq DESC" if newest_first else "date, seq"
        rows = self._rows(
            f"{_DATED} WHERE tier = 1 AND source <> 'rules' AND date >= ? AND date < ? "
            f"ORDER BY {order}",
            window.start,
            window.end,
        )
        with closing(rows):
            yield from map(_dated, rows)

    def reflections(self, window: Window) -> list[Dated]:
        rows = self._all(
            f"{_DATED} WHERE covers_to >= ? AND covers_from < ?", window.start, window.end
        )
        return [_dated(row) for row in rows]

    def dates(self, seqs: Sequence[int]) -> list[Dated]:
        sql = f"{_DATED} WHERE seq = ? AND source <> 'rules'"
        found = (self._row(sql, seq) for seq in seqs)
        return [_dated(row) for row in found if row]

    def spans(self, seq: int) -> list[tuple[int, int]]:
        sql = "SELECT start, end FROM passage WHERE memory = ? ORDER BY number"
        return cast("list[tuple[int, int]]", self._all(sql, seq))

    def batch(self, batch_id: str) -> BatchRecord | None:
        row = self._row(f"{_BATCH} WHERE id = ?", batch_id) if batch_id.isprintable() else None
        return _batch(row) if row else None

    def batch_by_seq(self, seq: int) -> BatchRecord | None:
        row = self._row(f"{_BATCH} WHERE seq = ?", seq)
        return _batch(row) if row else None

    def members(self, batch_seq: int) -> list[int]:
        return self._numbers(
            "SELECT m.seq FROM member b CROSS JOIN memory m ON m.seq = b.memory "
            "WHERE b.batch = ? ORDER BY m.date, m.seq",
            batch_seq,
        )

    def made_by(self, batch_seq: int) -> list[int]:
        return self._numbers("SELECT seq FROM memory WHERE batch = ? ORDER BY seq", batch_seq)

    def support(self, reflection_seq: int) -> dict[int, float]:
        rows = self._all("SELECT source, weight FROM support WHERE reflection = ?", reflection_seq)
        return dict(rows)

    def built_on(self, seqs: Sequence[int]) -> list[int]:
        built: dict[int, None] = {}
        for seq in seqs:
            for reflection in self._numbers(
                "SELECT r.seq FROM member b CROSS JOIN memory r ON r.batch = b.batch "
                "WHERE b.memory = ? ORDER BY r.seq",
                seq,
            ):
                built[reflection] = None
        return list(built)

    def captured_from(self, message_seq: int) -> list[int]:
        return self._numbers("SELECT statement FROM origin WHERE message = ?", message_seq)

    def captured_in(self, statement_seq: int) -> list[int]:
        return self._numbers(
            "SELECT o.message FROM origin o CROSS JOIN memory m ON m.seq = o.message "
            "WHERE o.statement = ? ORDER BY m.date, m.seq",
            statement_seq,
        )

    def vectors(self, seqs: Sequence[int]) -> dict[int, list[bytes | None]]:
        return {
            seq: [
                row[0]
                for row in self._all(
                    "SELECT vector FROM passage WHERE memory = ? ORDER BY number", seq
                )
            ]
            for seq in seqs
        }

    def pending(self, limit: int, seqs: Sequence[int] | None = None) -> list[Pending]:
        sql = (
            "SELECT p.memory, p.number, p.start, p.end, m.digest, ifnull(w.content, b.content) "
            "FROM passage p CROSS JOIN body b ON b.memory = p.memory "
            "CROSS JOIN memory m ON m.seq = p.memory "
            "LEFT JOIN wording w ON w.seq = m.wording WHERE p.vector IS NULL"
        )
        if seqs is None:
            rows = self._all(f"{sql} ORDER BY p.memory, p.number LIMIT ?", limit)
        else:
            rows = [row for seq in seqs for row in self._all(f"{sql} AND p.memory = ?", seq)]
        return [
            Pending(seq, number, loaded(content)[start:end], digest)
            for seq, number, start, end, digest, content in rows[:limit]
        ]

    def usage(self, start: int, end: int) -> list[UsageTotal]:
        rows = self._all(
            f"SELECT at / {DAY_MS}, endpoint, session, key_id, count(*), sum(tokens) FROM usage "
            "WHERE at >= ? AND at < ? GROUP BY 1, 2, 3, 4 ORDER BY 1, 2, 3, 4",
            start,
            end,
        )
        return [UsageTotal(*row) for row in rows]

    def tail(self, session_id: str, limit: int) -> list[Known]:
        rows = self._all(
            f"{_KNOWN} WHERE m.session = (SELECT number FROM session WHERE id = ?) "
            "AND m.kind = 1 ORDER BY m.seq DESC LIMIT ?",
            session_id,
            limit,
        )
        return [_known(row) for row in reversed(rows)]

    def known(self, digest: bytes, session_id: str | None, date: int | None = None) -> list[Known]:
        session = None if session_id is None else self.session_number(session_id)
        if session is None and session_id is not None:
            return []
        sql = f"{_KNOWN} WHERE m.digest = ?1 AND m.session IS ?2 AND m.kind = 1"
        if date is None:
            rows = self._all(f"{sql} ORDER BY m.seq", digest, session)
        else:
            rows = self._all(f"{sql} AND m.date = ?3 ORDER BY m.seq", digest, session, date)
        return [_known(row) for row in rows]

    def recent_request(self, digest: bytes, since: int) -> tuple[bytes, list[str | None]] | None:
        row = self._row("SELECT body, ids FROM request WHERE digest = ? AND at >= ?", digest, since)
        return (row[0], json.loads(row[1])) if row else None


def key_of(memory_id: str) -> bytes | None:
    """A memory's id as it is stored; None for what is no id."""
    try:
        parsed = uuid.UUID(memory_id)
    except ValueError:
        return None
    return parsed.bytes if str(parsed) == memory_id.lower() else None


def _memory(row: tuple[Any, ...]) -> Memory:
    covers = Window(row[12], row[13]) if row[12] is not None else None
    return Memory(
        seq=row[0],
        id=str(uuid.UUID(bytes=row[1])),
        kind=Kind(row[2]),
        tier=Tier(row[3]),
        level=Level(row[4]),
        role=row[5],
        content=loaded(row[6]),
        date=row[7],
        created=row[8],
        tokens=row[9],
        source=Source(row[10]),
        session_id=row[11],
        covers=covers,
        importance=row[14],
        batch=row[15],
        accessed=row[16],
        access_count=row[17],
    )


def _dated(row: tuple[Any, ...]) -> Dated:
    return Dated(row[0], row[1], Window(row[2], row[3]), row[4], row[5])


def _known(row: tuple[Any, ...]) -> Known:
    return Known(row[0], str(uuid.UUID(bytes=row[1])), row[2], row[3], bool(row[4]), row[5])


def _batch(row: tuple[Any, ...]) -> BatchRecord:
    return BatchRecord(
        seq=row[0],
        id=row[1],
        tier=Tier(row[2]),
        state=BatchState(row[3]),
        expires=row[4],
        covers=Window(row[5], row[6]),
        size=row[7],
        created=[(memory_id, importance) for memory_id, importance in json.loads(row[8])],
        consolidated=row[9],
    )
