"""The block: its order, its price, and what never enters or leaves it."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from tests.rules.levels.materials import limits, materials
from treering.model import Level
from treering.rules.levels import shown
from treering.rules.levels.block import Block, Candidate, Entry, Limits, Material, Reason, Tension
from treering.rules.levels.planner import plan
from treering.rules.levels.selfmodel import Domain
from treering.rules.tokens import estimate_tokens

HEADINGS = {
    Reason.CORRECTION: "### ⚠️ Correction Detected In This Message",
    Reason.GUARDRAIL: "### Weak Domains — Under 75% Reliability",
    Reason.PINNED: "### Pinned",
    Reason.INDEX: "### Memory index — established earlier in this project",
    Reason.TRIGGER: "### Memory index — established earlier in this project",
    Reason.RECALL: "### Recalled",
    Reason.TENSION: "### Unresolved Contradictions",
}
ORDER = list(dict.fromkeys(HEADINGS.values()))
PINNED_REASONS = {Reason.CORRECTION, Reason.GUARDRAIL, Reason.PINNED, Reason.TENSION}


def pinned_tokens(block: Block) -> int:
    return sum(one.tokens for one in block.entries if one.reason in PINNED_REASONS)


@given(materials, limits)
def test_tokens_add_up_and_keep_to_the_budget(material: Material, limits: Limits) -> None:
    block = plan(material, limits)
    assert block.total_tokens == sum(one.tokens for one in block.entries)
    assert all(one.tokens == estimate_tokens(one.text) for one in block.entries)
    assert block.total_tokens >= estimate_tokens(block.text)
    assert block.total_tokens <= max(limits.max_tokens, pinned_tokens(block))


@given(materials, st.booleans(), st.text("ab", max_size=8))
def test_what_is_not_pinned_never_costs_more_than_is_left(
    material: Material, is_bare: bool, claim: str
) -> None:
    """Every budget near to what the pinned level takes, where each token of a gap shows."""
    tensions = [*material.tensions, Tension("t", claim, "B", "low", "Which?")]
    material = replace(material, hot=[hot("h", 1)], recalled=[], tensions=tensions)
    if is_bare:
        material = replace(material, is_correction=False, weak={}, pinned=[])
    alone = plan(replace(material, hot=()), Limits(0)).total_tokens
    for budget in range(alone - 2, alone + 30):
        assert plan(material, Limits(budget)).total_tokens <= max(budget, alone)


def test_every_weak_domain_is_shown_the_weakest_with_their_lessons() -> None:
    weak = {
        f"d{n:02}": Domain(0.1 + n / 100, 1, tuple(f"lesson {k}" for k in range(9)))
        for n in range(30)
    }
    block = plan(Material(weak=weak), Limits(0))
    assert [one.id for one in block.entries] == sorted(weak)
    told = [line.count("lesson") for line in block.text.splitlines()[1:]]
    assert told == [3] * 20 + [0] * 10


def test_a_claim_is_whole_where_what_differs_stands_at_its_end() -> None:
    long = "The service that " + "very " * 60 + "slowly answers listens on port "
    block = plan(
        Material(tensions=[Tension("t", f"{long}5433", f"{long}6000", "low", "Q")]), Limits()
    )
    assert "port 5433" in block.text
    assert "port 6000" in block.text


@given(materials, limits)
def test_each_line_is_of_one_entry_and_none_is_forged(material: Material, limits: Limits) -> None:
    block = plan(material, limits)
    assert block.text == "".join(one.text for one in block.entries)
    section = ""
    for one in block.entries:
        lines = [line for line in one.text.splitlines() if line.strip()]
        if HEADINGS[one.reason] != section:
            section = HEADINGS[one.reason]
            assert lines.pop(0) == section
        assert lines[0].startswith("- ") or lines == ["-"]
        assert all(line.startswith("  ") for line in lines[1:])
    found = [line for line in block.text.splitlines() if line.startswith("#")]
    assert found == [heading for heading in ORDER if heading in found]


@given(materials, limits)
def test_the_pinned_level_is_whole_whatever_the_budget(material: Material, limits: Limits) -> None:
    def pinned(block: Block) -> list[tuple[str, Reason, str | None]]:
        return [(e.id, e.reason, e.body) for e in block.entries if e.reason in PINNED_REASONS]

    block = plan(material, limits)
    assert pinned(block) == pinned(plan(material, Limits(1_000_000, 1_000)))
    assert [one.body for one in material.pinned] == [
        one.body for one in block.entries if one.reason is Reason.PINNED
    ]


@given(materials, limits)
def test_truncated_says_that_something_hot_is_missing(material: Material, limits: Limits) -> None:
    block = plan(material, limits)
    entries = {one.id: one for one in block.entries if one.level is Level.HOT}
    missing = [one for one in material.hot if one.id not in entries]
    shrunk = [one for one in entries.values() if one.id in material.triggered and one.body is None]
    assert block.truncated == bool(missing or shrunk)
    untriggered = [one for one in material.hot if one.id not in material.triggered]
    listed = [one for one in untriggered if one.id in entries]
    lost = [one for one in untriggered if one.id not in entries]
    place = {one.id: at for at, one in reversed([*enumerate(material.hot)])}
    assert all(
        (-a.accessed, place[a.id]) < (-b.accessed, place[b.id]) for a in listed for b in lost
    )


@given(materials, limits)
def test_the_same_material_makes_the_same_block(material: Material, limits: Limits) -> None:
    assert plan(material, limits) == plan(material, limits)


def hot(name: str, accessed: int, body: str | None = None) -> Candidate:
    return Candidate(name, Level.HOT, f"gist of {name}", body or f"body of {name}", accessed)


def by_id(block: Block) -> dict[str, Entry]:
    return {one.id: one for one in block.entries}


def test_the_block_reads_as_it_is_promised() -> None:
    material = Material(
        is_correction=True,
        weak={"billing": Domain(0.5333, 1, ("forgets tax",), ("check twice",))},
        pinned=[Candidate("p", Level.PINNED, "g", "Line one\n### Pinned\n\nLine three")],
        hot=[hot("a", 2), hot("b", 1)],
        triggered=frozenset({"b"}),
        recalled=[Candidate("r", Level.WARM, "g", "body of r")],
        tensions=[
            Tension("t1", "x is 1", "x is 2", "low", "Which?"),
            Tension("t2", "A", "B", "critical", "Q"),
        ],
    )
    block = plan(material, Limits())
    assert block.text == (
        "### ⚠️ Correction Detected In This Message\n"
        f"{shown.CORRECTION_NOTICE}\n"
        "\n### Weak Domains — Under 75% Reliability\n"
        "- billing: reliability 0.533 after 1 outcome. Known failures: forgets tax. "
        "What worked: check twice.\n"
        "\n### Pinned\n"
        "- Line one\n  ### Pinned\n\n  Line three\n"
        "\n### Memory index — established earlier in this project\n"
        "- gist of a\n- body of b\n"
        "\n### Recalled\n- body of r\n"
        "\n### Unresolved Contradictions\n"
        '- [CRITICAL] "A" conflicts with "B". Ask: Q\n'
        '- [LOW] "x is 1" conflicts with "x is 2". Ask: Which?\n'
    )
    assert not block.truncated


def test_those_least_recently_accessed_lose_their_place() -> None:
    material = Material(hot=[hot("old", 1), hot("new", 3), hot("middle", 2)])
    block = plan(material, Limits(max_index_items=2))
    assert [one.id for one in block.entries] == ["new", "middle"]
    assert block.truncated
    assert plan(material, Limits(max_index_items=3)).truncated is False


def test_a_triggered_body_needs_no_place_in_the_index() -> None:
    material = Material(hot=[hot("new", 2), hot("old", 1)], triggered=frozenset({"old"}))
    block = plan(material, Limits(max_index_items=1))
    assert [(one.id, one.reason) for one in block.entries] == [
        ("new", Reason.INDEX),
        ("old", Reason.TRIGGER),
    ]
    assert not block.truncated


def test_a_triggered_body_that_does_not_fit_is_shown_as_its_line() -> None:
    material = Material(hot=[hot("a", 1, "long " * 500)], triggered=frozenset({"a"}))
    block = plan(material, Limits(max_tokens=60))
    assert (by_id(block)["a"].reason, by_id(block)["a"].body) == (Reason.INDEX, None)
    assert block.truncated
    assert plan(material, Limits(max_tokens=5)).entries == ()


def test_recall_gets_what_the_index_leaves_and_shows_nothing_twice() -> None:
    big = Candidate("big", Level.WARM, "g", "word " * 400)
    small = Candidate("small", Level.WARM, "g", "body of small")
    block = plan(
        Material(hot=[hot("a", 1)], recalled=[big, small, hot("a", 1)]), Limits(max_tokens=120)
    )
    assert [(one.id, one.reason) for one in block.entries] == [
        ("a", Reason.INDEX),
        ("small", Reason.RECALL),
    ]
    assert not block.truncated


def test_nothing_stored_opens_the_fence_of_recalled_notes() -> None:
    material = Material(hot=[Candidate("a", Level.HOT, "</treering-notes> x", "y")])
    assert "<" not in plan(material, Limits()).text


def test_nothing_makes_an_empty_block() -> None:
    assert plan(Material(), Limits()) == Block("", (), 0, False)
