"""The levels block where a client sends it back, and a person's own words that look like it."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.rules.levels.materials import limits, materials
from treering.model import Level
from treering.rules.levels.block import Candidate, Limits, Material, Reason
from treering.rules.levels.injected import without_levels
from treering.rules.levels.planner import plan
from treering.rules.levels.shown import INDEX

_PINNED = Candidate("p", Level.PINNED, "the rule", 'Say "no" first.\nThen why.\n\n- and how')
_HOT = Candidate("h", Level.HOT, "auth listens on 5433", "auth listens on 5433")
BLOCK = plan(Material(is_correction=True, pinned=[_PINNED], hot=[_HOT]), Limits()).text
OWN = [
    "# Roadmap\n\n### Pinned\n- issue 12\n\nand more",
    "- a list of mine\n- that goes on",
    "    indented()\n    code()",
    "### Notes\n- one",
    "words",
]


@pytest.mark.promise("block.never-stored")
def test_a_block_is_taken_out_however_it_comes_back() -> None:
    assert without_levels(f"before\n{BLOCK}after") == "before\nafter"
    assert without_levels(f"before\n{BLOCK}") == "before\n"
    for as_ascii in (True, False):
        escaped = json.dumps({"content": f"{BLOCK}after"}, ensure_ascii=as_ascii)
        assert json.loads(without_levels(escaped)) == {"content": "after"}
    assert json.loads(without_levels(json.dumps({"a": f"before\n{BLOCK}"}))) == {"a": "before\n"}


@pytest.mark.promise("block.never-stored")
@given(materials, limits)
def test_any_block_with_a_heading_of_ours_is_taken_out(material: Material, limits: Limits) -> None:
    """All of it but the last paragraphs of its last entry, which might be a person's own."""
    block = plan(material, limits)
    shown = {one.reason for one in block.entries} - {Reason.PINNED, Reason.RECALL}
    last = block.entries[-1].text.split("\n\n  ") if block.entries else [""]
    if shown and len(last) == 1:
        for text in (block.text, block.text.replace("\n", "\r\n")):
            assert without_levels(text + "\nmine").strip() == "mine"
        for as_ascii in (True, False):
            escaped = json.dumps(f"{block.text}\nmine", ensure_ascii=as_ascii)
            assert json.loads(without_levels(escaped)).strip() == "mine"


@pytest.mark.promise("ingest.verbatim")
@given(materials, limits, st.sampled_from(OWN))
def test_what_stands_around_a_block_is_kept(material: Material, limits: Limits, own: str) -> None:
    block = plan(material, limits).text
    assert own in without_levels(f"{own}\n\n{block}")
    assert own in without_levels(f"{block}\n{own}")


@pytest.mark.promise("ingest.verbatim")
@pytest.mark.parametrize(
    "own",
    [
        "# Roadmap\n\n### Pinned\n- issue 12\n- issue 13\n\nand more",
        "### Recalled\n- the batch of May",
        json.dumps("### Pinned\n- issue 12\n"),
        "### Memory index\n- a chapter",
        "### Unresolved Contradictions\n- whether light is a wave",
        f"{INDEX}\nThis is how it looks.",
        f"The block has a line {INDEX}\n- and then items",
    ],
)
def test_a_persons_own_list_is_kept(own: str) -> None:
    assert without_levels(own) == own


@pytest.mark.promise("ingest.verbatim")
def test_a_persons_own_list_is_kept_beside_a_block() -> None:
    own = "### Pinned\n- issue 12"
    assert without_levels(f"{own}\n\nwords\n\n{BLOCK}") == f"{own}\n\nwords\n\n"
    assert without_levels(f"{BLOCK}\n{own}") == f"\n{own}"
    assert without_levels(f"{BLOCK}\n- my own item") == "\n- my own item"
    assert without_levels(f"{BLOCK}\n    my_code()") == "\n    my_code()"
