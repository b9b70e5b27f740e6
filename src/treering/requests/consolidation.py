"""What checking out, committing and reverting are asked."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import AfterValidator, BaseModel, ConfigDict, Field

from treering.replies import CheckoutReply, CommitReply, RevertReply
from treering.requests.fields import Importance, Request, SessionId, at_most, not_blank


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

    text: Annotated[str, AfterValidator(str.strip), AfterValidator(not_blank), at_most(8000)] = (
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


class RevertRequest(Request[RevertReply]):
    """Undo one committed batch: its reflections go, its sources return to the pool."""

    batch_id: str
