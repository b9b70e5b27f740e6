"""What each verb is asked, as values: the wire's bodies and the Vault's arguments are the same.

Validation is strict and unknown fields are refused. `Request[R]` is answered by a reply of type R.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, ClassVar, Generic, Literal, Self, TypeVar

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    PlainValidator,
    Strict,
    TypeAdapter,
    ValidationError,
    WithJsonSchema,
)

from treering.errors import InvalidRequest
from treering.replies import (
    CheckoutReply,
    CommitReply,
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
from treering.rules import instants

R = TypeVar("R")

MAX_SESSION_CHARACTERS = 512
MAX_QUERY_CHARACTERS = 200_000


def _not_blank(text: str) -> str:
    if not text.strip():
        raise ValueError("must not be blank")
    return text


def _at_most(limit: int) -> AfterValidator:
    def check(text: str) -> str:
        if len(text) > limit:
            raise ValueError(f"must be at most {limit:,} characters")
        return text

    return AfterValidator(check)


def _encodable(text: str) -> str:
    if not text.isprintable():
        raise ValueError("must hold printable characters only")
    return text


def _instant(value: Any) -> int:
    if isinstance(value, str) or type(value) is int:
        return instants.instant(value)
    raise ValueError("must be epoch milliseconds or ISO 8601 with a zone")


def _content(value: Any) -> Any:
    if value is None or isinstance(value, str):
        return value
    if isinstance(value, list) and all(isinstance(part, str | dict) for part in value):
        return value
    raise ValueError("must be text or a list of parts")


SessionId = Annotated[
    str, AfterValidator(_not_blank), AfterValidator(_encodable), _at_most(MAX_SESSION_CHARACTERS)
]
QueryText = Annotated[str, AfterValidator(_not_blank), _at_most(MAX_QUERY_CHARACTERS)]
Timestamp = Annotated[
    int,
    BeforeValidator(_instant),
    WithJsonSchema(
        {
            "anyOf": [{"type": "integer"}, {"type": "string"}],
            "description": "Epoch milliseconds, or ISO 8601 with a zone.",
        }
    ),
]
Importance = Annotated[int, Field(ge=1, le=10)]
Tiers = Annotated[
    tuple[Annotated[int, Strict(), Field(ge=1, le=3)], ...],
    Field(min_length=1, strict=False, description="A non-empty subset of [1, 2, 3]."),
]
_SESSION_ID: TypeAdapter[str] = TypeAdapter(SessionId)
Content = Annotated[
    str | list[dict[str, Any] | str] | None,
    PlainValidator(_content),
    WithJsonSchema(
        {
            "anyOf": [
                {"type": "string"},
                {"type": "array", "items": {"anyOf": [{"type": "string"}, {"type": "object"}]}},
                {"type": "null"},
            ],
            "description": "Text, or a list of parts whose text is kept.",
        }
    ),
]


class Request(BaseModel, Generic[R]):
    """One verb's question."""

    model_config = ConfigDict(strict=True, frozen=True, extra="forbid")
    endpoint: ClassVar[str] = ""
    """The name that usage is booked under; empty where nothing is metered."""

    @classmethod
    def parse(cls, body: object) -> Self:
        """The request in `body`; raises InvalidRequest that names each field and its problem."""
        try:
            return cls.model_validate(body)
        except ValidationError as error:
            raise InvalidRequest(*issues_of(error)) from None


def issues_of(error: ValidationError) -> list[str]:
    """The issues of a validation error, as `path: problem`."""
    return issues_in(error.errors(include_url=False, include_context=False))


def issues_in(errors: Sequence[Mapping[str, Any]]) -> list[str]:
    """Pydantic's error details, as `path: problem`."""
    return [f"{path_of(error['loc'])}: {_problem(error)}" for error in errors]


def parse_session_id(field: str, value: str | None) -> str | None:
    """A session id, or another short name, from outside the body; raises InvalidRequest."""
    if value is None:
        return None
    try:
        return _SESSION_ID.validate_python(value)
    except ValidationError as error:
        raise InvalidRequest(f"{field}: {_problem(error.errors()[0])}") from None


def path_of(location: tuple[int | str, ...]) -> str:
    """A field's place in the body, as `messages[0].content`."""
    path = ""
    for part in location:
        path += f"[{part}]" if isinstance(part, int) else f".{part}" if path else str(part)
    return path or "body"


def _problem(issue: Mapping[str, Any]) -> str:
    kind = issue["type"]
    if kind in _WORDED:
        return _WORDED[kind]
    return str(issue["msg"]).removeprefix("Value error, ")


_WORDED = {
    "extra_forbidden": "unknown field; remove it",
    "missing": "is required",
    "json_invalid": "is not JSON",
    "model_type": "must be a JSON object",
    "model_attributes_type": "must be a JSON object, sent with Content-Type: application/json",
}


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
    messages: Annotated[list[IngestMessage], Field(min_length=1)]
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
    messages: Annotated[list[PrepareMessage], Field(min_length=1)]
    session_id: SessionId | None = None
    density: Literal["low", "default", "high", "xhigh"] = "default"
    context_limit: Annotated[int, Field(ge=0, le=1000)] | None = Field(
        default=None, description="How many memories at the most; overrides density."
    )
    max_tokens: Annotated[int, Field(ge=1, le=200_000)] = 6000
    tiers: Tiers | None = None
    importance: Importance | None = None
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


class CheckoutRequest(Request[CheckoutReply]):
    """Lease the oldest unconsolidated memories of a tier."""

    endpoint = "checkout"
    tier: Annotated[int, Field(ge=1, le=2)]
    max_tokens: int | None = Field(
        default=None, description="A hard cap, clamped to 1,000 to 200,000."
    )
    session_id: SessionId | None = None
    embeddings: str | None = Field(default=None, description="Accepted; a vault has one embedder.")


class Entry(BaseModel):
    """One reflection as the model wrote it."""

    model_config = ConfigDict(strict=True, frozen=True, extra="forbid")

    text: Annotated[str, AfterValidator(str.strip), AfterValidator(_not_blank), _at_most(8000)] = (
        Field(description="Clean standalone prose of 1 to 8,000 characters.")
    )
    importance: Importance


class CommitRequest(Request[CommitReply]):
    """Store the entries that the model wrote over a leased batch.

    Entries are read after the batch's own state is known, so that a replay is answered whatever
    they say: see `parse_entries`.
    """

    endpoint = "commit"
    batch_id: str
    entries: list[Any] = Field(
        json_schema_extra={
            "items": Entry.model_json_schema(),
            "minItems": 1,
            "maxItems": 100,
        }
    )

    def parse_entries(self) -> list[Entry]:
        """The entries, checked; raises InvalidRequest."""
        return _Entries.parse({"entries": self.entries}).entries


class _Entries(Request[None]):
    entries: Annotated[list[Entry], Field(min_length=1, max_length=100)]


class DeleteRequest(Request[DeleteReply]):
    """Delete memories for good, whatever their tier."""

    endpoint = "delete-ids"
    ids: Annotated[list[str], Field(min_length=1, max_length=500)]
    cascade: bool = Field(default=False, description="Delete reflections built on them too.")


class UploadRequest(Request[UploadReply]):
    """Store lines of a file; good lines are kept whatever the others are."""

    model_config = ConfigDict(arbitrary_types_allowed=True)

    endpoint = "upload"
    lines: list[UploadLine | str | None] = Field(
        description="A line, what is wrong with it, or None for a blank one; its place in the list "
        "is its line number."
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
