"""The Levels API's verbs as Python methods, the same in-process and over HTTP."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Literal, TypeVar

from pydantic.alias_generators import to_camel

from treering import replies, requests
from treering.model import ANONYMOUS, Caller
from treering.requests import Request

R = TypeVar("R")

Level = Literal["L0", "L1", "L2", "L3"]
Scope = Literal["vault", "account"]


class LevelVerbs(ABC):
    """What enters a prompt, and why. Each method builds one request value and performs it."""

    @abstractmethod
    def perform(self, request: Request[R], caller: Caller = ANONYMOUS) -> R:
        """Do what `request` asks."""

    def context(
        self,
        user_message: str = "",
        *,
        transcript: str | None = None,
        force_full: Sequence[str] | None = None,
        max_tokens: int | None = None,
        session_id: str | None = None,
        recall: int | None = None,
    ) -> replies.ContextReply:
        """Build the levels block for a turn."""
        return self.perform(
            requests.ContextRequest.parse(
                _given(
                    user_message=user_message,
                    transcript=transcript,
                    force_full=None if force_full is None else list(force_full),
                    max_tokens=max_tokens,
                    session_id=session_id,
                    recall=recall,
                )
            )
        )

    def recall(
        self, query: str, *, limit: int | None = None, session_id: str | None = None
    ) -> replies.RecallReply:
        """Find memories of all levels by relevance."""
        return self.perform(
            requests.RecallRequest.parse(_given(query=query, limit=limit, session_id=session_id))
        )

    def turn(
        self,
        user_message: str,
        assistant_response: str,
        *,
        session_id: str | None = None,
        idempotency_key: str | None = None,
    ) -> replies.LearnedReply:
        """Keep an exchange verbatim, and learn from what the user said."""
        request = requests.TurnRequest.parse(
            _given(
                user_message=user_message,
                assistant_response=assistant_response,
                session_id=session_id,
            )
        )
        key = requests.parse_session_id("Idempotency-Key", idempotency_key)
        return self.perform(request, Caller(idempotency_key=key))

    def store(
        self,
        items: Iterable[str | Mapping[str, Any]],
        *,
        session_id: str | None = None,
        reconcile: bool | None = None,
    ) -> replies.LearnedReply:
        """Store statements outright: texts, or `{content, domains?, tier?}`."""
        return self.perform(
            requests.StoreRequest.parse(
                _given(
                    items=[
                        {"content": item} if isinstance(item, str) else dict(item) for item in items
                    ],
                    session_id=session_id,
                    reconcile=reconcile,
                )
            )
        )

    def memories(
        self,
        *,
        tier: Level | None = None,
        kind: str | None = None,
        q: str | None = None,
        domain: str | None = None,
        source: str | None = None,
        limit: int | None = None,
        offset: int | None = None,
    ) -> replies.MemoriesReply:
        """List memories, newest first."""
        return self.perform(
            requests.MemoriesRequest.parse(
                _given(
                    tier=tier,
                    kind=kind,
                    q=q,
                    domain=domain,
                    source=source,
                    limit=limit,
                    offset=offset,
                )
            )
        )

    def memory(self, memory_id: str) -> replies.LeveledMemory:
        """Read one memory."""
        return self.perform(requests.MemoryRequest.parse({"id": memory_id}))

    def edit(self, memory_id: str, /, **changes: Any) -> replies.LeveledMemory:
        """Change a memory's `tier`, a statement's `content`, its `gist` (None: its own) or
        `domains`."""
        return self.perform(requests.EditRequest.parse({"id": memory_id, **changes}))

    def set_level(self, memory_id: str, level: Level) -> replies.LeveledMemory:
        """Move a memory to a level; L0 pins it."""
        return self.edit(memory_id, tier=level)

    def forget(self, memory_id: str) -> replies.DeletedReply:
        """Delete one memory for good."""
        return self.perform(requests.ForgetRequest.parse({"id": memory_id}))

    def tensions(self, status: str | None = None) -> replies.TensionsReply:
        """List contradictions, newest first."""
        return self.perform(requests.TensionsRequest.parse(_given(status=status)))

    def open_tension(
        self,
        claim_a: str,
        claim_b: str,
        *,
        impact: Literal["low", "medium", "critical"] = "medium",
        actionable_question: str | None = None,
    ) -> replies.TensionReply:
        """Record a contradiction between two claims."""
        return self.perform(
            requests.OpenTensionRequest.parse(
                _given(
                    claim_a=claim_a,
                    claim_b=claim_b,
                    impact=impact,
                    actionable_question=actionable_question,
                )
            )
        )

    def resolve_tension(
        self, tension_id: str, resolved_by: str, *, pattern: str | None = None
    ) -> replies.TensionReply:
        """Decide a contradiction; `pattern` is kept as a statement."""
        return self.perform(
            requests.ChangeTensionRequest.parse(
                {"id": tension_id, **_given(resolved_by=resolved_by, pattern=pattern)}
            )
        )

    def set_tension(
        self, tension_id: str, status: Literal["active", "open", "latent"]
    ) -> replies.TensionReply:
        """Open a contradiction again, or silence it without deciding it."""
        return self.perform(
            requests.ChangeTensionRequest.parse({"id": tension_id, "status": status})
        )

    def drop_tension(self, tension_id: str) -> replies.DeletedReply:
        """Delete a contradiction; its claims stay."""
        return self.perform(requests.DropTensionRequest.parse({"id": tension_id}))

    def self_model(self) -> replies.SelfModelReply:
        """Read how reliable the agent has been, by domain."""
        return self.perform(requests.SelfModelRequest())

    def record_outcome(
        self,
        domain: str,
        success: bool,
        *,
        failure_pattern: str | None = None,
        strategy: str | None = None,
    ) -> replies.SelfModelReply:
        """Record how something went in a domain."""
        return self.perform(
            requests.OutcomeRequest.parse(
                _given(
                    domain=domain,
                    success=success,
                    failure_pattern=failure_pattern,
                    strategy=strategy,
                )
            )
        )

    def level_stats(self) -> replies.LevelStatsReply:
        """Count what the vault holds by level, and show what in it wants attention."""
        return self.perform(requests.LevelStatsRequest())

    def analytics(self, days: int = 30) -> replies.AnalyticsReply:
        """Sum up what blocks cost over the last days."""
        return self.perform(requests.AnalyticsRequest.parse({"days": days}))

    def builds(self, *, limit: int = 50, offset: int = 0) -> replies.BuildsReply:
        """List the blocks that were sent, newest first."""
        return self.perform(requests.BuildsRequest.parse({"limit": limit, "offset": offset}))

    def build(self, build_id: str) -> replies.BuildReply:
        """Read one block as it was sent."""
        return self.perform(requests.BuildRequest.parse({"id": build_id}))

    def settings(self, scope: Scope = "vault") -> replies.SettingsReply:
        """Read what the vault or its account sets, and what is in force."""
        return self.perform(requests.SettingsRequest.parse({"scope": scope}))

    def change_settings(self, scope: Scope = "vault", /, **values: Any) -> replies.SettingsReply:
        """Set `max_total_tokens`, `max_index_items`, `default_recall_limit` or `capture`; None
        inherits again."""
        sent = {to_camel(name): value for name, value in values.items()}
        return self.perform(requests.ChangeSettingsRequest.parse({"scope": scope, **sent}))


def _given(**arguments: Any) -> dict[str, Any]:
    return {to_camel(name): value for name, value in arguments.items() if value is not None}
