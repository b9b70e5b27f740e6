"""What is deleted leaves the files: every byte of it, whatever else the vault went through."""

from __future__ import annotations

import os
import random
import re
import time
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path

import apsw
import pytest

from tests.support.audit import (
    check,
    found_in_files,
    gone_from_files,
    processes,
    wait_until,
)
from tests.support.serving import server_process
from tests.support.worlds import hash_embedder
from treering import RemoteVault, Vault
from treering.store.sqlite import store
from treering.vault import embedding, erasure

SIZES = (1, 4, 20, 60, 100, 300, 1500)
"""How often a text repeats its marker: from a few bytes to a dozen pages."""


@pytest.fixture(scope="module")
def elsewhere() -> Iterator[ProcessPoolExecutor]:
    """A process that has no vault open."""
    with processes(1) as pool:
        yield pool


def marker(number: int) -> str:
    return f"<{number:06d}>"


def _role(text: str) -> str:
    """Short messages are a person's, from which statements may be captured: they go too."""
    return "user" if len(text) < 300 else "assistant"


def numbers_in(folder: Path) -> set[int]:
    """The numbers of the markers that stand in some file."""
    found: set[int] = set()
    for path in folder.iterdir():
        found.update(int(digits) for digits in re.findall(rb"<(\d{6})>", path.read_bytes()))
    return found


def opened(path: Path) -> Vault:
    return Vault.open(path, embedder=hash_embedder())


class Deleter:
    """A vault that is written to and deleted from at random, and what it should hold."""

    def __init__(self, path: Path, seed: int) -> None:
        self.path = path
        self.rng = random.Random(seed)
        self.live: dict[int, tuple[str, str]] = {}
        self.count = 0
        self.vault = opened(path)

    def ingest(self) -> None:
        session = f"s{self.rng.randrange(3)}"
        texts = {}
        for _ in range(self.rng.randrange(1, 40)):
            self.count += 1
            filler = self.rng.choice(("", " 刪除的文字 ", " plain words "))
            texts[self.count] = (marker(self.count) + filler) * self.rng.choice(SIZES)
        reply = self.vault.ingest(
            [{"role": _role(text), "content": text} for text in texts.values()], session_id=session
        )
        for number, memory_id in zip(texts, reply.ids, strict=True):
            self.live[number] = (str(memory_id), session)

    def delete(self) -> None:
        numbers = sorted(self.live)
        size = min(len(numbers), self.rng.randrange(1, 60))
        if self.rng.random() < 0.5:
            start = self.rng.randrange(len(numbers) - size + 1)
            going = numbers[start : start + size]
        else:
            going = self.rng.sample(numbers, size)
        ids = [self.live.pop(number)[0] for number in going]
        self.vault.delete(ids)

    def wipe_session(self) -> None:
        session = f"s{self.rng.randrange(3)}"
        self.vault.wipe(session_id=session)
        self.live = {n: held for n, held in self.live.items() if held[1] != session}

    def wipe(self) -> None:
        self.vault.wipe()
        self.live.clear()

    def holds_its_live_ones_alone(self, elsewhere: ProcessPoolExecutor) -> bool:
        """Whether the files hold the markers of what is live, and of nothing else."""
        return elsewhere.submit(numbers_in, self.path.parent).result() == set(self.live)

    def reopen(self) -> None:
        self.vault.close()
        self.vault = opened(self.path)


@pytest.mark.parametrize(
    ("seeds", "rounds"), [(range(2), 25), pytest.param(range(2, 40), 120, marks=pytest.mark.soak)]
)
def test_no_byte_of_a_deleted_memory_is_left(
    tmp_path: Path,
    elsewhere: ProcessPoolExecutor,
    monkeypatch: pytest.MonkeyPatch,
    seeds: range,
    rounds: int,
) -> None:
    monkeypatch.setattr(store, "_FEWEST_EMPTIED", 150)
    monkeypatch.setattr(embedding, "REQUEST_BUDGET_S", 0.0)
    for seed in seeds:
        deleter = Deleter(tmp_path / str(seed) / "memory.db", seed)
        steps = [deleter.ingest] * 6 + [deleter.delete] * 6 + [deleter.wipe_session]
        for round_ in range(rounds):
            step = deleter.rng.choice(steps) if deleter.live else deleter.ingest
            step()
            if round_ % 13 == 12:
                deleter.reopen()
            if step != deleter.ingest:
                wait_until(deleter.holds_its_live_ones_alone, elsewhere)
        deleter.vault.wait_filled()
        check(deleter.path)
        deleter.wipe()
        wait_until(deleter.holds_its_live_ones_alone, elsewhere)
        deleter.vault.close()


def test_deleting_much_gives_the_disk_space_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(store, "_FEWEST_EMPTIED", 100)
    path = tmp_path / "memory.db"
    with opened(path) as vault:
        reply = vault.ingest([{"role": "assistant", "content": f"{n} " * 300} for n in range(900)])
        ids = [str(memory_id) for memory_id in reply.ids]
        vault.delete(ids[:100])
        size = path.stat().st_size
        vault.search("7")
        for start in range(100, 700, 200):
            assert vault.delete(ids[start : start + 200]).erasure == "done"
        wait_until(lambda: path.stat().st_size < size / 3)
        assert vault.search("850", limit=1).memories[0].id == ids[850]
        assert vault.stats().memories == 200
    check(path)


LEFT = [
    "4711-x",
    "the locker code is 2187",
    "四七一一の暗証番号",
    "half \ud800 of a pair",
    "".join(f"row {number} of a long table; " for number in range(7_000)),
]


