"""What whoever may store but not read is answered: what they said themselves, and counts."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from treering.replies import LearnedReply, LeveledMemory, SelfModelReply
from treering.requests import EditRequest, OutcomeRequest, Request


def without_held(request: Request[Any], reply: object) -> object:
    """`reply` without what the vault held before `request`."""
    if isinstance(reply, LearnedReply):
        return replace(reply, merged_into=[])
    if isinstance(reply, LeveledMemory) and isinstance(request, EditRequest):
        domains = request.domains or []
        return replace(reply, content=request.content or "", gist=request.gist, domains=domains)
    if isinstance(reply, SelfModelReply) and isinstance(request, OutcomeRequest):
        return _of_one(reply, request.domain)
    return reply


def _of_one(reply: SelfModelReply, domain: str) -> SelfModelReply:
    return replace(
        reply,
        active_domains=[domain],
        domains={domain: reply.domains[domain]},
        weak_domains=[name for name in reply.weak_domains if name == domain],
    )
