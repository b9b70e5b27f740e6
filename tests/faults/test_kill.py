"""A server killed in the middle of things: what it acknowledged is there, the rest is whole."""

from __future__ import annotations

import random
import threading
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.support.audit import Audit, check, gone_from_files, processes, wait_until
from tests.support.serving import ServerProcess, server_process
from tests.support.worlds import hash_embedder
from treering import RemoteVault, Vault
from treering.errors import NotReady
from treering.replies import Batch

Client = Callable[[RemoteVault, int], None]
"""Talks to the server over and over; ends with NotReady when the server is gone."""


class Ledger:
    """What clients sent: every request's texts, and whether it was acknowledged."""

    def __init__(self) -> None:
        self.sent: list[list[str]] = []
        self.acknowledged: list[list[str]] = []
        self._lock = threading.Lock()
        self._count = 0

    def request(self, rng: random.Random) -> list[str]:
        """The texts of a new request; each holds a word of its own."""
        with self._lock:
            size = rng.choice((1, 1, 2, 5, 12))
            texts = [self._text(self._count + i, rng) for i in range(size)]
            self._count += size
            self.sent.append(texts)
            return texts

    def acknowledge(self, texts: list[str]) -> None:
        with self._lock:
            self.acknowledged.append(texts)

    @staticmethod
    def _text(number: int, rng: random.Random) -> str:
        filler = " ".join(f"w{rng.randrange(500)}" for _ in range(rng.choice((3, 30, 900))))
        return f"{word(number)} said: 日本 {filler}"


def word(number: int) -> str:
    """A word that stands in no other message."""
    return f"zq{number}qz"


def crash(server: ServerProcess, client: Client, after: float, clients: int = 3) -> None:
    """Run clients until they got going and `after` seconds on, and kill the server."""
    calls = [0] * clients
    going = threading.Event()

    def run(number: int) -> None:
        with RemoteVault(server.url, server.key) as vault:
            going.wait()
            try:
                while True:
                    client(vault, number)
                    calls[number] += 1
            except NotReady:
                return

    threads = [threading.Thread(target=run, args=(number,)) for number in range(clients)]
    for thread in threads:
        thread.start()
    going.set()
    wait_until(lambda: sum(calls) >= clients or not any(map(threading.Thread.is_alive, threads)))
    time.sleep(after)
    server.kill()
    for thread in threads:
        thread.join()


def ingesting(ledger: Ledger, seed: int) -> Client:
    rngs = [random.Random(f"{seed}.{number}") for number in range(8)]

    def client(vault: RemoteVault, number: int) -> None:
        texts = ledger.request(rngs[number])
        vault.ingest([{"role": "assistant", "content": text} for text in texts])
        ledger.acknowledge(texts)

    return client


@pytest.mark.parametrize("kills", [2, pytest.param(100, marks=pytest.mark.soak)])
def test_nothing_acknowledged_is_lost_and_nothing_is_half_written(
    tmp_path: Path, kills: int
) -> None:
    ledger = Ledger()
    with server_process(tmp_path) as server:
        for kill in range(kills):
            crash(server, ingesting(ledger, kill), random.Random(kill).random() * 0.8)
            server.start()
            check_ledger(server, ledger)
        replay_what_was_not_answered(server, ledger)


def check_ledger(server: ServerProcess, ledger: Ledger) -> None:
    assert ledger.acknowledged
    with Audit(server.vault_file) as audit:
        audit.check()
        stored = Counter(audit.contents())
    assert set(stored.values()) <= {1}
    assert all(text in stored for texts in ledger.acknowledged for text in texts)
    for texts in ledger.sent:
        assert len({text in stored for text in texts}) == 1, "a request was stored in part"
    with RemoteVault(server.url, server.key) as vault:
        last = [texts[-1] for texts in ledger.acknowledged[-5:]]
        for text in last:
            # By its words it is first; a collision of hashed vectors alone may stand before it.
            found = vault.search(text.split()[0], limit=5, explain=True).memories
            assert max(found, key=lambda row: (row.why or {}).get("words", 0)).content == text
        wait_until(lambda: vault.stats().pending_vectors == 0)


