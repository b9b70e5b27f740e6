"""The store protocol: what the Vault asks of an engine.

`read()` answers one query at a time; `write()` is one transaction that commits when its block ends
and rolls back when it raises. Row numbers (`seq`) are the store's own and never leave the Vault.
Engines translate their driver's errors to StorageFailure with the cause kept.
"""

from __future__ import annotations

from collections.abc import Generator, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol

from treering.errors import EmbedderMismatch
from treering.model import Kind, Level, Memory, Source, Tally, Tier, Window
from treering.store.levels import LevelsReader, LevelsWriter

IndexRow = tuple[int, int, int, int, int, int, int, int, int, int, int, bytes, bytes | None]
"""One passage of one memory as the index holds it: seq, tier, kind, level, importance (0: none),
date, covers from, covers to, session number (0: none), speaker, seq it folds into (0: none),
terms, vector (None: pending)."""

IndexLink = tuple[int, int, float]
"""How closely a source backs a reflection: reflection seq, source seq, weight."""


@dataclass(frozen=True, slots=True)
class VaultMeta:
    """What is fixed when a vault is made."""

    vault_id: str
    created: int
    embedder: str
    dims: int


@dataclass(frozen=True, slots=True)
class Head:
    """Where a vault's history stands.

    `change` grows with every commit that touches a memory, `epoch` when all that an index holds
    must be read afresh, `pending` counts passages without a vector; `embedder` names the model
    that the vectors are of.
    """

    epoch: int
    change: int
    pending: int
    embedder: str


@dataclass(frozen=True, slots=True)
class NewPassage:
    """A span of a memory's text that is searched as one: its terms, and its vector or None."""

    start: int
    end: int
    terms: bytes
    vector: bytes | None


@dataclass(frozen=True, slots=True)
class NewMemory:
    """A memory to be stored; `pooled` ones wait for consolidation, `batch` made a reflection."""

    id: str
    kind: Kind
    tier: Tier
    level: Level
    source: Source
    role: str
    content: str
    date: int
    tokens: int
    digest: bytes
    passages: Sequence[NewPassage]
    dated: bool = False
    speaker: int = 0
    session_id: str | None = None
    covers: Window | None = None
    importance: int | None = None
    pooled: bool = True
    batch: int | None = None


@dataclass(frozen=True, slots=True)
class Known:
    """A stored message that a resent one may be: found by the digest of its role and text."""

    seq: int
    id: str
    digest: bytes
    date: int
    dated: bool
    created: int


@dataclass(frozen=True, slots=True)
class PoolRow:
    """A memory that waits for consolidation, without its text."""

    seq: int
    id: str
    tokens: int
    importance: int | None
    covered: Window


@dataclass(frozen=True, slots=True)
class Dated:
    """What paging by time reads of a memory; a raw memory covers its own instant."""

    seq: int
    tier: int
    covers: Window
    tokens: int
    importance: int


class BatchState(StrEnum):
    """Where a batch stands; whether a lease has expired is read off its time instead."""

    LEASED = "leased"
    COMMITTED = "committed"
    REVERTED = "reverted"
    WIPED = "wiped"


@dataclass(frozen=True, slots=True)
class BatchRecord:
    """A checked-out batch. `created` are the ids and importances that its commit stored."""

    seq: int
    id: str
    tier: Tier
    state: BatchState
    expires: int
    covers: Window
    size: int
    created: Sequence[tuple[str, int]] = ()
    consolidated: int = 0


@dataclass(frozen=True, slots=True)
class Pending:
    """A passage whose vector is still to be computed; `digest` is its whole memory's."""

    seq: int
    number: int
    text: str
    digest: bytes


@dataclass(frozen=True, slots=True)
class UsageEvent:
    """One metered call."""

    at: int
    endpoint: str
    tokens: int
    key_id: str | None
    session_id: str | None


@dataclass(frozen=True, slots=True)
class UsageTotal:
    """The sum of the events that share an endpoint, a session, a key and a UTC day."""

    day: int
    endpoint: str
    session_id: str | None
    key_id: str | None
    events: int
    tokens: int


@dataclass(frozen=True, slots=True)
class Residue:
    """What a look through the files found: of `checked` texts, how many left bytes behind."""

    files: int
    bytes: int
    checked: int
    found: int


