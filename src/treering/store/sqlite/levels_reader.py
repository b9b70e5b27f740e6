"""What the levels ask of one vault's file."""

from __future__ import annotations

import json
import uuid
from collections.abc import Iterator, Sequence
from typing import Any, cast

import apsw

from treering.model import Level
from treering.rules.instants import DAY_MS
from treering.rules.levels.selfmodel import START, Domain
from treering.store.base import IndexRow
from treering.store.levels import (
    BODY,
    BuildPart,
    BuildRecord,
    BuildTotal,
    Lately,
    Listing,
    Origin,
    Side,
    TensionRecord,
    Wording,
)
from treering.store.sqlite.reader import INDEX_COLUMNS, SqliteReader, key_of
from treering.store.sqlite.text import loaded

_TENSION = """
SELECT t.seq, t.id, t.status, t.impact, t.a_memory, a.content, t.b_memory, b.content, t.created,
       q.content, r.content, t.pattern
FROM tension t LEFT JOIN prose a ON a.seq = t.a_prose LEFT JOIN prose b ON b.seq = t.b_prose
    LEFT JOIN prose q ON q.seq = t.question LEFT JOIN prose r ON r.seq = t.resolved_by"""

_BUILD = """
SELECT b.id, b.at, b.endpoint, b.key_id, b.session, b.budget, b.tokens, b.truncated, p.content
FROM build b LEFT JOIN prose p ON p.seq = b.parts"""

_BUILDS_BY_DAY = f"""
SELECT at / {DAY_MS}, endpoint, key_id, count(*), sum(tokens) FROM build
WHERE at >= ? AND at < ? GROUP BY 1, 2, 3 ORDER BY 1, 2, 3"""

_SPEND_BY_DAY = f"""
SELECT b.at / {DAY_MS}, b.endpoint, b.key_id, s.reason, sum(s.entries), sum(s.tokens)
FROM build b CROSS JOIN build_spend s ON s.build = b.seq
WHERE b.at >= ? AND b.at < ? GROUP BY 1, 2, 3, 4 ORDER BY 1, 2, 3, 4"""

_LESSONS = """
SELECT p.content FROM prose p
JOIN (SELECT {column} AS seq, min(seq) AS first FROM outcome
      WHERE domain = ? AND success = ? AND (pattern IS NOT NULL OR strategy IS NOT NULL)
          AND {column} IS NOT NULL GROUP BY {column}) l ON l.seq = p.seq
ORDER BY l.first"""

_INDEX_ROWS_AT = f"""{INDEX_COLUMNS}
FROM memory m CROSS JOIN passage p ON p.memory = m.seq
WHERE m.level = ?
ORDER BY m.seq, p.number"""


