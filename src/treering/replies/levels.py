"""What the Levels API answers. Its JSON is camelCase, its times are epoch milliseconds."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar

from pydantic import ConfigDict
from pydantic.alias_generators import to_camel

from treering.replies.fields import OptionalStr


class CamelCase:
    """A reply whose fields the wire names in camelCase."""

    __slots__ = ()
    __pydantic_config__: ClassVar[ConfigDict] = ConfigDict(alias_generator=to_camel)


@dataclass(frozen=True, slots=True)
class LeveledMemory(CamelCase):
    """A memory; this API's `tier` is its level, `L0` to `L3`."""

    id: str
    content: str
    gist: OptionalStr = field(default=None, kw_only=True)
    tier: str
    kind: str
    domains: list[str]
    access_count: int
    source: str
    session_id: OptionalStr = field(default=None, kw_only=True)
    created_at: int
    last_accessed_at: int


@dataclass(frozen=True, slots=True)
class BlockEntry(CamelCase):
    """One entry of a block; `body` is there where the block shows it."""

    id: str
    tier: str
    reason: str
    gist: str
    body: OptionalStr = field(default=None, kw_only=True)
    tokens: int


@dataclass(frozen=True, slots=True)
class BlockCandidate(CamelCase):
    """A memory of L2 that has to do with the turn; it is not in the block."""

    id: str
    gist: str
    score: float


@dataclass(frozen=True, slots=True)
class ContextReply(CamelCase):
    """The levels block. The entries' tokens add up to `totalTokens`."""

    text: str
    entries: list[BlockEntry]
    total_tokens: int
    truncated: bool
    candidates: list[BlockCandidate]


@dataclass(frozen=True, slots=True)
class RecallResult(CamelCase):
    """A memory found; `matched` says whether it is above the recall floor by itself."""

    memory: LeveledMemory
    score: float
    matched: bool


@dataclass(frozen=True, slots=True)
class RecallReply(CamelCase):
    """Memories of all levels by relevance; `empty` when none has to do with the query."""

    results: list[RecallResult]
    empty: bool


@dataclass(frozen=True, slots=True)
class LearningCounts(CamelCase):
    """How many statements were stored, merged and rejected, and what else came of it."""

    stored: int
    merged: int
    rejected: int
    tensions: int
    promoted: int


@dataclass(frozen=True, slots=True)
class RejectedText(CamelCase):
    """Text that was not made a statement, and why."""

    content: str
    reason: str


@dataclass(frozen=True, slots=True)
class LearnedReply(CamelCase):
    """What became of a turn, or of statements stored outright."""

    stored: list[LeveledMemory]
    merged_into: list[LeveledMemory]
    counts: LearningCounts
    rejected: list[RejectedText]
    learning_skipped: OptionalStr = None


@dataclass(frozen=True, slots=True)
class MemoriesReply(CamelCase):
    """A page of memories, newest first; `tiers` counts the whole vault by level."""

    memories: list[LeveledMemory]
    total: int
    tiers: dict[str, int]


@dataclass(frozen=True, slots=True)
class DeletedReply(CamelCase):
    """It is gone."""

    deleted: bool


@dataclass(frozen=True, slots=True)
class Claim(CamelCase):
    """One side of a contradiction; `memoryId` where a memory claims it."""

    source: str
    statement: str
    timestamp: int
    memory_id: OptionalStr = None


@dataclass(frozen=True, slots=True)
class TensionReply(CamelCase):
    """A contradiction: active, latent or resolved."""

    id: str
    status: str
    claim_a: Claim
    claim_b: Claim
    impact: str
    actionable_question: str
    created_at: int
    resolved_by: OptionalStr = None
    pattern: OptionalStr = None


@dataclass(frozen=True, slots=True)
class TensionsReply(CamelCase):
    """Contradictions, newest first."""

    tensions: list[TensionReply]


@dataclass(frozen=True, slots=True)
class DomainReply(CamelCase):
    """How an agent has fared in a domain, and what it learnt there."""

    reliability_score: float
    sample_count: int
    known_failure_patterns: list[str]
    recommended_strategies: list[str]


