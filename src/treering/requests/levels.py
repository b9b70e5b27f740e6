"""What the Levels API is asked. Its JSON is camelCase."""

from __future__ import annotations

from typing import Annotated, Literal, Self, TypeVar

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, model_validator
from pydantic.alias_generators import to_camel

from treering.model import Kind, Level, Source
from treering.replies.levels import (
    AnalyticsReply,
    BuildReply,
    BuildsReply,
    ContextReply,
    DeletedReply,
    LearnedReply,
    LeveledMemory,
    LevelStatsReply,
    MemoriesReply,
    RecallReply,
    SelfModelReply,
    SettingsReply,
    TensionReply,
    TensionsReply,
)
from treering.requests.fields import QueryText, Request, SessionId, at_most, not_blank, printable
from treering.rules.content import MAX_CHARACTERS
from treering.rules.levels.capture import MAX_CHARACTERS as MAX_STATEMENT
from treering.rules.levels.capture import MIN_CHARACTERS

R = TypeVar("R")

MAX_BUDGET = 200_000
MAX_INDEX_ITEMS = 1_000
MAX_RECALLED = 500
MAX_TRANSCRIPT = 2_000_000


def _long_enough(text: str) -> str:
    if len(text) < MIN_CHARACTERS:
        raise ValueError(f"must be at least {MIN_CHARACTERS} characters")
    return text


Text = Annotated[str, at_most(MAX_CHARACTERS)]
Statement = Annotated[str, AfterValidator(not_blank), at_most(MAX_STATEMENT)]
StatementText = Annotated[
    str, AfterValidator(str.strip), AfterValidator(_long_enough), at_most(MAX_STATEMENT)
]
DomainName = Annotated[
    str,
    AfterValidator(str.strip),
    AfterValidator(not_blank),
    AfterValidator(printable),
    at_most(100),
]
LevelName = Literal["L0", "L1", "L2", "L3"]
"""This API's `tier` is what the rest of Treering calls a level."""
KindName = Literal["message", "statement", "reflection"]
SourceName = Literal["rules", "api", "reflection", "message"]
Count = Annotated[int, Field(ge=0)]
Limit = Annotated[int, Field(ge=1, le=MAX_RECALLED, strict=False)]
Offset = Annotated[int, Field(ge=0, le=2**53, strict=False)]
Scope = Literal["vault", "account"]

_CAMEL_CASE = ConfigDict(
    strict=True, frozen=True, extra="forbid", alias_generator=to_camel, validate_by_alias=True
)


class LevelsRequest(Request[R]):
    """A question of the Levels API."""

    model_config = _CAMEL_CASE


class ContextRequest(LevelsRequest[ContextReply]):
    """Build the levels block for a turn."""

    endpoint = "context"
    user_message: Text = ""
    transcript: Annotated[str, at_most(MAX_TRANSCRIPT)] = Field(
        default="", description="What the prompt shows already."
    )
    force_full: Annotated[list[str], Field(max_length=MAX_RECALLED)] = Field(
        default_factory=list, description="Ids of memories whose body is wanted."
    )
    max_tokens: Annotated[int, Field(ge=0, le=MAX_BUDGET)] | None = None
    session_id: SessionId | None = None
    recall: Annotated[int, Field(ge=0, le=MAX_RECALLED)] = Field(
        default=0, description="How many of the best candidates enter the block."
    )


class RecallRequest(LevelsRequest[RecallReply]):
    """Find memories of all levels by relevance."""

    endpoint = "recall"
    query: QueryText
    limit: Annotated[int, Field(ge=1, le=MAX_RECALLED)] | None = None
    session_id: SessionId | None = None


class TurnRequest(LevelsRequest[LearnedReply]):
    """Keep an exchange verbatim, and learn from what the user said."""

    endpoint = "turns"
    user_message: Annotated[str, AfterValidator(not_blank)]
    assistant_response: str
    session_id: SessionId | None = None


class StatementItem(BaseModel):
    """A statement to be stored outright."""

    model_config = _CAMEL_CASE

    content: StatementText
    domains: Annotated[list[DomainName], Field(max_length=20)] = Field(default_factory=list)
    tier: Literal["L1", "L2", "L3"] = Field(
        default="L1", description="Pinning to L0 is a person's decision: PATCH the memory."
    )


class StoreRequest(LevelsRequest[LearnedReply]):
    """Store statements outright."""

    endpoint = "memories"
    items: Annotated[list[StatementItem], Field(min_length=1, max_length=500)]
    session_id: SessionId | None = None
    reconcile: bool = Field(default=True, description="false: keep each, whatever is held already.")


