"""Usage and sums under concurrency: nothing booked twice, nothing forgotten."""

from __future__ import annotations

from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tests.support.audit import Audit
from tests.support.worlds import hash_embedder
from treering import Vault
from treering.errors import LeaseExpired, StorageFailure
from treering.model import Caller
from treering.replies import Batch
from treering.requests import SearchRequest
from treering.store.base import UsageEvent
from treering.store.sqlite.writer import SqliteWriter

THREADS = 8


def booked(path: Path) -> Counter[tuple[str, str | None]]:
    with Audit(path) as audit:
        return Counter(audit.rows("SELECT endpoint, key_id FROM usage"))


def test_every_search_of_many_at_once_is_booked_once(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    with Vault.open(path, embedder=hash_embedder()) as vault:
        vault.ingest([{"role": "user", "content": f"turn {n} of a talk"} for n in range(50)])

        def searches(number: int) -> int:
            tokens = 0
            for n in range(15):
                request = SearchRequest(query=f"turn {n}", limit=number + 1)
                reply = vault.perform(request, Caller(key_id=f"k{number}"))
                tokens += sum((len(row.content) + 3) // 4 for row in reply.memories)
            return tokens

        with ThreadPoolExecutor(THREADS) as pool:
            tokens = sum(pool.map(searches, range(THREADS)))
    expected = Counter({("search", f"k{number}"): 15 for number in range(THREADS)})
    assert booked(path) == expected + Counter({("ingest", None): 1})
    with Audit(path) as audit:
        assert audit.one("SELECT sum(tokens) FROM usage WHERE endpoint = 'search'") == tokens


def test_a_read_whose_booking_fails_is_refused_and_never_booked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "a.db"
    with Vault.open(path, embedder=hash_embedder()) as vault:
        vault.ingest([{"role": "user", "content": "something"}])

        def failing(_: SqliteWriter, events: list[UsageEvent]) -> None:
            raise StorageFailure

        with monkeypatch.context() as patch, ThreadPoolExecutor(THREADS) as pool:
            patch.setattr(SqliteWriter, "meter", failing)
            tries = [pool.submit(vault.search, "something") for _ in range(20)]
            for each in tries:
                with pytest.raises(StorageFailure):
                    each.result()
        vault.search("something")
    assert booked(path) == Counter({("ingest", None): 1, ("search", None): 1})


def test_sums_are_exact_after_everything_at_once(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    with Vault.open(path, embedder=hash_embedder()) as vault:

        def work(number: int) -> None:
            for n in range(10):
                text = f"{number}.{n} " * (n + 1)
                reply = vault.ingest(
                    [{"role": "user", "content": text + str(k)} for k in range(10)],
                    session_id=f"s{number % 3}",
                )
                batch = vault.checkout(1 + n % 2, max_tokens=1000)
                vault.delete([str(reply.ids[0]), str(reply.ids[n])])
                if isinstance(batch, Batch):
                    try:
                        vault.commit(batch.batch_id, [{"text": text, "importance": 1 + n}])
                    except LeaseExpired:
                        continue
                vault.search(text)

        with ThreadPoolExecutor(THREADS) as pool:
            list(pool.map(work, range(THREADS)))
        debt = vault.debt().unconsolidated
    with Audit(path) as audit:
        audit.check()
        recount = "SELECT count(*), ifnull(sum(tokens), 0) FROM memory WHERE pooled = 1 AND tier = "
        assert audit.rows(recount + "1") == [(debt.raw.units, debt.raw.est_tokens)]
        assert audit.rows(recount + "2") == [(debt.tier2.count, debt.tier2.est_tokens)]