@dataclass(frozen=True, slots=True)
class SelfModelReply(CamelCase):
    """The self-model; weak domains are under 75 %."""

    calibration_factor: int
    active_domains: list[str]
    domains: dict[str, DomainReply]
    weak_domains: list[str]


@dataclass(frozen=True, slots=True)
class MemoryCounts(CamelCase):
    """What a vault holds, by level and by kind."""

    total: int
    by_tier: dict[str, int]
    by_kind: dict[str, int]
    sessions: int
    first_stored_at: int | None
    last_accessed_at: int | None


@dataclass(frozen=True, slots=True)
class TensionCounts(CamelCase):
    """How many contradictions are open."""

    active: int


@dataclass(frozen=True, slots=True)
class LevelStatsReply(CamelCase):
    """What a vault holds, and what in it wants attention."""

    memories: MemoryCounts
    tensions: TensionCounts
    weak_domains: list[str]
    recent: list[LeveledMemory]
    active_tensions: list[TensionReply]


@dataclass(frozen=True, slots=True)
class BuildEntry(CamelCase):
    """An entry of a block that was sent; without an id where what it quoted was deleted."""

    id: OptionalStr = field(default=None, kw_only=True)
    tier: str
    reason: str
    tokens: int


@dataclass(frozen=True, slots=True)
class BuildReply(CamelCase):
    """A block as it was sent, and the identifiers in the message that triggered bodies.

    `text` and `entries` are null where only the numbers are kept.
    """

    id: str
    created_at: int
    endpoint: str
    key_id: OptionalStr = field(default=None, kw_only=True)
    session_id: OptionalStr = field(default=None, kw_only=True)
    max_tokens: int
    total_tokens: int
    truncated: bool
    text: str | None
    entries: list[BuildEntry] | None
    identifiers: list[str]


@dataclass(frozen=True, slots=True)
class BuildsReply(CamelCase):
    """Builds, newest first."""

    builds: list[BuildReply]


@dataclass(frozen=True, slots=True)
class Spent(CamelCase):
    """Blocks, and their tokens together."""

    builds: int = 0
    tokens: int = 0

    def __add__(self, other: Spent) -> Spent:
        return Spent(self.builds + other.builds, self.tokens + other.tokens)


@dataclass(frozen=True, slots=True)
class SpentOn(CamelCase):
    """Entries, and their tokens together."""

    entries: int = 0
    tokens: int = 0

    def __add__(self, other: SpentOn) -> SpentOn:
        return SpentOn(self.entries + other.entries, self.tokens + other.tokens)


@dataclass(frozen=True, slots=True)
class Spend(CamelCase):
    """Tokens by what they buy: index lines, bodies (pinned, triggered, recalled), notices."""

    index: int
    body: int
    notices: int


@dataclass(frozen=True, slots=True)
class DaySpend(CamelCase):
    """One UTC day."""

    day: str
    builds: int
    tokens: int
    tokens_per_turn: float
    spend: Spend


@dataclass(frozen=True, slots=True)
class AnalyticsReply(CamelCase):
    """What blocks cost over the last days; it adds up to the builds log."""

    days: int
    total: Spent
    tokens_per_turn: float
    spend: Spend
    by_day: list[DaySpend]
    by_reason: dict[str, SpentOn]
    by_endpoint: dict[str, Spent]
    by_key: dict[str, Spent]


@dataclass(frozen=True, slots=True)
class LevelSettings(CamelCase):
    """Values in force: `capture` says whether statements are captured from user messages."""

    max_total_tokens: int
    max_index_items: int
    default_recall_limit: int
    capture: bool


@dataclass(frozen=True, slots=True)
class SettingsReply(CamelCase):
    """What a vault or an account sets, null where it inherits, and what is in force."""

    scope: str
    max_total_tokens: int | None
    max_index_items: int | None
    default_recall_limit: int | None
    capture: bool | None
    effective: LevelSettings
