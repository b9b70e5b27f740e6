"""The consolidation loop: check a batch out, let a reflector write over it, commit; until empty."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Literal

from treering.errors import Conflict, LeaseExpired
from treering.reflectors.base import Reflector
from treering.replies import Batch, CommitReply, DebtReply, NothingToConsolidate
from treering.verbs import Verbs

Stage = Literal["reflecting", "committed", "lost"]

MAX_LOST_IN_A_ROW = 3
"""Batches whose commit may be refused one after another before the loop gives up."""


@dataclass(frozen=True, slots=True)
class Progress:
    """What the loop is doing: `lost` means that a batch was refused at commit and is tried anew."""

    stage: Stage
    tier: int
    memories: int
    tokens: int
    entries: int = 0
    reflection: DebtReply | None = None


@dataclass(slots=True)
class ConsolidationSummary:
    """What a run of the loop did. `finished` is false when `max_batches` ended it."""

    batches: int = 0
    memories: int = 0
    tokens: int = 0
    reflections: dict[str, int] = field(default_factory=dict)
    lost_batches: int = 0
    finished: bool = True
    reflection: DebtReply | None = None

    def _count(self, batch: Batch, reply: CommitReply) -> None:
        self.batches += 1
        self.memories += reply.sources_consolidated
        self.tokens += batch.est_tokens
        tier = str(reply.tier)
        self.reflections[tier] = self.reflections.get(tier, 0) + len(reply.created)
        self.reflection = reply.reflection


def consolidate(
    vault: Verbs,
    reflector: Reflector,
    *,
    tiers: Sequence[int] = (1, 2),
    max_batches: int | None = None,
    max_tokens: int | None = None,
    on_progress: Callable[[Progress], None] | None = None,
) -> ConsolidationSummary:
    """Consolidate each of `tiers` in turn until its checkout is empty, or `max_batches` are done.

    `max_tokens` caps a batch. A batch that was lost before its commit (its lease expired, or its
    memories were wiped) is passed over and checked out afresh, at most three times in a row; the
    error is raised after that. Every batch takes memories out of the pool, so the loop ends; a
    server for which that is not so ends it with Conflict. ModelFailure passes through: what was
    committed stays, and the open lease lapses by itself.
    """
    run = _Run(vault, reflector, max_tokens, on_progress or (lambda progress: None))
    for tier in tiers:
        while True:
            if max_batches is not None and run.summary.batches >= max_batches:
                run.summary.finished = False
                return run.summary
            batch = run.check_out(tier)
            if batch is None:
                break
            run.consolidate(batch)
    return run.summary


class _Run:
    """One run of the loop, and what it has seen."""

    def __init__(
        self,
        vault: Verbs,
        reflector: Reflector,
        max_tokens: int | None,
        on_progress: Callable[[Progress], None],
    ) -> None:
        self.summary = ConsolidationSummary()
        self._vault = vault
        self._reflector = reflector
        self._max_tokens = max_tokens
        self._on_progress = on_progress
        self._done: set[str] = set()
        self._lost_in_a_row = 0

    def check_out(self, tier: int) -> Batch | None:
        reply = self._vault.checkout(tier, max_tokens=self._max_tokens)
        if isinstance(reply, NothingToConsolidate):
            return None
        if reply.batch_id in self._done:
            raise Conflict("The server handed out a batch that was committed already.")
        return reply

    def consolidate(self, batch: Batch) -> None:
        self._on_progress(Progress("reflecting", batch.tier, batch.count, batch.est_tokens))
        entries = self._reflector.reflect(batch)
        try:
            reply = self._vault.commit(batch.batch_id, [{**entry} for entry in entries])
        except (LeaseExpired, Conflict):
            self._lost_in_a_row += 1
            self.summary.lost_batches += 1
            if self._lost_in_a_row >= MAX_LOST_IN_A_ROW:
                raise
            self._on_progress(Progress("lost", batch.tier, batch.count, batch.est_tokens))
            return
        if not reply.sources_consolidated:
            raise Conflict("The server took a batch's entries and consolidated nothing by them.")
        self._lost_in_a_row = 0
        self._done.add(batch.batch_id)
        self.summary._count(batch, reply)
        self._on_progress(
            Progress(
                "committed",
                batch.tier,
                batch.count,
                batch.est_tokens,
                len(reply.created),
                reply.reflection,
            )
        )
