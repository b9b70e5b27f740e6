"""The levels' part of one transaction on one vault's file."""

from __future__ import annotations

import json
import uuid
from collections import Counter
from collections.abc import Sequence
from dataclasses import astuple, replace

from treering.model import Level
from treering.rules.levels.selfmodel import Domain, Sample
from treering.rules.levels.tokens import restatement_key
from treering.store.base import NewMemory
from treering.store.levels import BODY, BuildPart, BuildRecord, Side, TensionRecord
from treering.store.sqlite.levels_reader import SqliteLevelsReader, parts_of
from treering.store.sqlite.text import stored
from treering.store.sqlite.writer import SqliteWriter

KEPT_BLOCKS = 5_000
"""Of builds before the newest that many, only the numbers are kept."""

_OWNED_BY_MEMORY = (
    "UPDATE memory SET changed = (SELECT change FROM vault) "
    "WHERE seq IN (SELECT statement FROM origin WHERE message = ?)",
    "UPDATE wording SET content = '' WHERE memory = ?",
    "UPDATE prose SET content = '' WHERE seq = (SELECT gist FROM memory WHERE seq = ?)",
    "UPDATE tension SET pattern = NULL WHERE pattern = ?",
    "DELETE FROM mark WHERE memory = ?",
    "DELETE FROM build_quote WHERE quoted = ?",
)

_WIPED = (
    "mark",
    "wording",
    "tension",
    "outcome",
    "build_quote",
    "build_spend",
    "build",
    "prose",
    "memory_domain",
    "domain",
)

_PROSE_OF_TENSION = """
UPDATE prose SET content = '' WHERE seq IN (
    SELECT a_prose FROM tension WHERE seq = ?1 UNION SELECT b_prose FROM tension WHERE seq = ?1
    UNION SELECT question FROM tension WHERE seq = ?1
    UNION SELECT resolved_by FROM tension WHERE seq = ?1)"""

_LEAVE_SESSION = """
UPDATE memory SET changed = ?, session = (
    SELECT m.session FROM origin o JOIN memory m ON m.seq = o.message
    WHERE o.statement = memory.seq ORDER BY m.seq LIMIT 1)
WHERE seq = ?"""

_INSERT_TENSION = """
INSERT INTO tension (id, status, impact, a_memory, a_prose, b_memory, b_prose, question, created)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)"""

_INSERT_BUILD = """
INSERT INTO build (id, at, endpoint, key_id, session, budget, tokens, truncated, parts)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)"""


