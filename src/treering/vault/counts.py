"""Counts and sums by name: of memories, off the store's running sums, and of what was spent."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Protocol, Self, TypeVar

from treering.model import Kind, Level, Tally, Tier


class Addable(Protocol):
    """What has a sum."""

    def __add__(self, other: Self) -> Self: ...


A = TypeVar("A", bound=Addable)


def sums(named: Iterable[tuple[str, A]]) -> dict[str, A]:
    """The sum under each name, in order of their first."""
    groups: dict[str, A] = {}
    for name, value in named:
        groups[name] = groups[name] + value if name in groups else value
    return groups


def total(tallies: Sequence[Tally]) -> int:
    """How many memories there are."""
    return sum(tally.count for tally in tallies)


def counts_by_tier(tallies: Sequence[Tally]) -> dict[str, int]:
    """By tier, as `1` to `3`."""
    return _counted(
        tallies, (str(tier.value) for tier in Tier), lambda tally: str(tally.tier.value)
    )


def counts_by_level(tallies: Sequence[Tally]) -> dict[str, int]:
    """By level, as `L0` to `L3`."""
    return _counted(tallies, (level.label for level in Level), lambda tally: tally.level.label)


def counts_by_kind(tallies: Sequence[Tally]) -> dict[str, int]:
    """By kind, as `message`, `statement` and `reflection`."""
    return _counted(tallies, (kind.label for kind in Kind), lambda tally: tally.kind.label)


def _counted(
    tallies: Sequence[Tally], names: Iterable[str], name_of: Callable[[Tally], str]
) -> dict[str, int]:
    counts = dict.fromkeys(names, 0)
    for tally in tallies:
        counts[name_of(tally)] += tally.count
    return counts
