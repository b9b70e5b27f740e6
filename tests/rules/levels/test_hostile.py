"""Texts made to stall a rule that backtracks or looks at everything for each thing.

Nothing is timed: a rule whose work grows with a power of the text runs into the tests' time limit.
"""

from __future__ import annotations

from collections.abc import Callable

import pytest

from treering.rules.levels.capture import capture, refusal
from treering.rules.levels.contradictions import contradiction
from treering.rules.levels.gist import gist
from treering.rules.levels.identifiers import identifiers
from treering.rules.levels.injected import without_levels
from treering.rules.levels.reconcile import compare
from treering.rules.levels.secrets import redacted

LENGTH = 40_000
LONGEST_RUN = 2_000
"""Runs of characters up to about this length are looked at as one identifier."""

RUNS = ["a:", "_a", "_", "aA", "Aa", "AAa", "a.", "a-", "a/", "1.", "1a", "a@", "a)", "(", "=", "~"]
"""What a run that looks like an identifier up to its last character is made of."""
LINES = [
    "pwd=a1b2c3. ", "password for a b ", "token (a) ", "secret=a/a/",
    "-----BEGIN PRIVATE KEY-----", "eyJaaaaaaaaaa.", "://a:", "Bearer ", "C:\\a ",
    "- a:\n", "  - a\n", "a:\n", "a:\n\n", "a,\n", "## a\n", "## a\nb\n", "**a**\n", "a\n===\n",
    "In a:\n- b\n\n", "### Pinned\n- a\n\n", "### Recalled\n", "### Pinned\\n- a\\n", "`", "“",
    "❌", "<", "<a>", ">=", "!", "!=", "x=1,", "never fix error ", "No, ", "it. ",
    "do not do this, ", "in this chat, ", "$", "$a", "<a", "[a", "Test a must ",
    "e.g. ", "?!", "\n  ", "日", "\ud800",
]  # fmt: skip
RULES: list[Callable[[str], object]] = [
    identifiers,
    capture,
    refusal,
    gist,
    redacted,
    without_levels,
    lambda text: compare(text, f"{text} x"),
    lambda text: contradiction(text[:990], f"not {text[:990]}"),
]


@pytest.mark.parametrize("unit", RUNS)
def test_long_runs_that_end_in_the_wrong_character(unit: str) -> None:
    run = (unit * LONGEST_RUN)[:LONGEST_RUN]
    text = "".join(f"{run}{end}x " for end in "gZ9_-.:%&+@~#$=é" * 2)
    assert len(text) >= LENGTH
    for rule in RULES:
        rule(text)


@pytest.mark.parametrize("unit", LINES, ids=ascii)
def test_many_times_the_same(unit: str) -> None:
    text = (unit * LENGTH)[:LENGTH]
    for rule in RULES:
        rule(text)
