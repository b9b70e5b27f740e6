"""Storing messages: verbatim, in one transaction, and safe to send again."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from treering.errors import Conflict
from treering.model import Caller
from treering.replies import DebtReply, IngestReply
from treering.requests import IngestRequest
from treering.rules.content import fingerprint, remembered
from treering.rules.levels.capture import Capture
from treering.rules.resend import IDEMPOTENCY_WINDOW_MS, RETRY_WINDOW_MS, known_head
from treering.store.base import NewMemory, Reader, Writer
from treering.system import System
from treering.vault.context import Context
from treering.vault.drafts import Message, check_size, message_memory, passage_texts
from treering.vault.levels.learning import Captured, captured_from, hear, learn
from treering.vault.levels.settings import in_force
from treering.vault.levels.statements import Taken


def ingest(context: Context, request: IngestRequest, caller: Caller) -> IngestReply:
    """Store the request's messages; see the contract for what counts as known already."""
    incoming = _Incoming.of(request, caller)
    kept = _keep(context, incoming, request.capture, request.endpoint, caller)
    by_place = dict(zip(incoming.places, kept.ids, strict=True))
    return IngestReply(
        status="stored",
        stored=kept.stored,
        ids=[by_place.get(place) for place in range(len(request.messages))],
        session_id=incoming.session_id,
        pending_vectors=kept.pending,
        reflection=kept.debt,
    )


@dataclass(frozen=True, slots=True)
class Kept:
    """What became of messages: the id of each, how many are new, and what was learnt of those.

    `heard` is what the new ones said, by place; empty where nothing is learnt.
    """

    ids: list[str]
    stored: int
    heard: Mapping[int, Capture]
    learnt: Taken
    pending: int
    debt: DebtReply


def keep_exchange(
    context: Context,
    said: Sequence[tuple[str, str]],
    session_id: str | None,
    endpoint: str,
    caller: Caller,
) -> Kept:
    """Store messages (role, text) verbatim as `ingest` does, and learn from them."""
    messages = [Message(role, text, None, session_id) for role, text in said]
    incoming = _Incoming.of_messages(messages, session_id, caller)
    return _keep(context, incoming, True, endpoint, caller)


def _keep(
    context: Context,
    incoming: _Incoming,
    capturing: bool | None,
    endpoint: str,
    caller: Caller,
) -> Kept:
    now = context.system.now()
    with context.store.read() as reader:
        expected = _known_ids(reader, incoming, now)
        fresh = [index for index, memory_id in enumerate(expected) if memory_id is None]
        if capturing is None:
            capturing = in_force(context, reader).capture
        heard = _heard(incoming.messages, fresh) if capturing else {}
        captured = captured_from(reader, heard)
    vectors, of_captured = _vectors(context, incoming.messages, fresh, captured)
    with context.store.write() as tx:
        now = context.system.now()
        known = _known_ids(tx, incoming, now)
        first = _first_instant(tx, incoming, known, now)
        ids, new = _new_memories(context.system, incoming.messages, known, vectors, first)
        rows = {memory.id: memory for memory in new}
        seqs = dict(zip(rows, tx.add(new, now), strict=True))
        stored = {
            place: (seqs[memory_id], row)
            for place, memory_id in enumerate(ids)
            if (row := rows.get(memory_id)) is not None
        }
        learnt = learn(tx, context.system, captured, of_captured, stored, now)
        _remember(tx, incoming, ids, now, anew=bool(new))
        tokens = sum(memory.tokens for memory in new)
        context.meter.write(tx, endpoint, tokens, caller, incoming.session_id)
        debt = context.debt(tx)
        pending = tx.head().pending if learnt.stored or new else 0
    if pending:
        context.embedding.start_filling()
    own = sum(part.vector is None for memory in new for part in memory.passages)
    return Kept(ids, len(new), heard, learnt, own, debt)


def _heard(messages: Sequence[Message], places: Sequence[int]) -> dict[int, Capture]:
    return {place: hear(messages[place].role, messages[place].text) for place in places}


@dataclass(frozen=True, slots=True)
class _Incoming:
    """A request's messages that have something to store, and their places in it."""

    messages: list[Message]
    places: list[int]
    session_id: str | None
    key: bytes | None
    """The request's Idempotency-Key, as it is remembered."""
    body: bytes
    """Equal for the same messages."""

    @classmethod
    def of(cls, request: IngestRequest, caller: Caller) -> _Incoming:
        session_id = request.session_id or caller.session_id
        messages: list[Message] = []
        places: list[int] = []
        for place, message in enumerate(request.messages):
            text = remembered(message.role, message.content) if message.memory else None
            if text is None:
                continue
            check_size(f"messages[{place}].content", text)
            messages.append(Message(message.role, text, message.timestamp, session_id))
            places.append(place)
        return cls.of_messages(messages, session_id, caller, places)

    @classmethod
    def of_messages(
        cls,
        messages: list[Message],
        session_id: str | None,
        caller: Caller,
        places: list[int] | None = None,
    ) -> _Incoming:
        parts = [part for m in messages for part in (m.role, m.text, str(m.timestamp))]
        key = caller.idempotency_key
        return cls(
            messages,
            list(range(len(messages))) if places is None else places,
            session_id,
            fingerprint("idempotency-key", key) if key else None,
            fingerprint("body", session_id or "", *parts),
        )

    @property
    def undated(self) -> list[int]:
        """The indexes of the messages without a timestamp."""
        return [index for index, message in enumerate(self.messages) if message.timestamp is None]