@pytest.mark.promise("delete.receipt")
def test_a_receipt_finds_what_was_left_and_nothing_once_it_is_cleared(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(erasure, "_BETWEEN_RECEIPTS_S", 0.0)
    with opened(tmp_path / "memory.db") as vault:
        said = [{"role": "assistant", "content": text} for text in LEFT]
        ids = [str(memory_id) for memory_id in vault.ingest(said).ids]
        with monkeypatch.context() as patch:
            patch.setattr(store.SqliteVaultStore, "erase", lambda _: False)
            reply = vault.delete(ids, receipt=True)
        assert reply.receipt is not None
        assert (reply.erasure, reply.receipt.checked, reply.receipt.found) == ("pending", 5, 5)
        ids = [str(memory_id) for memory_id in vault.ingest(said).ids]
        reply = vault.delete(ids, receipt=True)
        assert reply.receipt is not None
        assert (reply.erasure, reply.receipt.checked, reply.receipt.found) == ("done", 5, 0)
        assert reply.receipt.bytes >= (tmp_path / "memory.db").stat().st_size


def test_a_receipt_bears_texts_that_are_all_alike(tmp_path: Path) -> None:
    alike = "".join(f"AAAAAAAA{number:016d}" for number in range(8_000))
    with opened(tmp_path / "memory.db") as vault:
        said = [{"role": "assistant", "content": text} for text in (alike, "A" * 200_000)]
        reply = vault.ingest(said)
        receipt = vault.delete([str(reply.ids[0])], receipt=True).receipt
        assert receipt is not None
        assert (receipt.checked, receipt.found) == (1, 0)


def test_a_receipt_counts_no_text_that_a_live_row_still_holds(tmp_path: Path) -> None:
    with opened(tmp_path / "memory.db") as vault:
        text = "the same words are said by two people"
        reply = vault.ingest(
            [{"role": role, "content": text} for role in ("user", "assistant")], capture=False
        )
        receipt = vault.delete([str(reply.ids[0])], receipt=True).receipt
        assert receipt is not None
        assert (receipt.checked, receipt.found) == (1, 0)


def write_and_close(path: Path) -> None:
    with opened(path) as vault:
        vault.ingest([{"role": "user", "content": "written elsewhere"}])


def test_a_receipt_drops_no_lock_that_keeps_the_vault_whole(
    tmp_path: Path, elsewhere: ProcessPoolExecutor
) -> None:
    path = tmp_path / "memory.db"
    with opened(path) as vault:
        reply = vault.ingest([{"role": "user", "content": "to be deleted"}])
        vault.delete([str(reply.ids[0])], receipt=True)
        elsewhere.submit(write_and_close, path).result()
        # Whoever closes a file that nobody else holds removes its log.
        assert path.with_name("memory.db-wal").exists()


def hold_a_read(path: Path, seconds: float, begun: Path) -> None:
    """Read in one transaction for a while, as a long index load in another process does."""
    connection = apsw.Connection(str(path))
    with connection:
        connection.execute("SELECT count(*) FROM memory").fetchall()
        begun.touch()
        time.sleep(seconds)
    connection.close()


def test_while_another_process_reads_erasure_is_pending_and_then_done(
    tmp_path: Path, elsewhere: ProcessPoolExecutor
) -> None:
    path = tmp_path / "memory.db"
    with opened(path) as vault:
        reply = vault.ingest([{"role": "user", "content": "the locker code is 4711-secret"}])
        begun = tmp_path / "begun"
        reading = elsewhere.submit(hold_a_read, path, 1.5, begun)
        wait_until(begun.exists)
        assert vault.delete([str(reply.ids[0])]).erasure == "pending"
        vault.ingest([{"role": "user", "content": "writes go on meanwhile"}])
        reading.result()
        wait_until(gone_from_files, elsewhere, tmp_path, ["4711-secret"], seconds=5)


def delete_and_crash(path: Path, memory_id: str) -> None:
    """Delete a memory, and end as by a power cut before its bytes are cleared."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(store.SqliteVaultStore, "erase", lambda _: os._exit(1))
        opened(path).delete([memory_id])


def test_a_crash_before_the_files_are_cleared_is_made_good_when_the_vault_is_opened(
    tmp_path: Path, elsewhere: ProcessPoolExecutor
) -> None:
    path = tmp_path / "memory.db"
    secret = "四七一一の暗証番号"
    with opened(path) as vault:
        reply = vault.ingest(
            [{"role": "user", "content": f"{n} {secret if n == 5 else 'x'}"} for n in range(9)]
        )
    dying = get_context("spawn").Process(target=delete_and_crash, args=(path, str(reply.ids[5])))
    dying.start()
    dying.join()
    assert dying.exitcode == 1
    assert elsewhere.submit(found_in_files, tmp_path, [secret]).result() == [secret]
    with opened(path) as vault:
        assert vault.stats().memories == 8
        wait_until(gone_from_files, elsewhere, tmp_path, [secret])


def test_a_running_server_leaves_nothing_either(
    tmp_path: Path, elsewhere: ProcessPoolExecutor
) -> None:
    markers = [f"{marker(n)}秘密{n}号" for n in range(60)]
    with server_process(tmp_path) as server, RemoteVault(server.url, server.key) as remote:
        reply = remote.ingest(
            [
                {"role": _role(text * n), "content": text * (1 + 40 * n)}
                for n, text in enumerate(markers)
            ],
            session_id="s",
        )
        ids = [str(memory_id) for memory_id in reply.ids]
        with opened(server.vault_file) as vault:
            vault.search(markers[3])
            remote.delete(ids[:20])
            vault.delete(ids[20:40])
            wait_until(
                lambda: elsewhere.submit(found_in_files, tmp_path, markers).result() == markers[40:]
            )
            remote.wipe()
            wait_until(gone_from_files, elsewhere, tmp_path, markers)
