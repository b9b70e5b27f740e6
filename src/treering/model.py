"""The values that memory is made of."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum, StrEnum


class Tier(IntEnum):
    """How distilled a memory is."""

    RAW = 1
    REFLECTION = 2
    HIGH_LEVEL = 3


class Level(IntEnum):
    """What a memory costs in every prompt; shown as `L0` to `L3`."""

    PINNED = 0
    HOT = 1
    WARM = 2
    COLD = 3

    @property
    def label(self) -> str:
        """The name both APIs show."""
        return f"L{self.value}"


class Kind(IntEnum):
    """What a memory is. The numbers are stored."""

    MESSAGE = 1
    STATEMENT = 2
    REFLECTION = 3

    @property
    def label(self) -> str:
        """The name both APIs show."""
        return self.name.lower()


class Source(StrEnum):
    """Where a memory came from."""

    MESSAGE = "message"
    RULES = "rules"
    API = "api"
    REFLECTION = "reflection"


@dataclass(frozen=True, slots=True)
class Window:
    """A span of epoch milliseconds. Coverage includes both ends; a search window is half-open."""

    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Memory:
    """One memory as it is stored.

    `seq` is its row number: order of arrival, never reused, never shown. `date` is when it was said
    (of a reflection: the end of what it covers), `created` when it was stored; both epoch ms.
    `batch` is the row number of the batch that made a reflection.
    """

    seq: int
    id: str
    kind: Kind
    tier: Tier
    level: Level
    role: str
    content: str
    date: int
    created: int
    tokens: int
    source: Source
    session_id: str | None = None
    covers: Window | None = None
    importance: int | None = None
    batch: int | None = None
    accessed: int = 0
    access_count: int = 0


@dataclass(frozen=True, slots=True)
class Tally:
    """How many memories share a kind, tier, level and place in or out of the pool.

    `pooled` memories wait for consolidation. `tokens` and `importance` are sums.
    """

    kind: Kind
    tier: Tier
    level: Level
    pooled: bool
    count: int
    tokens: int
    importance: int


@dataclass(frozen=True, slots=True)
class Caller:
    """Who asks: the key that usage is booked on, and what the request's headers said."""

    key_id: str | None = None
    session_id: str | None = None
    idempotency_key: str | None = None


ANONYMOUS = Caller()