def _known_ids(reader: Reader, incoming: _Incoming, now: int) -> list[str | None]:
    """For each message the id it is stored under already, or None."""
    known: list[str | None] = [None] * len(incoming.messages)
    if incoming.key is not None:
        remembered_request = reader.recent_request(incoming.key, now - IDEMPOTENCY_WINDOW_MS)
        if remembered_request is None:
            return known
        body, ids = remembered_request
        if body != incoming.body:
            raise Conflict(
                "This Idempotency-Key was used for other messages within the last 24 hours; "
                "send a new key with new messages."
            )
        return list(ids)
    for index, message in enumerate(incoming.messages):
        if message.timestamp is not None:
            known[index] = _dated_id(reader, message)
    undated = incoming.undated
    for index, memory_id in zip(undated, _undated_ids(reader, incoming, undated, now), strict=True):
        known[index] = memory_id
    return known


def _dated_id(reader: Reader, message: Message) -> str | None:
    rows = reader.known(message.digest, message.session_id, message.timestamp)
    return rows[0].id if rows else None


def _undated_ids(
    reader: Reader, incoming: _Incoming, undated: Sequence[int], now: int
) -> list[str | None]:
    if not undated:
        return []
    if incoming.session_id is None:
        recent = reader.recent_request(incoming.body, now - RETRY_WINDOW_MS)
        if recent is None:
            return [None] * len(undated)
        ids = [recent[1][index] for index in undated]
        existing = reader.seqs_of([memory_id for memory_id in ids if memory_id is not None])
        return [memory_id if memory_id in existing else None for memory_id in ids]
    tail = reader.tail(incoming.session_id, len(undated))
    overlap = known_head(
        [row.digest for row in tail],
        [incoming.messages[index].digest for index in undated],
        tail[-1].created if tail else None,
        now,
    )
    known: list[str | None] = [row.id for row in tail[len(tail) - overlap :]]
    return known + [None] * (len(undated) - overlap)


def _vectors(
    context: Context,
    messages: Sequence[Message],
    fresh: Sequence[int],
    captured: Sequence[Captured],
) -> tuple[list[list[bytes | None]], list[list[bytes | None]]]:
    """The vectors of each message's passages, None but for fresh ones; and of the statements'."""
    texts = [passage_texts(message.text) for message in messages]
    asked = [text for index in fresh for text in texts[index]]
    asked += [text for one in captured for text in one.passages]
    computed = iter(context.embedding.within_budget(asked))
    vectors: list[list[bytes | None]] = [[None] * len(parts) for parts in texts]
    for index in fresh:
        vectors[index] = [next(computed) for _ in texts[index]]
    return vectors, [[next(computed) for _ in one.passages] for one in captured]


def _first_instant(
    reader: Reader, incoming: _Incoming, known: Sequence[str | None], now: int
) -> int:
    """When the first new undated message was said.

    The last one was said now, so that a search up to now finds them all; and all of them after the
    last undated message of their session.
    """
    count = sum(known[index] is None for index in incoming.undated)
    first = now - max(count - 1, 0)
    last = reader.tail(incoming.session_id, 1) if incoming.session_id else []
    return max(first, last[0].date + 1) if last and not last[0].dated else first


def _new_memories(
    system: System,
    messages: Sequence[Message],
    known: Sequence[str | None],
    vectors: Sequence[Sequence[bytes | None]],
    instant: int,
) -> tuple[list[str], list[NewMemory]]:
    """The id of every message, and the memories to store for those that are not known.

    A dated message that stands twice in the request is one; undated ones get distinct, increasing
    milliseconds from `instant` on.
    """
    ids: list[str] = []
    new: list[NewMemory] = []
    dated: dict[tuple[bytes, int | None], str] = {}
    for message, known_id, parts in zip(messages, known, vectors, strict=True):
        if message.timestamp is None:
            memory_id, date = known_id, instant
            instant += known_id is None
        else:
            memory_id, date = known_id or dated.get(message.instant), message.timestamp
        if memory_id is None:
            memory_id = system.new_id()
            new.append(message_memory(message, memory_id, date, parts))
        if message.timestamp is not None:
            dated[message.instant] = memory_id
        ids.append(memory_id)
    return ids, new


def _remember(tx: Writer, incoming: _Incoming, ids: Sequence[str], now: int, *, anew: bool) -> None:
    """Remember the request; a retry, which stores nothing `anew`, does not prolong its window."""
    if incoming.key is not None:
        digest, window = incoming.key, IDEMPOTENCY_WINDOW_MS
    elif incoming.session_id is None and incoming.undated:
        digest, window = incoming.body, RETRY_WINDOW_MS
    else:
        return
    if anew or tx.recent_request(digest, now - window) is None:
        tx.remember_request(digest, incoming.body, ids, now, now - IDEMPOTENCY_WINDOW_MS)
