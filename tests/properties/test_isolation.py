"""A vault is a wall: what one shows depends on what was done to it, and on nothing else."""

from __future__ import annotations

import re
import tempfile
import uuid
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.support.worlds import World, hash_embedder
from treering import Vault
from treering.data_dir import DataDir
from treering.errors import TreeringError
from treering.replies import Batch, to_json

WORDS = ("port", "auth", "river", "deploy", "日本", "noon")
_IDS = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|cb_[0-9a-f]+")

TEXTS = st.lists(st.sampled_from(WORDS), min_size=1, max_size=4).map(" ".join)
STEPS = st.one_of(
    st.tuples(st.just("ingest"), st.lists(TEXTS, min_size=1, max_size=4)),
    st.tuples(st.just("search"), TEXTS),
    st.tuples(st.just("dates"), TEXTS),
    st.tuples(st.sampled_from(["inspect", "delete", "foreign"]), st.integers(0, 9)),
    st.tuples(st.just("consolidate"), st.sampled_from([1, 2])),
    st.tuples(st.sampled_from(["stats", "usage", "debt", "wipe"]), st.none()),
)


class Played:
    """A vault that steps are played on, and everything it answered."""

    def __init__(self, vault: Vault) -> None:
        self.vault = vault
        self.ids: list[str] = []
        self.batches: list[str] = []
        self.answers: list[str] = []
        self._seen: dict[str, str] = {}

    def play(self, step: str, value: Any, other: Played | None) -> None:
        """Play one step; `other` is the vault whose ids a stranger tries here."""
        try:
            replies = list(self._replies(step, value, other))
        except TreeringError as error:
            replies = [error.body()]
        self.answers += [_IDS.sub(self._renamed, _text(reply)) for reply in replies]

    def _replies(self, step: str, value: Any, other: Played | None) -> Iterable[object]:
        vault = self.vault
        if step == "ingest":
            reply = vault.ingest([{"role": "user", "content": text} for text in value])
            self.ids += [memory_id for memory_id in reply.ids if memory_id is not None]
            yield reply
        elif step == "search":
            yield vault.search(value, limit=30, explain=True)
            yield vault.prepare([{"role": "user", "content": value}])
        elif step == "dates":
            yield vault.date_search("2026-08-31", query=value)
        elif step == "inspect" and self.ids:
            yield vault.inspect(self.ids[value % len(self.ids)])
        elif step == "delete" and self.ids:
            yield vault.delete([self.ids[value % len(self.ids)]])
        elif step == "foreign":
            yield from self._strange(value, other)
        elif step == "consolidate":
            yield from self._consolidate(value)
        elif step in ("stats", "usage", "debt", "wipe"):
            yield getattr(vault, step)()

    def _strange(self, value: int, other: Played | None) -> Iterable[object]:
        """Try the ids of another vault, or such as nobody has."""
        vault = self.vault
        stranger = str(uuid.uuid4())
        memory_id = other.ids[value % len(other.ids)] if other and other.ids else stranger
        yield vault.delete([memory_id], cascade=True)
        batch_id = other.batches[-1] if other and other.batches else f"cb_{'0' * 32}"
        for use in (lambda: vault.inspect(memory_id), lambda: vault.commit(batch_id, [])):
            try:
                yield use()
            except TreeringError as error:
                yield {**error.body(), "id": "not ours"}

    def _consolidate(self, tier: int) -> Iterable[object]:
        batch = self.vault.checkout(tier)
        yield batch
        if isinstance(batch, Batch):
            self.batches.append(batch.batch_id)
            yield self.vault.commit(batch.batch_id, [{"text": "auth and port", "importance": 9}])

    def _renamed(self, found: re.Match[str]) -> str:
        return self._seen.setdefault(found[0], f"id-{len(self._seen)}")


def _text(reply: object) -> str:
    return str(reply) if isinstance(reply, dict) else str(to_json(reply))


@contextmanager
def two_vaults() -> Iterator[tuple[Played, Played]]:
    with tempfile.TemporaryDirectory() as folder, ExitStack() as stack:
        storage = DataDir(Path(folder), hash_embedder(), World().system())
        stack.callback(storage.close)
        ids = [storage.create_key(name=name).vault_id for name in "ab"]
        first, second = (stack.enter_context(storage.using(vault_id)) for vault_id in ids)
        yield Played(first), Played(second)


def _check(steps: list[tuple[bool, tuple[str, Any]]]) -> None:
    with two_vaults() as (a, b):
        for on_a, (step, value) in steps:
            mine, other = (a, b) if on_a else (b, a)
            mine.play(step, value, other)
    with two_vaults() as (alone, _):
        for on_a, (step, value) in steps:
            if on_a:
                alone.play(step, value, None)
    assert a.answers == alone.answers


SCRIPTS = st.lists(st.tuples(st.booleans(), STEPS), min_size=4, max_size=40)


@settings(max_examples=25, deadline=None)
@given(SCRIPTS)
def test_a_vault_shows_nothing_of_another(steps: list[tuple[bool, tuple[str, Any]]]) -> None:
    _check(steps)


@pytest.mark.soak
@settings(max_examples=1500, deadline=None)
@given(SCRIPTS)
def test_a_vault_shows_nothing_of_another_however_long(
    steps: list[tuple[bool, tuple[str, Any]]],
) -> None:
    _check(steps)
