"""What a vault holds by level, and what in it wants attention."""

from __future__ import annotations

from treering.model import Caller
from treering.replies import LevelStatsReply, MemoryCounts, TensionCounts
from treering.requests import LevelStatsRequest
from treering.rules.levels.selfmodel import weak_domains
from treering.store.levels import Listing
from treering.vault.context import Context
from treering.vault.counts import counts_by_kind, counts_by_level, total
from treering.vault.levels.rows import leveled, tension_rows

_RECENT = 10


def level_stats(context: Context, request: LevelStatsRequest, caller: Caller) -> LevelStatsReply:
    """Counts, the newest memories, and every contradiction that is open."""
    with context.store.read() as reader:
        tallies = reader.tallies()
        lately = reader.lately()
        active = reader.tensions("active")[::-1]
        _, recent = reader.listed(Listing(limit=_RECENT))
        return LevelStatsReply(
            memories=MemoryCounts(
                total=total(tallies),
                by_tier=counts_by_level(tallies),
                by_kind=counts_by_kind(tallies),
                sessions=lately.sessions,
                first_stored_at=lately.first_stored,
                last_accessed_at=lately.last_accessed,
            ),
            tensions=TensionCounts(active=len(active)),
            weak_domains=weak_domains(reader.self_model()),
            recent=leveled(reader, recent),
            active_tensions=tension_rows(reader, active),
        )