class MemoriesRequest(LevelsRequest[MemoriesReply]):
    """List memories, newest first."""

    tier: LevelName | None = None
    kind: KindName | None = None
    limit: Limit = 50
    offset: Offset = 0
    q: Annotated[str, AfterValidator(printable), at_most(MAX_STATEMENT)] | None = Field(
        default=None, description="Text that the content holds, case aside."
    )
    domain: DomainName | None = None
    source: SourceName | None = None

    @property
    def level(self) -> Level | None:
        """The level that is asked for."""
        return None if self.tier is None else level_named(self.tier)

    @property
    def of_kind(self) -> Kind | None:
        """The kind that is asked for."""
        return None if self.kind is None else Kind[self.kind.upper()]

    @property
    def of_source(self) -> Source | None:
        """The source that is asked for."""
        return None if self.source is None else Source(self.source)


class _OfOne(LevelsRequest[R]):
    """A question about one thing, which the path names."""

    id: Annotated[str, AfterValidator(not_blank)]

    @classmethod
    def of(cls, id: str, fields: BaseModel) -> Self:
        """The question about `id` whose other fields are those that `fields` sets."""
        given = {name: getattr(fields, name) for name in fields.model_fields_set}
        return cls.model_construct(_fields_set={"id", *given}, id=id, **given)


class MemoryRequest(_OfOne[LeveledMemory]):
    """Read one memory."""


class EditFields(BaseModel):
    """What of a memory changes."""

    model_config = _CAMEL_CASE

    tier: LevelName | None = None
    content: StatementText | None = Field(default=None, description="Of statements alone.")
    gist: Statement | None = Field(
        default=None, description="Null goes back to the gist that is made of the content."
    )
    domains: Annotated[list[DomainName], Field(max_length=20)] | None = None


class EditRequest(EditFields, _OfOne[LeveledMemory]):
    """Move a memory between levels, or change its text, gist or domains."""

    endpoint = "edit"


class ForgetRequest(_OfOne[DeletedReply]):
    """Delete one memory for good."""

    endpoint = "delete-ids"


class TensionsRequest(LevelsRequest[TensionsReply]):
    """List contradictions."""

    status: Literal["active", "open", "latent", "resolved"] | None = None


class OpenTensionRequest(LevelsRequest[TensionReply]):
    """Record a contradiction between two claims."""

    claim_a: Statement
    claim_b: Statement
    impact: Literal["low", "medium", "critical"] = "medium"
    actionable_question: Statement | None = None


class ChangeTensionFields(BaseModel):
    """What becomes of a contradiction."""

    model_config = _CAMEL_CASE

    resolved_by: Statement | None = None
    pattern: Statement | None = None
    status: Literal["active", "open", "latent"] | None = None

    @model_validator(mode="after")
    def _one_change(self) -> Self:
        if (self.resolved_by is None) == (self.status is None):
            raise ValueError("send resolvedBy to resolve it, or status to set it active or latent")
        if self.pattern is not None and self.resolved_by is None:
            raise ValueError("pattern goes with resolvedBy")
        return self


class ChangeTensionRequest(ChangeTensionFields, _OfOne[TensionReply]):
    """Resolve a contradiction, or set it active or latent."""

    endpoint = "tensions"


class DropTensionRequest(_OfOne[DeletedReply]):
    """Delete a contradiction; its claims stay."""


class SelfModelRequest(LevelsRequest[SelfModelReply]):
    """Read the self-model."""


class OutcomeRequest(LevelsRequest[SelfModelReply]):
    """Record how something went in a domain."""

    domain: DomainName
    success: bool
    failure_pattern: Statement | None = None
    strategy: Statement | None = None


class LevelStatsRequest(LevelsRequest[LevelStatsReply]):
    """Count what the vault holds by level, and what in it wants attention."""


class AnalyticsRequest(LevelsRequest[AnalyticsReply]):
    """Sum up what blocks cost."""

    days: Annotated[int, Field(ge=1, le=3650, strict=False)] = 30


class BuildsRequest(LevelsRequest[BuildsReply]):
    """List the blocks that were sent, newest first."""

    limit: Limit = 50
    offset: Offset = 0


class BuildRequest(_OfOne[BuildReply]):
    """Read one block as it was sent."""


class SettingsRequest(LevelsRequest[SettingsReply]):
    """Read what is set and what is in force."""

    scope: Scope = "vault"


class ChangeSettingsRequest(LevelsRequest[SettingsReply]):
    """Change settings: null inherits again, what is left out stays as it is."""

    scope: Scope = "vault"
    max_total_tokens: Annotated[int, Field(ge=0, le=MAX_BUDGET)] | None = None
    max_index_items: Annotated[int, Field(ge=0, le=MAX_INDEX_ITEMS)] | None = None
    default_recall_limit: Annotated[int, Field(ge=1, le=MAX_RECALLED)] | None = None
    capture: bool | None = None

    def changes(self) -> dict[str, int | None]:
        """The values that are sent, by name."""
        return {
            name: value if value is None else int(value)
            for name, value in self.model_dump(exclude_unset=True, exclude={"scope"}).items()
        }


def level_named(name: str) -> Level:
    """The level `L0` to `L3`."""
    return Level(int(name[1]))
