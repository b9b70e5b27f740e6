"""The levels block where a client sends it back, and a person's own words that look like it."""

from __future__ import annotations

import json

import pytest

from treering.model import Level
from treering.rules.levels.block import Candidate, Limits, Material
from treering.rules.levels.injected import without_levels
from treering.rules.levels.planner import plan

_PINNED = Candidate("p", Level.PINNED, "the rule", 'Say "no" first.\nThen why.\n\n- and how')
_HOT = Candidate("h", Level.HOT, "auth listens on 5433", "auth listens on 5433")
BLOCK = plan(Material(is_correction=True, pinned=[_PINNED], hot=[_HOT]), Limits()).text


@pytest.mark.promise("block.never-stored")
def test_a_block_is_taken_out_however_it_comes_back() -> None:
    assert without_levels(f"before\n{BLOCK}after") == "before\nafter"
    assert without_levels(f"before\n{BLOCK}") == "before\n"
    for as_ascii in (True, False):
        escaped = json.dumps({"content": f"{BLOCK}after"}, ensure_ascii=as_ascii)
        assert json.loads(without_levels(escaped)) == {"content": "after"}
    assert json.loads(without_levels(json.dumps({"a": f"before\n{BLOCK}"}))) == {"a": "before\n"}


@pytest.mark.promise("ingest.verbatim")
@pytest.mark.parametrize(
    "own",
    [
        "# Roadmap\n\n### Pinned\n- issue 12\n- issue 13\n\nand more",
        "### Recalled\n- the batch of May",
        json.dumps("### Pinned\n- issue 12\n"),
        "### Memory index\n- a chapter",
    ],
)
def test_a_persons_own_list_is_kept(own: str) -> None:
    assert without_levels(own) == own
