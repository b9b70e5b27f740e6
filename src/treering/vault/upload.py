"""Storing lines of a file: good lines are kept, and a file sent again is known line by line."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from treering.errors import PayloadTooLarge
from treering.model import Caller
from treering.replies import LineError, UploadReply, UploadStats
from treering.requests import UploadLine, UploadRequest
from treering.requests.lines import MAX_LINES, Line
from treering.rules.content import STORED_ROLES, remembered
from treering.store.base import Known, NewMemory, Reader
from treering.system import System
from treering.vault.context import Context
from treering.vault.drafts import Message, check_size, message_memory, passage_texts
from treering.vault.levels.learning import learn_from
from treering.vault.levels.settings import in_force

_LINES_A_COMMIT = 256


@dataclass(frozen=True, slots=True)
class _Line:
    """A good line; it is the `occurrence`-th identical one of its file, counting from 1."""

    message: Message
    occurrence: int


def upload(context: Context, request: UploadRequest, caller: Caller) -> UploadReply:
    """Store the good lines, a few hundred to a transaction."""
    if len(request.lines) > MAX_LINES:
        raise PayloadTooLarge("The number of lines", MAX_LINES)
    lines, errors = _good_lines(request.lines)
    vectors = context.embedding.within_budget(
        [text for line in lines for text in passage_texts(line.message.text)]
    )
    with context.store.read() as reader:
        capturing = in_force(context, reader).capture
    stored = pending = 0
    first_instant = context.system.now() - max(len(lines) - 1, 0)
    for first in range(0, len(lines), _LINES_A_COMMIT):
        chunk = lines[first : first + _LINES_A_COMMIT]
        parts = [len(passage_texts(line.message.text)) for line in chunk]
        chunk_vectors, vectors = vectors[: sum(parts)], vectors[sum(parts) :]
        with context.store.write() as tx:
            new = _new_memories(
                tx, context.system, chunk, _by_line(chunk_vectors, parts), first_instant + first
            )
            now = context.system.now()
            seqs = tx.add(new, now)
            if capturing:
                learn_from(tx, context.system, seqs, new, now)
            tokens = sum(memory.tokens for memory in new)
            context.meter.write(tx, request.endpoint, tokens, caller)
            pending = tx.head().pending
        stored += len(new)
    if pending:
        context.embedding.start_filling()
    known = len(lines) - stored
    return UploadReply(
        status="ok" if not errors else "partial",
        vault=context.store.meta.vault_id,
        stats=UploadStats(len(lines) + len(errors), stored, known, len(errors)),
        errors=errors,
        message=f"{stored} stored, {known} known already, {len(errors)} not usable.",
    )


def _good_lines(lines: Sequence[Line]) -> tuple[list[_Line], list[LineError]]:
    good: list[_Line] = []
    errors: list[LineError] = []
    seen: Counter[tuple[bytes, int | None, str | None]] = Counter()
    for number, line in enumerate(lines, start=1):
        if line is None:
            continue
        message = line if isinstance(line, str) else _message(line)
        if isinstance(message, str):
            errors.append(LineError(number, message))
            continue
        identity = (*message.instant, message.session_id)
        seen[identity] += 1
        given = line.occurrence if isinstance(line, UploadLine) else None
        good.append(_Line(message, given or seen[identity]))
    return good, errors


def _message(line: UploadLine) -> Message | str:
    """The line's message, or what is wrong with it."""
    if line.role not in STORED_ROLES:
        return f"role: {line.role} messages are not stored"
    text = remembered(line.role, line.content)
    if text is None:
        return "content: holds no text to remember"
    try:
        check_size("content", text)
    except PayloadTooLarge as error:
        return error.message
    return Message(line.role, text, line.timestamp, line.session_id)


def _by_line(vectors: Sequence[bytes | None], parts: Sequence[int]) -> list[Sequence[bytes | None]]:
    grouped: list[Sequence[bytes | None]] = []
    start = 0
    for count in parts:
        grouped.append(vectors[start : start + count])
        start += count
    return grouped


def _new_memories(
    reader: Reader,
    system: System,
    lines: Sequence[_Line],
    vectors: Sequence[Sequence[bytes | None]],
    first_instant: int,
) -> list[NewMemory]:
    """What is not known of these lines: the k-th identical line matches the k-th one stored."""
    stored: Counter[tuple[bytes, int | None, str | None]] = Counter()
    looked_up: set[tuple[bytes, int | None, str | None]] = set()
    new: list[NewMemory] = []
    for place, (line, parts) in enumerate(zip(lines, vectors, strict=True)):
        message = line.message
        identity = (*message.instant, message.session_id)
        if identity not in looked_up:
            looked_up.add(identity)
            rows = reader.known(message.digest, message.session_id, message.timestamp)
            stored[identity] = sum(_is_same_line(row, message) for row in rows)
        if line.occurrence <= stored[identity]:
            continue
        stored[identity] += 1
        date = first_instant + place if message.timestamp is None else message.timestamp
        new.append(message_memory(message, system.new_id(), date, parts))
    return new


def _is_same_line(row: Known, message: Message) -> bool:
    if message.timestamp is None:
        return not row.dated
    return row.dated and row.date == message.timestamp