class SqliteLevelsReader(SqliteReader):
    """A connection's view of the levels; see `store.levels.LevelsReader`."""

    def at_level(self, level: Level, limit: int | None = None) -> list[int]:
        return self._numbers(
            f"SELECT seq FROM memory WHERE level = {level.value:d} AND level < 2 "
            "ORDER BY accessed DESC, seq DESC LIMIT ?",
            -1 if limit is None else limit,
        )

    def index_rows_at(self, level: Level) -> Iterator[IndexRow]:
        return cast("Iterator[IndexRow]", self._rows(_INDEX_ROWS_AT, level))

    def marked(self, mark: int, limit: int) -> list[int]:
        return self._numbers(
            "SELECT memory FROM mark WHERE hash = ? ORDER BY memory DESC LIMIT ?", mark, limit
        )

    def hot_with_marks(self, marks: Sequence[int], limit: int) -> list[int]:
        if not marks:
            return []
        return self._numbers(
            "SELECT m.seq FROM json_each(?) j CROSS JOIN mark k ON k.hash = j.value "
            "CROSS JOIN memory m ON m.seq = k.memory WHERE m.level = 1 "
            "GROUP BY m.seq ORDER BY m.accessed DESC, m.seq DESC LIMIT ?",
            json.dumps(list(marks)),
            limit,
        )

    def gists(self, seqs: Sequence[int]) -> dict[int, str]:
        sql = "SELECT p.content FROM memory m JOIN prose p ON p.seq = m.gist WHERE m.seq = ?"
        found = ((seq, self._row(sql, seq)) for seq in seqs)
        return {seq: loaded(row[0]) for seq, row in found if row}

    def domains(self, seqs: Sequence[int]) -> dict[int, list[str]]:
        sql = (
            "SELECT d.name FROM memory_domain m JOIN domain d ON d.number = m.domain "
            "WHERE m.memory = ? ORDER BY d.name"
        )
        found = ((seq, [row[0] for row in self._all(sql, seq)]) for seq in seqs)
        return {seq: names for seq, names in found if names}

    def listed(self, listing: Listing) -> tuple[int, list[int]]:
        where, values = _where(listing)
        order = "ORDER BY m.created DESC, m.id"
        if listing.text is not None:
            wanted = listing.text.casefold()
            rows = self._rows(f"SELECT m.seq, {TEXT} FROM {TEXTS} {where} {order}", *values)
            seqs = [seq for seq, content in rows if wanted in loaded(content).casefold()]
            return len(seqs), seqs[listing.offset :][: listing.limit]
        seqs = self._numbers(
            f"SELECT m.seq FROM memory m {where} {order} LIMIT ? OFFSET ?",
            *values,
            listing.limit,
            listing.offset,
        )
        if not where:
            return sum(tally.count for tally in self.tallies()), seqs
        return self._numbers(f"SELECT count(*) FROM memory m {where}", *values)[0], seqs

    def lately(self) -> Lately:
        rows = self._all(
            "SELECT (SELECT min(created) FROM memory), (SELECT max(accessed) FROM memory), "
            "(SELECT count(*) FROM session s "
            "WHERE EXISTS (SELECT 1 FROM memory m WHERE m.session = s.number))"
        )
        return Lately(*rows[0])

    def origins(self, statement: int) -> list[Origin]:
        rows = self._all("SELECT message, wording FROM origin WHERE statement = ?", statement)
        return [Origin(message, wording) for message, wording in rows]

    def wordings(self, statement: int) -> list[Wording]:
        rows = self._all(
            "SELECT seq, message, content FROM wording WHERE memory = ? AND content <> '' "
            "ORDER BY seq",
            statement,
        )
        return [Wording(seq, message, loaded(content)) for seq, message, content in rows]

    def stored_text(self, seq: int) -> str:
        row = self._row("SELECT content FROM body WHERE memory = ?", seq)
        return loaded(row[0]) if row else ""

    def current_wording(self, statement: int) -> int:
        row = self._row("SELECT ifnull(wording, ?) FROM memory WHERE seq = ?", BODY, statement)
        return row[0] if row else BODY

    def tensions(self, status: str | None = None) -> list[TensionRecord]:
        where = "" if status is None else "WHERE t.status = ?"
        values = () if status is None else (status,)
        return [_tension(row) for row in self._all(f"{_TENSION} {where} ORDER BY t.seq", *values)]

    def tension(self, tension_id: str) -> TensionRecord | None:
        key = key_of(tension_id)
        row = self._row(f"{_TENSION} WHERE t.id = ?", key) if key else None
        return _tension(row) if row else None

    def tensions_about(self, seq: int) -> list[TensionRecord]:
        rows = self._all(
            f"{_TENSION} WHERE t.seq IN (SELECT seq FROM tension WHERE a_memory = ?1 "
            "UNION SELECT seq FROM tension WHERE b_memory = ?1 "
            "UNION SELECT seq FROM tension WHERE pattern = ?1) ORDER BY t.seq",
            seq,
        )
        return [_tension(row) for row in rows]

    def self_model(self) -> dict[str, Domain]:
        rows = self._all("SELECT number, name, score, samples FROM domain WHERE samples > 0")
        return {row[1]: self._domain(row[0], row[2], row[3]) for row in rows}

    def _domain(self, number: int, score: float | None, samples: int) -> Domain:
        return Domain(
            score=START if score is None else score,
            samples=samples,
            failure_patterns=self._lessons("pattern", number, success=False),
            strategies=self._lessons("strategy", number, success=True),
        )

    def _lessons(self, column: str, domain: int, *, success: bool) -> tuple[str, ...]:
        rows = self._all(_LESSONS.format(column=column), domain, success)
        return tuple(loaded(row[0]) for row in rows)

    def builds(self, limit: int, offset: int) -> list[BuildRecord]:
        rows = self._all(f"{_BUILD} ORDER BY b.seq DESC LIMIT ? OFFSET ?", limit, offset)
        return [_build(row) for row in rows]

    def build(self, build_id: str) -> BuildRecord | None:
        key = key_of(build_id)
        row = self._row(f"{_BUILD} WHERE b.id = ?", key) if key else None
        return _build(row) if row else None

    def build_totals(self, start: int, end: int) -> list[BuildTotal]:
        spend: dict[tuple[Any, ...], dict[str, tuple[int, int]]] = {}
        for *group, reason, entries, tokens in self._all(_SPEND_BY_DAY, start, end):
            spend.setdefault(tuple(group), {})[reason] = entries, tokens
        return [
            BuildTotal(
                day, endpoint, key_id, builds, tokens, spend.get((day, endpoint, key_id), {})
            )
            for day, endpoint, key_id, builds, tokens in self._all(_BUILDS_BY_DAY, start, end)
        ]

    def settings(self) -> dict[str, int]:
        return dict(self._all("SELECT name, value FROM setting"))


