"""The part of the store protocol that the levels work with; see `store.base` for the rest."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

from treering.model import Kind, Level, Source
from treering.rules.levels.selfmodel import Domain, Sample

if TYPE_CHECKING:
    from treering.store.base import IndexRow, NewMemory

BODY = 0
"""The number of the wording that a memory was stored with."""


@dataclass(frozen=True, slots=True)
class Wording:
    """A text that a statement has or had: said by a message (its seq), or outright (None)."""

    seq: int
    message: int | None
    content: str


@dataclass(frozen=True, slots=True)
class Origin:
    """A message that a statement was captured from, and the wording that holds what it said."""

    message: int
    wording: int


@dataclass(frozen=True, slots=True)
class Side:
    """One claim of a tension: a memory's seq, or `text` where it is no memory."""

    memory: int | None = None
    text: str | None = None


@dataclass(frozen=True, slots=True)
class TensionRecord:
    """Two claims that cannot both hold; `question` is set where someone asked one.

    `pattern` is the seq of the statement that resolving stored.
    """

    seq: int
    id: str
    status: str
    impact: str
    claim_a: Side
    claim_b: Side
    created: int
    question: str | None = None
    resolved_by: str | None = None
    pattern: int | None = None


@dataclass(frozen=True, slots=True)
class BuildPart:
    """One entry of a block as it was sent.

    `quotes` are the seqs of the memories, and negated those of the tensions, that it quotes; `by`
    are the identifiers of the message that called for the body.
    """

    id: str
    level: int
    reason: str
    text: str
    tokens: int
    quotes: Sequence[int] = ()
    by: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class BuildRecord:
    """A block that was sent; `parts` is None once it is kept in numbers alone."""

    id: str
    at: int
    endpoint: str
    key_id: str | None
    session_id: str | None
    budget: int
    tokens: int
    truncated: bool
    parts: Sequence[BuildPart] | None


@dataclass(frozen=True, slots=True)
class BuildTotal:
    """The blocks that share a UTC day (days since 1970), an endpoint and a key, summed."""

    day: int
    endpoint: str
    key_id: str | None
    builds: int
    tokens: int
    spend: Mapping[str, tuple[int, int]] = field(default_factory=dict)
    """By reason: entries and their tokens."""


@dataclass(frozen=True, slots=True)
class Listing:
    """Which memories a list shows: those that fit every filter that is given."""

    level: Level | None = None
    kind: Kind | None = None
    source: Source | None = None
    domain: str | None = None
    text: str | None = None
    limit: int = 50
    offset: int = 0


@dataclass(frozen=True, slots=True)
class Lately:
    """When a vault first stored something, last used a memory, and how many sessions it knows."""

    first_stored: int | None
    last_accessed: int | None
    sessions: int


class LevelsReader(Protocol):
    """What the levels ask of a vault, one query a call."""

    def at_level(self, level: Level, limit: int | None = None) -> list[int]:
        """Memories of L0 or L1, most recently accessed first, ties by arrival, latest first."""

    def index_rows_at(self, level: Level) -> Iterator[IndexRow]:
        """Passages of the memories of a level, in the order of their memories."""

    def marked(self, mark: int, limit: int) -> list[int]:
        """Memories with a mark, newest first."""

    def hot_with_marks(self, marks: Sequence[int], limit: int) -> list[int]:
        """Memories of L1 with one of these marks, most recently accessed first."""

    def gists(self, seqs: Sequence[int]) -> dict[int, str]:
        """The gists that someone gave these memories."""

    def domains(self, seqs: Sequence[int]) -> dict[int, list[str]]:
        """The domains of those memories that have any, by name."""

    def listed(self, listing: Listing) -> tuple[int, list[int]]:
        """How many memories fit, and one page of them: newest first, ties by id."""

    def lately(self) -> Lately: ...
    def origins(self, statement: int) -> list[Origin]: ...
    def wordings(self, statement: int) -> list[Wording]:
        """What a statement was said to be after it was stored, oldest first."""

    def stored_text(self, seq: int) -> str:
        """The text that a memory was stored with; empty once it was erased."""

    def current_wording(self, statement: int) -> int:
        """The number of the wording that is a statement's text now."""

    def tensions(self, status: str | None = None) -> list[TensionRecord]:
        """Tensions, oldest first; of one status when it is given."""

    def tension(self, tension_id: str) -> TensionRecord | None: ...
    def tensions_about(self, seq: int) -> list[TensionRecord]:
        """Tensions that a memory is a claim or the pattern of."""

    def self_model(self) -> dict[str, Domain]:
        """Every domain that has an outcome."""

    def builds(self, limit: int, offset: int) -> list[BuildRecord]:
        """Builds, newest first."""

    def build(self, build_id: str) -> BuildRecord | None: ...
    def build_totals(self, start: int, end: int) -> list[BuildTotal]:
        """The builds of a half-open window, summed."""

    def settings(self) -> dict[str, int]: ...


class LevelsWriter(LevelsReader, Protocol):
    """The levels' part of one transaction."""

    def touch(self, seqs: Sequence[int], at: int) -> None:
        """Count an access of each; its time never goes back."""

    def set_level(self, seqs: Sequence[int], level: Level) -> None: ...
    def set_gist(self, seq: int, gist: str | None) -> None: ...
    def set_domains(self, seq: int, names: Sequence[str]) -> None: ...
    def set_marks(self, seq: int, marks: Sequence[int]) -> None:
        """Look a memory up by these marks, and by no others."""

    def add_marks(self, seq: int, marks: Sequence[int]) -> None: ...
    def add_origin(self, statement: int, message: int, wording: int) -> None: ...
    def add_wording(self, statement: int, message: int | None, content: str, at: int) -> int: ...
    def set_wording(self, statement: int, wording: int, text: NewMemory) -> None:
        """Make a wording the statement's text; `text` is that wording as a new memory."""

    def set_outright(self, statement: int) -> None:
        """Make a captured statement one that was stored outright, which waits for consolidation."""

    def free_of_session(self, statement: int) -> None:
        """Make a statement that more than one session said outright none's own."""

    def leave_session(self, statements: Sequence[int]) -> None:
        """Move captured statements to the session of the first message that still says them."""

    def empty_wordings(self, statement: int, kept: frozenset[int]) -> None:
        """Erase the text of every wording of a statement but those kept."""

    def add_tension(self, record: TensionRecord) -> int: ...
    def set_tension(
        self, seq: int, status: str, resolved_by: str | None, pattern: int | None
    ) -> None: ...
    def delete_tension(self, seq: int) -> None: ...
    def record_outcome(self, name: str, domain: Domain, sample: Sample, at: int) -> None:
        """Keep a sample, and the state that it brought its domain to."""

    def add_build(self, build: BuildRecord) -> None: ...

    def scrub_builds(self, quoted: Sequence[int]) -> None:
        """Erase from every build what it quotes of these memories, or (negated) tensions."""

    def set_setting(self, name: str, value: int | None) -> None: ...