def replay_what_was_not_answered(server: ServerProcess, ledger: Ledger) -> None:
    """Whether the server had stored it or not: sent again at once, it is there once."""
    answered = [tuple(texts) for texts in ledger.acknowledged]
    open_requests = [texts for texts in ledger.sent[-8:] if tuple(texts) not in answered]
    with RemoteVault(server.url, server.key) as vault:
        for texts in open_requests:
            reply = vault.ingest([{"role": "assistant", "content": text} for text in texts])
            assert reply.stored in (0, len(texts))
            assert None not in reply.ids
    with Audit(server.vault_file) as audit:
        stored = Counter(audit.contents())
    assert all(stored[text] == 1 for texts in open_requests for text in texts)


@pytest.mark.parametrize("kills", [1, pytest.param(30, marks=pytest.mark.soak)])
def test_a_commit_is_whole_and_its_replay_tells_the_truth(tmp_path: Path, kills: int) -> None:
    server = ServerProcess(tmp_path)
    with opened(server) as vault:
        vault.upload(
            f'{{"role": "assistant", "content": "turn {n} {"x" * 400}"}}'
            for n in range(3000 + 200 * kills)
        )
    open_commits: dict[str, int] = {}

    def client(vault: RemoteVault, number: int) -> None:
        batch = vault.checkout(1, max_tokens=1000)
        if not isinstance(batch, Batch):
            raise NotReady("everything is consolidated")
        open_commits[batch.batch_id] = batch.count
        vault.commit(batch.batch_id, [{"text": f"sum {batch.batch_id}", "importance": 5}] * 7)
        del open_commits[batch.batch_id]

    for kill in range(kills):
        with server.running():
            crash(server, client, 0.05 + 0.1 * (kill % 5))
        with Audit(server.vault_file) as audit:
            audit.check()
            committed = {row[0] for row in audit.rows("SELECT id FROM batch WHERE committed")}
        assert committed
        with opened(server) as vault:
            for batch_id, count in open_commits.items():
                reply = vault.commit(batch_id, [{"text": "again", "importance": 1}])
                assert reply.already_committed == (batch_id in committed)
                assert len(reply.created) == (7 if reply.already_committed else 1)
                assert reply.sources_consolidated == count
        open_commits.clear()
        check(server.vault_file)


@pytest.mark.parametrize("kills", [1, pytest.param(30, marks=pytest.mark.soak)])
def test_a_delete_is_whole_and_its_text_leaves_the_files(tmp_path: Path, kills: int) -> None:
    server = ServerProcess(tmp_path)
    count = 400 + 200 * kills
    with opened(server) as vault:
        reply = vault.ingest(
            {"role": "assistant", "content": f"{word(n)} {'secret ' * (n % 400)}"}
            for n in range(count)
        )
    left = [memory_id for memory_id in reply.ids if memory_id is not None]
    lock = threading.Lock()

    def client(vault: RemoteVault, number: int) -> None:
        with lock:
            asked, left[:] = left[:5], left[5:]
        if not asked:
            raise NotReady("everything is deleted")
        vault.delete(asked)

    for _ in range(kills):
        with server.running():
            crash(server, client, 0.1)
        with Audit(server.vault_file) as audit:
            audit.check()
            live = {text.split()[0] for text in audit.contents()}
        dead = [word(n) for n in range(count) if word(n) not in live]
        assert dead
        for n in range(0, count, 5):
            assert len({word(k) in live for k in range(n, n + 5)}) == 1
        with opened(server), processes(1) as pool:
            wait_until(gone_from_files, pool, tmp_path, dead)


@pytest.mark.parametrize("kills", [1, pytest.param(30, marks=pytest.mark.soak)])
def test_an_upload_can_be_sent_again(tmp_path: Path, kills: int) -> None:
    server = ServerProcess(tmp_path)
    size = 2500
    for kill in range(kills):
        file = [
            f'{{"content": "line {n % 900} of a file", "session_id": "s{kill}"}}'
            for n in range(size)
        ]

        def client(vault: RemoteVault, number: int, file: list[str] = file) -> None:
            if number == 0:
                vault.upload(file)
                raise NotReady("uploaded")
            vault.stats()

        with server.running():
            crash(server, client, 0.05 + 0.1 * (kill % 8), clients=2)
        with Audit(server.vault_file) as audit:
            audit.check()
            before = len(audit.contents())
        with opened(server) as vault:
            again = vault.upload(file)
        assert again.stats.known == before - kill * size
        assert again.stats.processed == size - again.stats.known
    with Audit(server.vault_file) as audit:
        audit.check()
        assert len(audit.contents()) == kills * size


def opened(server: ServerProcess) -> Vault:
    """The vault of a server that does not run, in this process."""
    return Vault.open(server.vault_file, embedder=hash_embedder())
