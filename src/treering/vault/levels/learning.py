"""Learning from messages: the statements in them, and what becomes of those."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from treering.model import Source
from treering.rules.levels.capture import Capture, capture
from treering.store.base import NewMemory, Reader, Writer
from treering.system import System
from treering.vault.drafts import passage_texts
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


def hear(role: str, text: str) -> Capture:
    """What a message of that role says; only a user's is learnt from."""
    if role != "user" or len(text) > MOST_CHARACTERS:
        return Capture()
    return capture(text)


def captured_from(reader: Reader, heard: Mapping[int, Capture]) -> list[Captured]:
    """The statements of what was heard, by place."""
    return [
        Captured(place, text, [] if restated_by(reader, text) else passage_texts(text))
        for place, found in heard.items()
        for text in found.statements
    ]


def learn_from(
    tx: Writer, system: System, seqs: Sequence[int], rows: Sequence[NewMemory], now: int
) -> Taken:
    """Take in the statements of user messages that were stored; their vectors are pending."""
    statements = [
        _statement(text, seq, row)
        for seq, row in zip(seqs, rows, strict=True)
        for text in hear(row.role, row.content).statements
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

    `vectors` are those of each statement's passages.
    """
    statements = [
        _statement(one.text, *stored[one.place], parts)
        for one, parts in zip(captured, vectors, strict=True)
        if one.place in stored
    ]
    return take_in(tx, system, statements, now)


def _statement(
    text: str, seq: int, message: NewMemory, vectors: Sequence[bytes | None] = ()
) -> Statement:
    """A statement of a message; its access time is the message's date.

    So history that is filled in later does not crowd out today.
    """
    return Statement(
        text=text,
        date=message.date,
        source=Source.RULES,
        session_id=message.session_id,
        message=seq,
        vectors=vectors,
    )
