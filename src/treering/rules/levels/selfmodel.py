"""The self-model: how reliable an agent has been in a domain, and what it learnt there."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from treering.errors import InvalidRequest
from treering.rules.levels.tokens import restatement_key

START = 0.8
GUARDRAIL = 0.75
PLACES = 3
_MAX_COUNTED = 10


@dataclass(frozen=True, slots=True)
class Domain:
    """What is known of a domain. `score` is exact; `reliability` is what is shown and compared."""

    score: float = START
    samples: int = 0
    failure_patterns: tuple[str, ...] = ()
    strategies: tuple[str, ...] = ()

    @property
    def reliability(self) -> float:
        """The score to three places."""
        return round(self.score, PLACES)

    @property
    def is_weak(self) -> bool:
        """Whether the domain has an outcome and its reliability is under 75 %."""
        return self.samples > 0 and self.reliability < GUARDRAIL


@dataclass(frozen=True, slots=True)
class Sample:
    """One outcome in a domain."""

    success: bool
    failure_pattern: str | None = None
    strategy: str | None = None


def recorded(domain: Domain, sample: Sample) -> Domain:
    """The domain after one more outcome.

    The score moves towards 1 or 0 by 1 / (min(n, 10) + 2), n counting this outcome: 0.8 → 0.533 →
    0.4 after two failures. A failure adds its pattern and a success its strategy, unless it is
    known (case, spacing and final punctuation aside); a failure's strategy is not recommended.
    Raises InvalidRequest when a success names a failure pattern.
    """
    if sample.success and sample.failure_pattern is not None:
        raise InvalidRequest(
            "failurePattern: a success has none; leave it out or send success: false"
        )
    samples = domain.samples + 1
    weight = 1 / (min(samples, _MAX_COUNTED) + 2)
    score = domain.score + weight * (float(sample.success) - domain.score)
    moved = replace(domain, score=score, samples=samples)
    if sample.success:
        return replace(moved, strategies=_with(domain.strategies, sample.strategy))
    return replace(moved, failure_patterns=_with(domain.failure_patterns, sample.failure_pattern))


def weak_domains(domains: Mapping[str, Domain]) -> list[str]:
    """The names of the domains under the guardrail, least reliable first."""
    weak = [name for name, domain in domains.items() if domain.is_weak]
    return sorted(weak, key=lambda name: (domains[name].reliability, name))


def _with(known: tuple[str, ...], text: str | None) -> tuple[str, ...]:
    if text is None or not text.strip():
        return known
    if restatement_key(text) in map(restatement_key, known):
        return known
    return (*known, text.strip())