class SqliteLevelsWriter(SqliteLevelsReader, SqliteWriter):
    """A transaction's view of the whole vault; see `store.levels.LevelsWriter`."""

    def delete(self, seqs: Sequence[int]) -> None:
        for seq in seqs:
            for tension in self.tensions_about(seq):
                if seq in (tension.claim_a.memory, tension.claim_b.memory):
                    self.delete_tension(tension.seq)
        self.scrub_builds(seqs)
        self._next_change()
        for sql in _OWNED_BY_MEMORY:
            self._connection.executemany(sql, ((seq,) for seq in seqs))
        super().delete(seqs)

    def wipe(self) -> int:
        for table in _WIPED:
            self._run(f"DELETE FROM {table}")
        return super().wipe()

    def touch(self, seqs: Sequence[int], at: int) -> None:
        self._connection.executemany(
            "UPDATE memory SET accessed = max(accessed, ?), accesses = accesses + 1 WHERE seq = ?",
            ((at, seq) for seq in seqs),
        )

    def set_level(self, seqs: Sequence[int], level: Level) -> None:
        change = self._next_change()
        self._connection.executemany(
            "UPDATE memory SET level = ?, changed = ? WHERE seq = ?",
            ((level, change, seq) for seq in seqs),
        )

    def set_gist(self, seq: int, gist: str | None) -> None:
        self._run(
            "UPDATE prose SET content = '' WHERE seq = (SELECT gist FROM memory WHERE seq = ?)", seq
        )
        number = None if gist is None else self._add_prose(gist)
        self._run("UPDATE memory SET gist = ? WHERE seq = ?", number, seq)

    def set_domains(self, seq: int, names: Sequence[str]) -> None:
        self._run("DELETE FROM memory_domain WHERE memory = ?", seq)
        for name in names:
            self._run(
                "INSERT OR IGNORE INTO memory_domain VALUES (?, ?)", seq, self._domain_number(name)
            )

    def set_marks(self, seq: int, marks: Sequence[int]) -> None:
        self._run("DELETE FROM mark WHERE memory = ?", seq)
        self.add_marks(seq, marks)

    def add_marks(self, seq: int, marks: Sequence[int]) -> None:
        self._connection.executemany(
            "INSERT OR IGNORE INTO mark (hash, memory) VALUES (?, ?)",
            ((mark, seq) for mark in marks),
        )

    def add_origin(self, statement: int, message: int, wording: int) -> None:
        self._run(
            "INSERT OR REPLACE INTO origin (statement, message, wording) VALUES (?, ?, ?)",
            statement,
            message,
            wording,
        )
        self._run("UPDATE memory SET changed = ? WHERE seq = ?", self._next_change(), statement)

    def add_wording(self, statement: int, message: int | None, content: str, at: int) -> int:
        self._run(
            "INSERT INTO wording (memory, message, at, content) VALUES (?, ?, ?, ?)",
            statement,
            message,
            at,
            stored(content),
        )
        return self._connection.last_insert_rowid()

    def set_wording(self, statement: int, wording: int, text: NewMemory) -> None:
        self.set_gist(statement, None)
        self._run(
            "UPDATE memory SET wording = ?, tokens = ?, digest = ?, speaker = ?, changed = ? "
            "WHERE seq = ?",
            None if wording == BODY else wording,
            text.tokens,
            text.digest,
            text.speaker,
            self._next_change(),
            statement,
        )
        self._run("DELETE FROM passage WHERE memory = ?", statement)
        self._add_passages(statement, text.passages)

    def set_outright(self, statement: int) -> None:
        self._run(
            "UPDATE memory SET source = 'api', pooled = 1, changed = ? "
            "WHERE seq = ? AND source = 'rules'",
            self._next_change(),
            statement,
        )

    def free_of_session(self, statement: int) -> None:
        self._run(
            "UPDATE memory SET session = NULL, changed = ? WHERE seq = ?",
            self._next_change(),
            statement,
        )

    def leave_session(self, statements: Sequence[int]) -> None:
        change = self._next_change()
        self._connection.executemany(_LEAVE_SESSION, ((change, seq) for seq in statements))

    def empty_wordings(self, statement: int, kept: frozenset[int]) -> None:
        if BODY not in kept:
            self._run("UPDATE body SET content = '' WHERE memory = ?", statement)
        for wording in self.wordings(statement):
            if wording.seq not in kept:
                self._run("UPDATE wording SET content = '' WHERE seq = ?", wording.seq)

    def add_tension(self, record: TensionRecord) -> int:
        a, b = record.claim_a, record.claim_b
        self._run(
            _INSERT_TENSION,
            uuid.UUID(record.id).bytes,
            record.status,
            record.impact,
            a.memory,
            self._prose_of(a),
            b.memory,
            self._prose_of(b),
            None if record.question is None else self._add_prose(record.question),
            record.created,
        )
        return self._connection.last_insert_rowid()

    def set_tension(
        self, seq: int, status: str, resolved_by: str | None, pattern: int | None
    ) -> None:
        self._run(
            "UPDATE prose SET content = '' "
            "WHERE seq = (SELECT resolved_by FROM tension WHERE seq = ?)",
            seq,
        )
        number = None if resolved_by is None else self._add_prose(resolved_by)
        self._run(
            "UPDATE tension SET status = ?, resolved_by = ?, pattern = ? WHERE seq = ?",
            status,
            number,
            pattern,
            seq,
        )

    def delete_tension(self, seq: int) -> None:
        self.scrub_builds([-seq])
        self._run("DELETE FROM build_quote WHERE quoted = ?", -seq)
        self._run(_PROSE_OF_TENSION, seq)
        self._run("DELETE FROM tension WHERE seq = ?", seq)
        self._run("UPDATE vault SET deleted = ?", self._next_change())

    def record_outcome(self, name: str, domain: Domain, sample: Sample, at: int) -> None:
        number = self._domain_number(name)
        pattern = strategy = None
        if sample.failure_pattern is not None:
            pattern = self._lesson("pattern", number, 0, sample.failure_pattern)
        if sample.strategy is not None:
            strategy = self._lesson("strategy", number, int(sample.success), sample.strategy)
        self._run(
            "INSERT INTO outcome (domain, at, success, pattern, strategy) VALUES (?, ?, ?, ?, ?)",
            number,
            at,
            sample.success,
            pattern,
            strategy,
        )
        self._run(
            "UPDATE domain SET score = ?, samples = ? WHERE number = ?",
            domain.score,
            domain.samples,
            number,
        )

    def add_build(self, build: BuildRecord) -> None:
        parts = build.parts or ()
        self._run(
            _INSERT_BUILD,
            uuid.UUID(build.id).bytes,
            build.at,
            build.endpoint,
            build.key_id,
            build.session_id,
            build.budget,
            build.tokens,
            build.truncated,
            self._add_prose(_json_of(parts)),
        )
        seq = self._connection.last_insert_rowid()
        entries = Counter(part.reason for part in parts)
        tokens: Counter[str] = Counter()
        for part in parts:
            tokens[part.reason] += part.tokens
        self._connection.executemany(
            "INSERT INTO build_spend (build, reason, entries, tokens) VALUES (?, ?, ?, ?)",
            ((seq, reason, entries[reason], tokens[reason]) for reason in entries),
        )
        quoted = {memory for part in parts for memory in part.quotes}
        self._connection.executemany(
            "INSERT INTO build_quote (quoted, build) VALUES (?, ?)",
            ((each, seq) for each in quoted),
        )
        self._keep_numbers_alone(seq - KEPT_BLOCKS)

    def scrub_builds(self, quoted: Sequence[int]) -> None:
        scrubbed: dict[int, set[int]] = {}
        for each in quoted:
            for build in self._numbers("SELECT build FROM build_quote WHERE quoted = ?", each):
                scrubbed.setdefault(build, set()).add(each)
        for build, gone in scrubbed.items():
            row = self._row(
                "SELECT p.seq, p.content FROM build b JOIN prose p ON p.seq = b.parts "
                "WHERE b.seq = ? AND p.content <> ''",
                build,
            )
            if row:
                parts = [_scrubbed(part, gone) for part in parts_of(row[1])]
                self._run(
                    "UPDATE prose SET content = ? WHERE seq = ?", stored(_json_of(parts)), row[0]
                )

    def set_setting(self, name: str, value: int | None) -> None:
        if value is None:
            self._run("DELETE FROM setting WHERE name = ?", name)
        else:
            self._run("INSERT OR REPLACE INTO setting (name, value) VALUES (?, ?)", name, value)

    def _keep_numbers_alone(self, build: int) -> None:
        self._run(
            "UPDATE prose SET content = '' WHERE seq = (SELECT parts FROM build WHERE seq = ?)",
            build,
        )
        self._run("DELETE FROM build_quote WHERE build = ?", build)

    def _add_prose(self, text: str) -> int:
        self._run("INSERT INTO prose (content) VALUES (?)", stored(text))
        return self._connection.last_insert_rowid()

    def _prose_of(self, side: Side) -> int | None:
        return None if side.text is None else self._add_prose(side.text)

    def _domain_number(self, name: str) -> int:
        self._run("INSERT OR IGNORE INTO domain (name) VALUES (?)", name)
        return self._numbers("SELECT number FROM domain WHERE name = ?", name)[0]

    def _lesson(self, column: str, domain: int, success: int, text: str) -> int:
        """The row that holds a lesson: the one that says the same in this domain, or a new one."""
        known = self._all(
            f"SELECT p.seq, p.content FROM prose p WHERE p.seq IN (SELECT {column} FROM outcome "
            "WHERE domain = ? AND success = ? AND (pattern IS NOT NULL OR strategy IS NOT NULL))",
            domain,
            success,
        )
        key = restatement_key(text)
        for seq, content in known:
            if isinstance(content, str) and restatement_key(content) == key:
                return int(seq)
        return self._add_prose(text.strip())


def _json_of(parts: Sequence[BuildPart]) -> str:
    return json.dumps([astuple(part) for part in parts], ensure_ascii=False, separators=(",", ":"))


def _scrubbed(part: BuildPart, gone: set[int]) -> BuildPart:
    """The part without its text if it quotes what is gone."""
    if gone.isdisjoint(part.quotes):
        return part
    return replace(part, id="", text="", quotes=(), by=())
