"""The values of the levels block: what may enter it, and what did."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum

from treering.model import Level
from treering.rules.levels.selfmodel import Domain


class Reason(StrEnum):
    """Why an entry is in the block."""

    CORRECTION = "correction"
    GUARDRAIL = "guardrail"
    PINNED = "pinned"
    INDEX = "index"
    TRIGGER = "trigger"
    RECALL = "recall"
    TENSION = "tension"


@dataclass(frozen=True, slots=True)
class Candidate:
    """A memory that may enter the block; `accessed` is when it last was, in epoch milliseconds."""

    id: str
    level: Level
    gist: str
    body: str
    accessed: int = 0


@dataclass(frozen=True, slots=True)
class Tension:
    """An unresolved contradiction, as it is shown."""

    id: str
    claim_a: str
    claim_b: str
    impact: str
    question: str


@dataclass(frozen=True, slots=True)
class Limits:
    """The block's budget in tokens, and how many of the hot memories are listed."""

    max_tokens: int = 2_000
    max_index_items: int = 60


@dataclass(frozen=True, slots=True)
class Material:
    """All that a block may be made of.

    `pinned` and `recalled` (best first) are shown in the order given. `triggered` are the ids of
    hot memories whose body is wanted, be it for an identifier or because the caller asked.
    """

    is_correction: bool = False
    weak: Mapping[str, Domain] = field(default_factory=dict)
    pinned: Sequence[Candidate] = ()
    hot: Sequence[Candidate] = ()
    triggered: frozenset[str] = frozenset()
    recalled: Sequence[Candidate] = ()
    tensions: Sequence[Tension] = ()


@dataclass(frozen=True, slots=True)
class Entry:
    """One entry of a block; `text` is its part of the block, its section's heading included.

    `tokens` are those of `text`. `body` is set where the block shows the body.
    """

    id: str
    level: Level
    reason: Reason
    gist: str
    body: str | None
    text: str
    tokens: int


@dataclass(frozen=True, slots=True)
class Block:
    """The block, its entries in the order of its text, their tokens together, and what is missing.

    `truncated` says that the budget or the index limit left something of the hot level out.
    """

    text: str
    entries: tuple[Entry, ...]
    total_tokens: int
    truncated: bool
