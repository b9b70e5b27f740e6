"""The block of any vault: its sums, its budget, and who loses their place."""

from __future__ import annotations

import tempfile
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.support.worlds import World, hash_embedder
from treering import Vault
from treering.rules.tokens import estimate_tokens

ANY_TEXT = st.text(st.characters(), min_size=3, max_size=80).filter(lambda t: len(t.strip()) >= 3)
FACTS = st.builds(
    "{} unit-{} is at host{}.acme.dev".format, ANY_TEXT, st.integers(0, 99), st.integers(0, 9)
)
STEPS = st.lists(
    st.tuples(st.sampled_from(["store", "turn", "pin", "cool", "edit", "forget", "wait"]), FACTS),
    min_size=1,
    max_size=14,
)


@pytest.mark.promise("block.any-vault", "levels.seeding-twice")
@settings(max_examples=25, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
@given(steps=STEPS, budget=st.integers(0, 300), asked=st.integers(0, 9))
def test_a_block_keeps_its_sums_its_budget_and_its_order(
    steps: list[tuple[str, str]], budget: int, asked: int
) -> None:
    world = World()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "m.db"
        with Vault.open(path, embedder=hash_embedder(), system=world.system()) as vault:
            for act, text in steps:
                _act(vault, world, act, text)
            _check_block(vault, f"is host{asked}.acme.dev up?", budget)
            held = [one.content for one in vault.memories(kind="statement", limit=500).memories]
            before = vault.memories().total
            for content in held:
                assert vault.store([content]).stored == []
            assert vault.memories().total == before


def _act(vault: Vault, world: World, act: str, text: str) -> None:
    held = vault.memories(kind="statement", limit=500).memories
    chosen = held[len(text) % len(held)] if held else None
    if act == "store":
        vault.store([text])
    elif act == "turn":
        vault.turn(text, "ok")
    elif act == "wait":
        world.clock.advance(seconds=len(text))
    elif chosen is not None and act == "forget":
        vault.forget(chosen.id)
    elif chosen is not None and act == "edit":
        vault.edit(chosen.id, content=text)
    elif chosen is not None:
        vault.set_level(chosen.id, "L0" if act == "pin" else "L2")


def _check_block(vault: Vault, message: str, budget: int) -> None:
    memories = {one.id: one for one in vault.memories(limit=500).memories}
    hot = [one for one in memories.values() if one.tier == "L1"]
    pinned = {one.id for one in memories.values() if one.tier == "L0"}
    block = vault.context(message, max_tokens=budget)
    assert sum(entry.tokens for entry in block.entries) == block.total_tokens
    assert estimate_tokens(block.text) <= block.total_tokens
    always = [one for one in block.entries if one.reason in ("pinned", "tension")]
    assert pinned == {one.id for one in always if one.reason == "pinned"}
    assert block.total_tokens <= max(budget, sum(one.tokens for one in always))
    shown = {one.id for one in block.entries if one.reason in ("index", "trigger")}
    assert block.truncated or len(shown) == len(hot)
    listed = [memories[one.id] for one in block.entries if one.reason == "index"]
    left = [one for one in hot if one.id not in shown]
    assert all(one.last_accessed_at >= lost.last_accessed_at for one in listed for lost in left)
    (build, *_) = vault.builds(limit=1).builds
    assert (build.text, build.total_tokens) == (block.text, block.total_tokens)
    assert not vault.context(message, max_tokens=200_000).truncated