class Reader(LevelsReader, Protocol):
    """What can be asked of a vault, one query a call."""

    def head(self) -> Head: ...
    def tallies(self) -> list[Tally]: ...
    def span(self) -> Window | None:
        """The oldest and the newest date of a memory."""

    def memories(self, seqs: Sequence[int]) -> dict[int, Memory]:
        """Those of `seqs` that exist."""

    def seqs_of(self, ids: Sequence[str]) -> dict[str, int]:
        """The row numbers of those ids that exist; malformed ids exist nowhere."""

    def session_number(self, session_id: str) -> int | None: ...
    def index_rows(self, after: int) -> Iterator[IndexRow]:
        """Passages of memories that changed after that change, in the order of their memories."""

    def index_links(self, after: int) -> Iterator[IndexLink]:
        """Links of reflections that changed after that change."""

    def gone(self, after: int) -> list[int]:
        """Row numbers of memories deleted after that change."""

    def raw_dates(self, window: Window, newest_first: bool) -> Generator[Dated]:
        """Raw memories in a half-open window, by date and arrival, without captured statements.

        Closing the iterator ends the read.
        """

    def reflections(self, window: Window) -> list[Dated]:
        """Reflections whose coverage overlaps a half-open window."""

    def batch(self, batch_id: str) -> BatchRecord | None: ...
    def batch_by_seq(self, seq: int) -> BatchRecord | None: ...
    def members(self, batch_seq: int) -> list[int]:
        """Row numbers of a batch's memories that still exist, in order of (date, arrival)."""

    def made_by(self, batch_seq: int) -> list[int]:
        """Row numbers of the reflections that a batch made and that still exist."""

    def support(self, reflection_seq: int) -> dict[int, float]: ...
    def built_on(self, seqs: Sequence[int]) -> list[int]:
        """Row numbers of the reflections made from batches that held one of `seqs`."""

    def captured_from(self, message_seq: int) -> list[int]: ...
    def captured_in(self, statement_seq: int) -> list[int]: ...
    def spans(self, seq: int) -> list[tuple[int, int]]:
        """The start and end of each passage of a memory, in order."""

    def dates(self, seqs: Sequence[int]) -> list[Dated]:
        """Those of `seqs` that exist, without their text and without captured statements."""

    def vectors(self, seqs: Sequence[int]) -> dict[int, list[bytes | None]]:
        """Each memory's passage vectors, in passage order."""

    def pending(self, limit: int, seqs: Sequence[int] | None = None) -> list[Pending]:
        """Passages without a vector, oldest first; of those memories alone when `seqs` is given."""

    def usage(self, start: int, end: int) -> list[UsageTotal]: ...

    def tail(self, session_id: str, limit: int) -> list[Known]:
        """A session's last messages in order of arrival, oldest first."""

    def known(self, digest: bytes, session_id: str | None, date: int | None = None) -> list[Known]:
        """Messages of a session (None: of none) with that digest, in order of arrival.

        Of those dated `date` alone when it is given.
        """

    def recent_request(self, digest: bytes, since: int) -> tuple[bytes, list[str | None]] | None:
        """The body digest and the ids of a request remembered since then."""


class Writer(Reader, LevelsWriter, Protocol):
    """One transaction."""

    def add(self, memories: Sequence[NewMemory], now: int) -> list[int]: ...
    def remember_request(
        self, digest: bytes, body: bytes, ids: Sequence[str | None], now: int, forget_before: int
    ) -> None: ...
    def pool(self, tier: Tier, now: int) -> Generator[PoolRow]:
        """Memories of a tier that wait and are in no live lease, by (date, arrival)."""

    def lease(
        self,
        batch_id: str,
        tier: Tier,
        members: Sequence[PoolRow],
        covers: Window,
        now: int,
        expires: int,
    ) -> None: ...
    def commit_batch(
        self,
        batch: BatchRecord,
        created: Sequence[tuple[str, int]],
        sources: Sequence[int],
        now: int,
    ) -> None:
        """Mark the batch committed and its sources consolidated, and end its lease."""

    def add_support(self, links: Iterable[IndexLink]) -> None: ...
    def revert_batch(self, batch: BatchRecord) -> None:
        """Mark the batch reverted and return its sources to the pool."""

    def delete(self, seqs: Sequence[int]) -> None:
        """Delete memories with all that holds their text or stands for them."""

    def session_seqs(self, session_id: str, kind: Kind | None = None) -> list[int]:
        """The memories of a session, in order of arrival; of one kind when it is given."""

    def wipe(self) -> int:
        """Delete every memory; the vault's usage stays. Returns how many there were."""

    def set_vectors(self, vectors: Sequence[tuple[Pending, bytes]]) -> None:
        """Store the vectors of passages; those that are gone or say something else by now stay."""

    def meter(self, events: Sequence[UsageEvent]) -> None: ...


class VaultStore(Protocol):
    """One vault in one engine. Safe to use from several threads."""

    @property
    def meta(self) -> VaultMeta: ...
    def read(self) -> AbstractContextManager[Reader]: ...
    def write(self) -> AbstractContextManager[Writer]: ...
    def change_embedder(self, name: str, dims: int) -> None:
        """Make another model the vault's own: every vector is dropped and pending again."""

    def erase(self) -> bool:
        """Remove deleted bytes from the files; False while another reader holds them."""

    def owes_erasure(self) -> bool:
        """Whether something was deleted since the files were last cleared."""

    def residue(self, texts: Sequence[str]) -> Residue:
        """Look for bytes of deleted texts in the files, outside the rows that are left."""

    def wants_compaction(self) -> bool:
        """Whether what was deleted takes enough room to build the files anew."""

    def compact(self) -> None:
        """Build the files anew without the room that deleted memories took."""

    def close(self) -> None: ...


def check_embedder(stored: str, used: str) -> None:
    """Raise EmbedderMismatch unless the vault's vectors are of the model in use."""
    if stored != used:
        raise EmbedderMismatch(
            f"This vault was embedded by {stored}, not {used}. Set TREERING_EMBEDDER={stored}, or "
            f"run `treering reembed` to compute its vectors afresh with {used}."
        )
