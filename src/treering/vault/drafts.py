"""From text to a memory that can be stored: passages, terms, tokens and, later, vectors."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from treering.errors import PayloadTooLarge
from treering.model import Kind, Level, Source, Tier, Window
from treering.retrieval.passages import passages
from treering.retrieval.terms import index_terms, speaker
from treering.rules.content import MAX_CHARACTERS, fingerprint
from treering.rules.tokens import estimate_tokens
from treering.store.base import NewMemory, NewPassage


@dataclass(frozen=True, slots=True)
class Message:
    """One message to be stored: its text as it was said, and its instant when it has one."""

    role: str
    text: str
    timestamp: int | None
    session_id: str | None

    @property
    def digest(self) -> bytes:
        """Equal for the same role and text."""
        return fingerprint(self.role, self.text)

    @property
    def instant(self) -> tuple[bytes, int | None]:
        """Equal for the same role, text and timestamp."""
        return self.digest, self.timestamp


def check_size(place: str, text: str) -> None:
    """Raise PayloadTooLarge for a text that is over the limit of one memory."""
    if len(text) > MAX_CHARACTERS:
        raise PayloadTooLarge(f"{place}: a message's length in characters", MAX_CHARACTERS)


def passage_texts(text: str) -> list[str]:
    """The passages of a text, in order."""
    return [text[start:end] for start, end in passages(text)]


def message_memory(
    message: Message, memory_id: str, date: int, vectors: Sequence[bytes | None]
) -> NewMemory:
    """A message as a new memory: verbatim, tier 1, level L3."""
    return NewMemory(
        id=memory_id,
        kind=Kind.MESSAGE,
        tier=Tier.RAW,
        level=Level.COLD,
        source=Source.MESSAGE,
        role=message.role,
        content=message.text,
        date=date,
        tokens=estimate_tokens(message.text),
        digest=message.digest,
        passages=_new_passages(message.text, vectors),
        dated=message.timestamp is not None,
        speaker=speaker(message.text),
        session_id=message.session_id,
    )


def statement_memory(
    text: str,
    memory_id: str,
    date: int,
    source: Source,
    level: Level,
    session_id: str | None,
    vectors: Sequence[bytes | None],
) -> NewMemory:
    """A statement as a new memory; a captured one never waits for consolidation: its message does.

    `vectors` may be empty: they are pending then.
    """
    return NewMemory(
        id=memory_id,
        kind=Kind.STATEMENT,
        tier=Tier.RAW,
        level=level,
        source=source,
        role="user",
        content=text,
        date=date,
        tokens=estimate_tokens(text),
        digest=fingerprint("statement", text),
        passages=_new_passages(text, vectors or [None] * len(passages(text))),
        session_id=session_id,
        pooled=source is Source.API,
    )


def reflection_memory(
    text: str,
    importance: int,
    memory_id: str,
    tier: Tier,
    covers: Window,
    batch: int,
    vectors: Sequence[bytes | None],
) -> NewMemory:
    """A committed entry as a new memory; those of tier 2 wait for consolidation in turn."""
    return NewMemory(
        id=memory_id,
        kind=Kind.REFLECTION,
        tier=tier,
        level=Level.WARM,
        source=Source.REFLECTION,
        role="assistant",
        content=text,
        date=covers.end,
        tokens=estimate_tokens(text),
        digest=fingerprint("reflection", text),
        passages=_new_passages(text, vectors),
        dated=True,
        covers=covers,
        importance=importance,
        pooled=tier is Tier.REFLECTION,
        batch=batch,
    )


def _new_passages(text: str, vectors: Sequence[bytes | None]) -> list[NewPassage]:
    return [
        NewPassage(start, end, index_terms(text[start:end]), vector)
        for (start, end), vector in zip(passages(text), vectors, strict=True)
    ]
