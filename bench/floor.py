"""How often the recall floor errs: evidence that it holds back, unrelated turns that it lets by."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from bench.locomo import Question
from treering import Verbs

_QUESTIONS = 60
_EVERYTHING = "1970-01-01"


@dataclass(frozen=True)
class FloorErrors:
    """Pairs of a question and a turn: with the answer and held back, without it and let by."""

    related: int = 0
    missed: int = 0
    unrelated: int = 0
    passed: int = 0

    def __add__(self, other: FloorErrors) -> FloorErrors:
        return FloorErrors(
            self.related + other.related,
            self.missed + other.missed,
            self.unrelated + other.unrelated,
            self.passed + other.passed,
        )

    @property
    def rates(self) -> dict[str, float]:
        """The share of related pairs that are missed, and of unrelated ones that pass."""
        return {"missed": self.missed / self.related, "passed": self.passed / self.unrelated}


def errors(
    memory: Verbs, turns: dict[str, str], own: Sequence[Question], foreign: Sequence[Question]
) -> FloorErrors:
    """Errors of a vault whose memories became `turns`, on its own questions and on another's."""
    counted = FloorErrors()
    for question in own[:_QUESTIONS]:
        above = {turns[memory_id] for memory_id in _above(memory, question, turns)}
        evidence = question.evidence
        counted += FloorErrors(related=len(evidence), missed=len(evidence - above))
    for question in foreign[:_QUESTIONS]:
        above_of_foreign = _above(memory, question, turns)
        counted += FloorErrors(unrelated=len(turns), passed=len(above_of_foreign))
    return counted


def _above(memory: Verbs, question: Question, turns: Collection[str]) -> set[str]:
    """The memories above the floor: a search by time with a query returns those and no others."""
    found: set[str] = set()
    since: str | None = _EVERYTHING
    while since is not None:
        page = memory.date_search(
            since, query=question.text, tiers=[1], max_tokens=200_000, order="oldest_first"
        )
        found |= {row.id for row in page.memories if row.id in turns}
        since = page.returned.to if page.truncated else None
    return found
