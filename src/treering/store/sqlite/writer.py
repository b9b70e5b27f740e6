"""One transaction on one vault's file."""

from __future__ import annotations

import json
import uuid
from collections.abc import Generator, Iterable, Sequence

import apsw

from treering.model import Kind, Tier, Window
from treering.store.base import (
    BatchRecord,
    IndexLink,
    NewMemory,
    NewPassage,
    Pending,
    PoolRow,
    UsageEvent,
)
from treering.store.sqlite.reader import SqliteReader
from treering.store.sqlite.text import stored

_INSERT_MEMORY = """
INSERT INTO memory (id, kind, tier, level, source, role, session, date, created, accessed,
    covers_from, covers_to, importance, tokens, digest, dated, speaker, pooled, batch, changed)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"""

_POOL = """
SELECT m.seq, m.id, m.tokens, m.importance,
       ifnull(m.covers_from, m.date), ifnull(m.covers_to, m.date)
FROM memory m INDEXED BY memory_pool LEFT JOIN lease l ON l.memory = m.seq
WHERE m.pooled = 1 AND m.tier = ? AND (l.expires IS NULL OR l.expires <= ?)
ORDER BY m.date, m.seq"""

_TAKE_OVER = """
UPDATE batch SET expires = 0
WHERE state = 'leased' AND seq IN (SELECT batch FROM lease WHERE memory = ?)"""

_OWNED_BY_MEMORY = (
    "DELETE FROM passage WHERE memory = ?",
    "UPDATE body SET content = '' WHERE memory = ?",
    "DELETE FROM memory_domain WHERE memory = ?",
    "DELETE FROM lease WHERE memory = ?",
    "DELETE FROM origin WHERE statement = ?",
    "DELETE FROM origin WHERE message = ?",
    "DELETE FROM support WHERE reflection = ?",
    "DELETE FROM support WHERE source = ?",
    "DELETE FROM memory WHERE seq = ?",
)

_WIPED = (
    "passage",
    "body",
    "lease",
    "origin",
    "support",
    "member",
    "tombstone",
    "request",
    "memory",
    "session",
)


