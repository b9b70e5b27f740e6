"""Learning from messages: the statements in them, and what becomes of those."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from treering.model import Source
from treering.rules.levels.capture import capture
from treering.store.base import NewMemory, Reader, Writer
from treering.system import System
from treering.vault.drafts import Message, passage_texts
from treering.vault.levels.marks import restated_by
from treering.vault.levels.statements import Statement, Taken, take_in

MOST_CHARACTERS = 20_000
"""A longer message is a document that was pasted, and not something that a user states."""


@dataclass(frozen=True, slots=True)
class Captured:
    """A statement in the message at `place` among those that were sent.

    `passages` are the texts whose vectors it needs: none where it is held word for word already.
    """

    place: int
    text: str
    passages: Sequence[str]


def captured_from(
    reader: Reader, messages: Sequence[Message], places: Iterable[int]
) -> list[Captured]:
    """The statements of the user messages among those at `places`."""
    return [
        Captured(place, text, [] if restated_by(reader, text) else passage_texts(text))
        for place in places
        for text in _statements(messages[place].role, messages[place].text)
    ]


def learn_from(
    tx: Writer, system: System, seqs: Sequence[int], rows: Sequence[NewMemory], now: int
) -> Taken:
    """Take in the statements of user messages that were stored; their vectors are pending."""
    statements = [
        Statement(
            text=text,
            date=row.date,
            source=Source.RULES,
            session_id=row.session_id,
            message=seq,
        )
        for seq, row in zip(seqs, rows, strict=True)
        for text in _statements(row.role, row.content)
    ]
    return take_in(tx, system, statements, now)


def learn(
    tx: Writer,
    system: System,
    captured: Sequence[Captured],
    vectors: Sequence[Sequence[bytes | None]],
    stored: Mapping[int, tuple[int, NewMemory]],
    now: int,
) -> Taken:
    """Take in the statements of messages that were stored: by place, their seq and their row.

    `vectors` are those of each statement's passages. A statement's access time is its message's
    date, so that history which is filled in later does not crowd out today.
    """
    statements = []
    for one, parts in zip(captured, vectors, strict=True):
        if one.place not in stored:
            continue
        seq, message = stored[one.place]
        statements.append(
            Statement(
                text=one.text,
                date=message.date,
                source=Source.RULES,
                session_id=message.session_id,
                message=seq,
                vectors=parts,
            )
        )
    return take_in(tx, system, statements, now)


def _statements(role: str, text: str) -> tuple[str, ...]:
    if role != "user" or len(text) > MOST_CHARACTERS:
        return ()
    return capture(text).statements
