"""The verbs of a vault as Python methods, the same in-process and over HTTP."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from types import TracebackType
from typing import Any, Literal, Self, TypeVar

from treering import replies, requests
from treering.level_verbs import LevelVerbs
from treering.model import ANONYMOUS, Caller
from treering.requests import Request
from treering.requests.lines import upload_lines

R = TypeVar("R")

Tiers = Sequence[int] | None


class Verbs(LevelVerbs):
    """Everything a vault does. Each method builds one request value and performs it.

    Raises InvalidRequest for arguments that are not valid, and the error table's other errors.
    """

    @abstractmethod
    def perform(self, request: Request[R], caller: Caller = ANONYMOUS) -> R:
        """Do what `request` asks."""

    @abstractmethod
    def close(self) -> None:
        """Let go of files and connections."""

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def ingest(
        self,
        messages: Iterable[Mapping[str, Any]],
        *,
        session_id: str | None = None,
        idempotency_key: str | None = None,
        capture: bool | None = None,
    ) -> replies.IngestReply:
        """Store messages `{role, content, timestamp?, memory?}` verbatim.

        Statements are captured from user messages unless `capture`, or a setting, says no.
        """
        request = requests.IngestRequest.parse(
            _given(
                messages=[dict(message) for message in messages],
                session_id=session_id,
                capture=capture,
            )
        )
        key = requests.parse_session_id("Idempotency-Key", idempotency_key)
        return self.perform(request, Caller(idempotency_key=key))

    def upload(self, jsonl: str | bytes | Iterable[str | bytes]) -> replies.UploadReply:
        """Store lines of JSON `{content, role?, timestamp?, session_id?}`; good lines are kept."""
        return self.perform(requests.UploadRequest(lines=upload_lines(jsonl)))

    def search(
        self,
        query: str,
        *,
        limit: int = 10,
        tiers: Tiers = None,
        importance: int | None = None,
        session_id: str | None = None,
        session_only: bool = False,
        explain: bool = False,
    ) -> replies.SearchReply:
        """Find memories by relevance."""
        return self.perform(
            requests.SearchRequest.parse(
                _given(
                    query=query,
                    limit=limit,
                    tiers=tiers,
                    importance=importance,
                    session_id=session_id,
                    session_only=session_only,
                    explain=explain,
                )
            )
        )

    def prepare(
        self,
        messages: Iterable[Mapping[str, Any]],
        *,
        session_id: str | None = None,
        density: Literal["low", "default", "high", "xhigh"] = "default",
        context_limit: int | None = None,
        max_tokens: int = 6000,
        tiers: Tiers = None,
        importance: int | None = None,
        levels: bool = False,
    ) -> replies.PrepareReply:
        """Build the block of recalled notes for a prompt of these messages."""
        return self.perform(
            requests.PrepareRequest.parse(
                _given(
                    messages=[dict(message) for message in messages],
                    session_id=session_id,
                    density=density,
                    context_limit=context_limit,
                    max_tokens=max_tokens,
                    tiers=tiers,
                    importance=importance,
                    levels=levels,
                )
            )
        )

    def date_search(
        self,
        since: str,
        until: str | None = None,
        *,
        query: str | None = None,
        tiers: Tiers = None,
        importance: int | None = None,
        max_tokens: int = 50_000,
        order: Literal["newest_first", "oldest_first"] = "newest_first",
    ) -> replies.DateSearchReply:
        """Find memories by time in the half-open window from `since` to `until`."""
        return self.perform(
            requests.DateSearchRequest.parse(
                {
                    "from": since,
                    **_given(
                        to=until,
                        query=query,
                        tiers=tiers,
                        importance=importance,
                        max_tokens=max_tokens,
                        order=order,
                    ),
                }
            )
        )

    def inspect(self, memory_id: str) -> replies.InspectReply:
        """Drill down from a reflection to its sources, or up from a raw memory."""
        return self.perform(requests.InspectRequest.parse({"memory_id": memory_id}))

    def checkout(self, tier: int = 1, *, max_tokens: int | None = None) -> replies.CheckoutReply:
        """Lease a batch to consolidate; its `batch_id` is None when nothing is left."""
        return self.perform(
            requests.CheckoutRequest.parse(_given(tier=tier, max_tokens=max_tokens))
        )

    def commit(self, batch_id: str, entries: Iterable[Mapping[str, Any]]) -> replies.CommitReply:
        """Store entries `{text, importance}` over a leased batch."""
        return self.perform(
            requests.CommitRequest.parse(
                {"batch_id": batch_id, "entries": [dict(entry) for entry in entries]}
            )
        )

    def revert(self, batch_id: str) -> replies.RevertReply:
        """Undo a committed batch on which nothing was built yet."""
        return self.perform(requests.RevertRequest.parse({"batch_id": batch_id}))

    def delete(
        self, ids: Iterable[str], *, cascade: bool = False, receipt: bool = False
    ) -> replies.DeleteReply:
        """Delete memories for good; `receipt` looks for what is left of them in the files."""
        return self.perform(
            requests.DeleteRequest.parse({"ids": list(ids), "cascade": cascade, "receipt": receipt})
        )

    def wipe(self, *, session_id: str | None = None) -> replies.WipeReply:
        """Delete every memory of the vault, or of one session."""
        return self.perform(requests.WipeRequest.parse(_given(session_id=session_id)))

    def stats(self) -> replies.StatsReply:
        """Count what the vault holds."""
        return self.perform(requests.StatsRequest())

    def usage(self, start: str | None = None, end: str | None = None) -> replies.UsageReply:
        """Sum up metered usage; this month so far unless bounds are given."""
        return self.perform(requests.UsageRequest.parse(_given(start=start, end=end)))

    def debt(self) -> replies.DebtReply:
        """Read the reflection debt."""
        return self.perform(requests.DebtRequest())

    def warmup(self) -> replies.WarmupReply:
        """Load the vault's index."""
        return self.perform(requests.WarmupRequest())


def _given(**arguments: Any) -> dict[str, Any]:
    return {name: value for name, value in arguments.items() if value is not None}
