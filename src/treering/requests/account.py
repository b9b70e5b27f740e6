"""What reading usage is asked."""

from __future__ import annotations

from pydantic import Field

from treering.replies import UsageReply
from treering.requests.fields import Request


class UsageRequest(Request[UsageReply]):
    """Sum up metered usage; this month so far unless bounds are given."""

    start: str | None = Field(default=None, description="ISO date or time; a date is its start.")
    end: str | None = Field(default=None, description="ISO date or time, excluded.")
