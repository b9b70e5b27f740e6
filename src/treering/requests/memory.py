"""What storing, retrieving, drilling down and deleting are asked."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

from treering.replies import (
    DateSearchReply,
    DebtReply,
    DeleteReply,
    IngestReply,
    InspectReply,
    PrepareReply,
    SearchReply,
    StatsReply,
    UploadReply,
    WarmupReply,
    WipeReply,
)
from treering.requests.fields import (
    Content,
    Importance,
    QueryText,
    Request,
    SessionId,
    Tiers,
    Timestamp,
)

MAX_MESSAGES = 10_000


class IngestMessage(BaseModel):
    """One message of a conversation; what SDKs send besides is accepted and dropped."""

    model_config = ConfigDict(strict=True, frozen=True, extra="ignore")

    role: Literal["user", "assistant", "system", "tool", "developer", "function"]
    content: Content
    memory: bool = Field(default=True, description="false: do not store this message.")
    timestamp: Timestamp | None = None


class IngestRequest(Request[IngestReply]):
    """Store messages verbatim."""

    endpoint = "ingest"
    messages: Annotated[list[IngestMessage], Field(min_length=1, max_length=MAX_MESSAGES)]
    session_id: SessionId | None = None
    model: str | None = Field(default=None, description="Accepted; it changes nothing.")
    embeddings: str | None = Field(default=None, description="Accepted; a vault has one embedder.")
    capture: bool | None = Field(
        default=None, description="Whether facts are captured from user messages."
    )


class UploadLine(BaseModel):
    """One line of an upload."""

    model_config = ConfigDict(strict=True, frozen=True, extra="forbid")

    content: Content
    role: Literal["user", "assistant", "system", "tool", "developer", "function"] = "user"
    timestamp: Timestamp | None = None
    session_id: SessionId | None = None
    occurrence: Annotated[int, Field(ge=1)] | None = Field(
        default=None,
        description="This is the k-th identical line of its file; counted within the request "
        "when absent.",
    )


class UploadRequest(Request[UploadReply]):
    """Store lines of a file; good lines are kept whatever the others are."""

    model_config = ConfigDict(arbitrary_types_allowed=True)

    endpoint = "upload"
    lines: list[UploadLine | str | None] = Field(
        description="A line, what is wrong with it, or None for a blank one; its place in the list "
        "is its line number."
    )


class SearchRequest(Request[SearchReply]):
    """Find memories by relevance, all tiers blended by default."""

    endpoint = "search"
    query: QueryText
    limit: Annotated[int, Field(ge=1, le=1000)] = 10
    tiers: Tiers | None = None
    importance: Importance | None = None
    session_id: SessionId | None = Field(default=None, description="Lifts that session's memories.")
    session_only: bool = Field(default=False, description="Return that session's memories alone.")
    explain: bool = Field(default=False, description="Name the signals behind each score.")


class PrepareMessage(BaseModel):
    """One message of the prompt that the context is for."""

    model_config = ConfigDict(strict=True, frozen=True, extra="ignore")

    role: str
    content: Content = None


class PrepareRequest(Request[PrepareReply]):
    """Build the block of recalled notes for a prompt."""

    endpoint = "prepare"
    messages: Annotated[list[PrepareMessage], Field(min_length=1, max_length=MAX_MESSAGES)]
    session_id: SessionId | None = None
    density: Literal["low", "default", "high", "xhigh"] = "default"
    context_limit: Annotated[int, Field(ge=0, le=1000)] | None = Field(
        default=None, description="How many memories at the most; overrides density."
    )
    max_tokens: Annotated[int, Field(ge=1, le=200_000)] = 6000
    tiers: Tiers | None = None
    importance: Importance | None = None
    levels: bool = Field(
        default=False, description="Put the levels block first, within the same budget."
    )
    embeddings: str | None = Field(default=None, description="Accepted; a vault has one embedder.")


class DateSearchRequest(Request[DateSearchReply]):
    """Find memories by time."""

    endpoint = "date-search"
    since: str = Field(
        alias="from", description="ISO date or time; a date alone is its start, UTC."
    )
    until: str | None = Field(
        default=None, alias="to", description="ISO date or time, excluded; a date alone is its end."
    )
    query: QueryText | None = None
    tiers: Tiers | None = None
    importance: Importance | None = None
    max_tokens: int = Field(default=50_000, description="Clamped to 1,000 to 200,000.")
    order: Literal["newest_first", "oldest_first"] = "newest_first"


class InspectRequest(Request[InspectReply]):
    """Drill down from a memory to what it was built from."""

    endpoint = "inspect"
    memory_id: str


class DeleteRequest(Request[DeleteReply]):
    """Delete memories for good, whatever their tier."""

    endpoint = "delete-ids"
    ids: Annotated[list[str], Field(min_length=1, max_length=500)]
    cascade: bool = Field(default=False, description="Delete reflections built on them too.")
    receipt: bool = Field(
        default=False, description="Look through the files for bytes of what was deleted."
    )


class WipeRequest(Request[WipeReply]):
    """Delete every memory of the vault, or of one session."""

    session_id: SessionId | None = None


class StatsRequest(Request[StatsReply]):
    """Count what the vault holds."""


class DebtRequest(Request[DebtReply]):
    """Read the reflection debt."""


class WarmupRequest(Request[WarmupReply]):
    """Load the vault's index."""
