"""Pieces that replies share."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from pydantic import Field

OMIT_NONE = Field(exclude_if=lambda value: value is None)

OptionalStr = Annotated[str | None, OMIT_NONE]
OptionalInt = Annotated[int | None, OMIT_NONE]
OptionalFloat = Annotated[float | None, OMIT_NONE]


@dataclass(frozen=True, slots=True)
class Span:
    """A span of time, ISO 8601 in UTC."""

    from_: Annotated[str | None, Field(alias="from")]
    to: str | None


@dataclass(frozen=True, slots=True)
class RawDebt:
    """Raw memories that no reflection covers."""

    units: int
    est_tokens: int
    importance_equiv: int


@dataclass(frozen=True, slots=True)
class Tier2Debt:
    """Reflections that no high-level reflection covers."""

    count: int
    importance: int
    est_tokens: int


@dataclass(frozen=True, slots=True)
class Unconsolidated:
    """What waits for consolidation, by tier boundary."""

    raw: RawDebt
    tier2: Tier2Debt


@dataclass(frozen=True, slots=True)
class DebtReply:
    """The reflection debt of a vault."""

    unconsolidated: Unconsolidated
    threshold_tokens: int
    threshold_importance: int
    suggestion: str | None
