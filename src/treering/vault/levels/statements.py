"""Taking statements in: stored, merged into what is held, and set against what they contradict."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from treering.model import Kind, Level, Memory, Source
from treering.rules.levels.contradictions import contradiction
from treering.rules.levels.reconcile import Outcome, reconcile
from treering.store.base import NewMemory, Writer
from treering.store.levels import BODY, Side, TensionRecord
from treering.system import System
from treering.vault.drafts import statement_memory
from treering.vault.levels.marks import marks_of_statement, near, opposing, restated_by

_LEFT_ALONE = (Level.PINNED, Level.HOT)


@dataclass(frozen=True, slots=True)
class Statement:
    """A statement to be taken in.

    `message` is the seq of the message that it was captured from. `vectors` are those of its
    passages, or nothing where they are computed later. It is not set against the memories `exempt`,
    nor merged with one that does not say the very same.
    """

    text: str
    date: int
    source: Source
    session_id: str | None = None
    message: int | None = None
    level: Level = Level.HOT
    domains: Sequence[str] = ()
    vectors: Sequence[bytes | None] = ()
    exempt: frozenset[int] = frozenset()


@dataclass(slots=True)
class Taken:
    """What became of statements: the seqs that were stored and merged into, and what followed.

    `merges` counts statements; several may merge into one memory. `tokens` are those of what was
    stored outright: what is captured was paid for with its message.
    """

    stored: list[int] = field(default_factory=list)
    merged: list[int] = field(default_factory=list)
    merges: int = 0
    tensions: int = 0
    promoted: int = 0
    tokens: int = 0


def take_in(
    tx: Writer,
    system: System,
    statements: Sequence[Statement],
    now: int,
    *,
    reconciled: bool = True,
) -> Taken:
    """Store each statement or merge it into a held one, and record what it contradicts.

    With `reconciled` False nothing is merged.
    """
    intake = _Intake(tx, system, now)
    for statement in statements:
        intake.take(statement, reconciled=reconciled)
    return intake.taken


def oppose(
    tx: Writer, system: System, seq: int, text: str, now: int, exempt: frozenset[int] = frozenset()
) -> int:
    """Record the contradictions between a statement and those held; how many are new."""
    found = [other for other in opposing(tx, text) if other != seq and other not in exempt]
    if not found:
        return 0
    paired = {
        other
        for record in tx.tensions_about(seq)
        for other in (record.claim_a.memory, record.claim_b.memory, record.pattern)
    }
    count = 0
    for other, memory in sorted(tx.memories(found).items()):
        conflict = contradiction(text, memory.content)
        if conflict is None or other in paired:
            continue
        tx.add_tension(
            TensionRecord(
                seq=0,
                id=system.new_id(),
                status="active",
                impact=conflict.impact,
                claim_a=Side(memory=other),
                claim_b=Side(memory=seq),
                created=now,
            )
        )
        count += 1
    return count


def as_memory(text: str, memory: Memory, vectors: Sequence[bytes | None] = ()) -> NewMemory:
    """A held statement as it would be stored with another text."""
    return statement_memory(
        text, memory.id, memory.date, memory.source, memory.level, memory.session_id, vectors
    )


class _Intake:
    """One transaction's statements, one after the other: each sees those before it."""

    def __init__(self, tx: Writer, system: System, now: int) -> None:
        self.taken = Taken()
        self._tx = tx
        self._system = system
        self._now = now

    def take(self, statement: Statement, *, reconciled: bool) -> None:
        outcome, held = self._held(statement) if reconciled else (Outcome.NEW, None)
        if held is None:
            self._store(statement)
        else:
            self._merge(statement, outcome, held)

    def _held(self, statement: Statement) -> tuple[Outcome, Memory | None]:
        """What a statement is beside those held, and the one that it merges into."""
        for find, exempt in ((restated_by, frozenset()), (near, statement.exempt)):
            seqs = [seq for seq in find(self._tx, statement.text) if seq not in exempt]
            memories = {
                str(seq): memory
                for seq, memory in self._tx.memories(seqs).items()
                if memory.kind is Kind.STATEMENT
            }
            contents = {seq: memory.content for seq, memory in memories.items()}
            found = reconcile(statement.text, contents)
            if found.merged_into is None:
                continue
            held = memories[found.merged_into]
            # What is pinned is a person's choice, and its size was checked when it was made.
            if found.outcome is Outcome.FULLER and held.level is Level.PINNED:
                break
            return found.outcome, held
        return Outcome.NEW, None

    def _store(self, statement: Statement) -> None:
        new = statement_memory(
            statement.text,
            self._system.new_id(),
            statement.date,
            statement.source,
            statement.level,
            statement.session_id,
            statement.vectors,
        )
        (seq,) = self._tx.add([new], self._now)
        self._tx.add_marks(seq, marks_of_statement(statement.text))
        if statement.domains:
            self._tx.set_domains(seq, statement.domains)
        if statement.message is not None:
            self._tx.add_origin(seq, statement.message, BODY)
        self.taken.stored.append(seq)
        if statement.source is not Source.RULES:
            self.taken.tokens += new.tokens
        self.taken.tensions += oppose(
            self._tx, self._system, seq, statement.text, self._now, statement.exempt
        )

    def _merge(self, statement: Statement, outcome: Outcome, held: Memory) -> None:
        """Keep the fuller text, remember who said what, and count the restatement."""
        tx, seq = self._tx, held.seq
        wording = tx.current_wording(seq)
        if not self._says_more(statement, outcome, seq):
            if self._needs_wording(statement, outcome, held):
                wording = tx.add_wording(seq, statement.message, statement.text, self._now)
            if statement.message is not None:
                tx.add_origin(seq, statement.message, wording)
        if outcome is Outcome.FULLER:
            tx.set_wording(seq, wording, as_memory(statement.text, held, statement.vectors))
            tx.set_marks(seq, marks_of_statement(statement.text))
            self.taken.tensions += oppose(
                tx, self._system, seq, statement.text, self._now, statement.exempt
            )
        if statement.message is None and held.session_id not in (None, statement.session_id):
            tx.free_of_session(seq)
        if statement.domains:
            known = tx.domains([seq]).get(seq, [])
            tx.set_domains(seq, list(dict.fromkeys([*known, *statement.domains])))
        tx.touch([seq], statement.date)
        if statement.level is Level.HOT and held.level not in _LEFT_ALONE:
            tx.set_level([seq], Level.HOT)
            self.taken.promoted += 1
        self.taken.merges += 1
        if seq not in self.taken.stored and seq not in self.taken.merged:
            self.taken.merged.append(seq)

    def _needs_wording(self, statement: Statement, outcome: Outcome, held: Memory) -> bool:
        """Whether what was said now has to be kept beside the held text.

        When the message that the held text comes from is deleted, what another one said, or was
        stored outright, still stands.
        """
        if outcome is Outcome.FULLER:
            return True
        if statement.message is not None:
            return outcome is Outcome.CONTAINED
        return held.source is not Source.API and not any(
            wording.message is None and wording.content == statement.text
            for wording in self._tx.wordings(held.seq)
        )

    def _says_more(self, statement: Statement, outcome: Outcome, held: int) -> bool:
        """Whether the message that says this backs a fuller text of the held statement already."""
        if outcome is not Outcome.CONTAINED or statement.message is None:
            return False
        texts = {one.seq: one.content for one in self._tx.wordings(held)}
        texts[BODY] = self._tx.stored_text(held)
        return any(
            origin.message == statement.message
            and len(texts[origin.wording]) >= len(statement.text)
            for origin in self._tx.origins(held)
        )