TEXT = "ifnull(w.content, b.content)"
TEXTS = "memory m JOIN body b ON b.memory = m.seq LEFT JOIN wording w ON w.seq = m.wording"


def _where(listing: Listing) -> tuple[str, list[apsw.SQLiteValue]]:
    conditions: dict[str, apsw.SQLiteValue] = {}
    if listing.level is not None:
        conditions["m.level = ?"] = listing.level.value
    if listing.kind is not None:
        conditions["m.kind = ?"] = listing.kind.value
    if listing.source is not None:
        conditions["m.source = ?"] = listing.source.value
    if listing.domain is not None:
        conditions[
            "m.seq IN (SELECT x.memory FROM domain d JOIN memory_domain x ON x.domain = d.number "
            "WHERE d.name = ?)"
        ] = listing.domain
    where = f"WHERE {' AND '.join(conditions)}" if conditions else ""
    return where, list(conditions.values())


def _tension(row: tuple[Any, ...]) -> TensionRecord:
    seq, key, status, impact, a_memory, a_text, b_memory, b_text, created, *rest = row
    question, resolved_by, pattern = rest
    return TensionRecord(
        seq=seq,
        id=str(uuid.UUID(bytes=key)),
        status=status,
        impact=impact,
        claim_a=Side(a_memory, _text(a_text)),
        claim_b=Side(b_memory, _text(b_text)),
        created=created,
        question=_text(question),
        resolved_by=_text(resolved_by),
        pattern=pattern,
    )


def _text(value: str | bytes | None) -> str | None:
    return None if value is None else loaded(value)


def _build(row: tuple[Any, ...]) -> BuildRecord:
    key, at, endpoint, key_id, session_id, budget, tokens, truncated, parts = row
    return BuildRecord(
        id=str(uuid.UUID(bytes=key)),
        at=at,
        endpoint=endpoint,
        key_id=key_id,
        session_id=session_id,
        budget=budget,
        tokens=tokens,
        truncated=bool(truncated),
        parts=None if not parts else list(parts_of(parts)),
    )


def parts_of(value: str | bytes) -> Iterator[BuildPart]:
    """The parts of a block as they are stored."""
    for fields in json.loads(loaded(value)):
        yield BuildPart(*fields)
