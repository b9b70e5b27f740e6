"""Stored text as a block shows it: data on lines of its own, which can forge nothing."""

from __future__ import annotations

from collections.abc import Sequence

from treering.rules.fence import TAG
from treering.rules.levels.gist import gist, one_line
from treering.rules.levels.selfmodel import Domain
from treering.rules.lookalike import neutralised

CORRECTION = "### ⚠️ Correction Detected In This Message"
WEAK_DOMAINS = "### Weak Domains — Under 75% Reliability"
PINNED = "### Pinned"
INDEX = "### Memory index — established earlier in this project"
RECALLED = "### Recalled"
CONTRADICTIONS = "### Unresolved Contradictions"

_MOST_LESSONS = 3
"""Of what a domain has taught, the latest so many stand in every prompt, each as its gist."""
_MOST_OF_CLAIM = 500
"""A claim is shown whole up to so many characters: what differs may stand at its end."""

CORRECTION_NOTICE = (
    "- The user appears to correct something that was settled earlier. What this message says goes "
    "before the notes below; ask when it is not clear which of them it replaces."
)


def item(body: str) -> str:
    """A text as one list item, whole; its further lines are indented, so that none is a heading."""
    first, *rest = _unfenced(body).strip().splitlines() or [""]
    indented = [f"  {line}" if line.strip() else "" for line in rest]
    return "\n".join([f"- {first}", *indented])


def line(text: str) -> str:
    """A text as a list item of one line."""
    return f"- {one_line(_unfenced(text))}"


def weak_domain_line(name: str, domain: Domain) -> str:
    """`- billing: reliability 0.533 after 1 outcome. Known failures: a; b. What worked: c.`"""
    outcomes = "1 outcome" if domain.samples == 1 else f"{domain.samples:,} outcomes"
    parts = [f"{name}: reliability {domain.reliability:.3f} after {outcomes}."]
    parts += _listed("Known failures", domain.failure_patterns[-_MOST_LESSONS:])
    parts += _listed("What worked", domain.strategies[-_MOST_LESSONS:])
    return line(" ".join(parts))


def contradiction_line(claim_a: str, claim_b: str, impact: str, question: str) -> str:
    """`- [CRITICAL] "A" conflicts with "B". Ask: Q`"""
    a, b, asked = (gist(text, _MOST_OF_CLAIM) for text in (claim_a, claim_b, question))
    a, b = a.removesuffix("."), b.removesuffix(".")
    return line(f'[{impact.upper()}] "{a}" conflicts with "{b}". Ask: {asked}')


def _listed(label: str, texts: Sequence[str]) -> list[str]:
    return [f"{label}: {'; '.join(gist(text).rstrip('.') for text in texts)}."] if texts else []


def _unfenced(text: str) -> str:
    """Nothing stored opens or closes the fence of recalled notes."""
    return neutralised(text, TAG)