class SqliteWriter(SqliteReader):
    """A transaction's view of the vault; see `store.base.Writer`."""

    def __init__(self, connection: apsw.Connection) -> None:
        super().__init__(connection)
        self._change: int | None = None

    def add(self, memories: Sequence[NewMemory], now: int) -> list[int]:
        return [self._add(memory, now) for memory in memories]

    def remember_request(
        self, digest: bytes, body: bytes, ids: Sequence[str | None], now: int, forget_before: int
    ) -> None:
        self._run("DELETE FROM request WHERE at < ?", forget_before)
        self._run(
            "INSERT OR REPLACE INTO request (digest, body, at, ids) VALUES (?, ?, ?, ?)",
            digest,
            body,
            now,
            json.dumps(ids),
        )

    def pool(self, tier: Tier, now: int) -> Generator[PoolRow]:
        for seq, key, tokens, importance, start, end in self._rows(_POOL, tier, now):
            yield PoolRow(seq, str(uuid.UUID(bytes=key)), tokens, importance, Window(start, end))

    def lease(
        self,
        batch_id: str,
        tier: Tier,
        members: Sequence[PoolRow],
        covers: Window,
        now: int,
        expires: int,
    ) -> None:
        self._run(
            "INSERT INTO batch (id, tier, state, leased, expires, covers_from, covers_to, size) "
            "VALUES (?, ?, 'leased', ?, ?, ?, ?, ?)",
            batch_id,
            tier,
            now,
            expires,
            covers.start,
            covers.end,
            len(members),
        )
        batch = self._connection.last_insert_rowid()
        # A batch whose memories another takes over is over, even if the clock is set back.
        self._connection.executemany(_TAKE_OVER, ((member.seq,) for member in members))
        self._connection.executemany(
            "INSERT INTO member (batch, memory) VALUES (?, ?)",
            ((batch, member.seq) for member in members),
        )
        self._connection.executemany(
            "INSERT OR REPLACE INTO lease (memory, batch, expires) VALUES (?, ?, ?)",
            ((member.seq, batch, expires) for member in members),
        )

    def commit_batch(
        self,
        batch: BatchRecord,
        created: Sequence[tuple[str, int]],
        sources: Sequence[int],
        now: int,
    ) -> None:
        self._run(
            "UPDATE batch SET state = 'committed', created = ?, consolidated = ?, committed = ? "
            "WHERE seq = ?",
            json.dumps(created),
            len(sources),
            now,
            batch.seq,
        )
        self._run("DELETE FROM lease WHERE batch = ?", batch.seq)
        self._connection.executemany(
            "UPDATE memory SET pooled = 0 WHERE seq = ?", ((seq,) for seq in sources)
        )

    def add_support(self, links: Iterable[IndexLink]) -> None:
        self._connection.executemany(
            "INSERT INTO support (reflection, source, weight) VALUES (?, ?, ?)", links
        )

    def revert_batch(self, batch: BatchRecord) -> None:
        self._run("UPDATE batch SET state = 'reverted' WHERE seq = ?", batch.seq)
        self._connection.executemany(
            "UPDATE memory SET pooled = 1 WHERE seq = ?",
            ((seq,) for seq in self.members(batch.seq)),
        )

    def delete(self, seqs: Sequence[int]) -> None:
        if not seqs:
            return
        change = self._next_change()
        for sql in _OWNED_BY_MEMORY:
            self._connection.executemany(sql, ((seq,) for seq in seqs))
        self._connection.executemany(
            "INSERT INTO tombstone (changed, memory) VALUES (?, ?)", ((change, seq) for seq in seqs)
        )
        self._run("UPDATE vault SET deleted = ?, emptied = emptied + ?", change, len(seqs))

    def session_seqs(self, session_id: str, kind: Kind | None = None) -> list[int]:
        return self._numbers(
            "SELECT m.seq FROM session s CROSS JOIN memory m ON m.session = s.number "
            "WHERE s.id = ?1 AND (?2 IS NULL OR m.kind = ?2) ORDER BY m.seq",
            session_id,
            kind,
        )

    def wipe(self) -> int:
        count = sum(tally.count for tally in self.tallies())
        for table in _WIPED:
            self._run(f"DELETE FROM {table}")
        self._run("UPDATE batch SET state = 'wiped', created = '[]'")
        self._run(
            "UPDATE vault SET epoch = epoch + 1, change = change + 1, deleted = change + 1, "
            "emptied = 0"
        )
        return count

    def set_vectors(self, vectors: Sequence[tuple[Pending, bytes]]) -> None:
        change = self._next_change()
        self._connection.executemany(
            "UPDATE passage SET vector = ? WHERE memory = ? AND number = ? AND EXISTS "
            "(SELECT 1 FROM memory WHERE seq = passage.memory AND digest = ?)",
            ((vector, one.seq, one.number, one.digest) for one, vector in vectors),
        )
        self._connection.executemany(
            "UPDATE memory SET changed = ? WHERE seq = ?",
            ((change, seq) for seq in {one.seq for one, _ in vectors}),
        )

    def meter(self, events: Sequence[UsageEvent]) -> None:
        self._connection.executemany(
            "INSERT INTO usage (at, endpoint, tokens, key_id, session) VALUES (?, ?, ?, ?, ?)",
            (
                (event.at, event.endpoint, event.tokens, event.key_id, event.session_id)
                for event in events
            ),
        )

    def _run(self, sql: str, *values: apsw.SQLiteValue) -> None:
        self._connection.execute(sql, values)

    def _next_change(self) -> int:
        """This transaction's number in the change sequence, taken at its first change."""
        if self._change is None:
            self._run("UPDATE vault SET change = change + 1")
            self._change = self.head().change
        return self._change

    def _add(self, memory: NewMemory, now: int) -> int:
        covers = memory.covers
        self._run(
            _INSERT_MEMORY,
            uuid.UUID(memory.id).bytes,
            memory.kind,
            memory.tier,
            memory.level,
            memory.source,
            memory.role,
            self._session(memory.session_id),
            memory.date,
            now,
            memory.date,
            covers.start if covers else None,
            covers.end if covers else None,
            memory.importance,
            memory.tokens,
            memory.digest,
            memory.dated,
            memory.speaker,
            memory.pooled,
            memory.batch,
            self._next_change(),
        )
        seq = self._connection.last_insert_rowid()
        self._run("INSERT INTO body (memory, content) VALUES (?, ?)", seq, stored(memory.content))
        self._add_passages(seq, memory.passages)
        return seq

    def _add_passages(self, seq: int, passages: Sequence[NewPassage]) -> None:
        self._connection.executemany(
            "INSERT INTO passage (memory, number, start, end, terms, vector) "
            "VALUES (?, ?, ?, ?, ?, ?)",
            (
                (seq, number, part.start, part.end, part.terms, part.vector)
                for number, part in enumerate(passages)
            ),
        )

    def _session(self, session_id: str | None) -> int | None:
        if session_id is None:
            return None
        number = self.session_number(session_id)
        if number is not None:
            return number
        self._run("INSERT INTO session (id) VALUES (?)", session_id)
        return self._connection.last_insert_rowid()
