"""Promises that state a size: scaled down in every run, whole in the soak."""

from __future__ import annotations

from typing import Literal

import apsw
import pytest

from tests.support.worlds import START, hash_embedder
from treering import Vault
from treering.store.base import VaultMeta
from treering.store.sqlite.store import SqliteVaultStore
from treering.system import System
from treering.vault.drafts import Message, message_memory

SIZES = [
    pytest.param(1_500, 150, id="scaled"),
    pytest.param(50_000, 5_000, id="whole", marks=pytest.mark.soak),
]


@pytest.mark.promise("dates.pages-once")
@pytest.mark.parametrize("order", ["newest_first", "oldest_first"])
@pytest.mark.parametrize(("rows", "on_one_instant"), SIZES)
def test_paging_by_time_returns_every_row_once(
    vault: Vault, rows: int, on_one_instant: int, order: Literal["newest_first", "oldest_first"]
) -> None:
    shared = START - 1_000 * rows // 2
    stored: list[str | None] = []
    for first in range(0, rows, 500):
        messages = [
            {
                "role": "user",
                "content": f"message {number}",
                "timestamp": shared if number < on_one_instant else START - 1_000 * number,
            }
            for number in range(first, first + 500)
        ]
        stored += vault.ingest(messages).ids
    seen: list[str] = []
    since, until = "2000-01-01", None
    while True:
        page = vault.date_search(since, until, max_tokens=1_000, order=order)
        seen += [row.id for row in page.memories]
        if not page.truncated:
            break
        if order == "newest_first":
            until = page.returned.from_
        else:
            since = str(page.returned.to)
    assert len(seen) == rows
    assert set(seen) == set(stored)


@pytest.mark.promise("debt.constant-cost")
@pytest.mark.parametrize(
    "rows", [2_000, pytest.param(1_000_000, marks=pytest.mark.soak)], ids=["scaled", "whole"]
)
def test_debt_is_read_from_a_handful_of_rows(
    tmp_path_factory: pytest.TempPathFactory, rows: int
) -> None:
    path = tmp_path_factory.mktemp("debt") / "memory.db"
    system, embedder = System(), hash_embedder()
    store = SqliteVaultStore(path, VaultMeta("v", START, embedder.name, embedder.dims))
    for first in range(0, rows, 2_000):
        with store.write() as tx:
            tx.add(
                [
                    message_memory(
                        Message("user", f"message {number}", START + number, None),
                        system.new_id(),
                        START + number,
                        [None],
                    )
                    for number in range(first, first + 2_000)
                ],
                START,
            )
    with store.read() as reader:
        tallies = reader.tallies()
    assert sum(tally.count for tally in tallies) == rows
    store.close()
    plain = apsw.Connection(str(path))
    read = plain.execute("SELECT count(*) FROM tally").get
    plain.close()
    assert read <= 72, "as many rows as there are kinds, tiers, levels and places in the pool"
