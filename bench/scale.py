"""Latency, write rate, open time and memory by vault size, beside brute force in the same run."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from statistics import median, quantiles
from typing import Any

import apsw
import bm25s
import numkong
import numpy as np
import Stemmer

from bench import texts
from treering import Vault
from treering.retrieval.embedder import Embedder, EmbedderSpec, open_embedder
from treering.retrieval.ranking import Ask
from treering.retrieval.vectors import quantise
from treering.store.base import VaultMeta
from treering.store.sqlite.store import SqliteVaultStore
from treering.vault.live_index import LiveIndex

_START = 1_700_000_000_000
_QUERIES = 200
_SINGLE_WRITES = 200
_SEED = 20_260_901


def measure(size: int, progress: Callable[[str], None]) -> dict[str, Any]:
    """The figures of a vault of `size` memories."""
    embedder = open_embedder(EmbedderSpec(name="hash-384"))
    lines = list(texts.lines(size, _SEED, _START))
    said = [line["content"] for line in lines]
    asked = texts.queries(_QUERIES, _SEED, said)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "memory.db"
        progress(f"{size:,} memories: writing")
        with Vault.open(path, embedder=embedder) as vault:
            upload = _upload_rate(vault, lines)
            vault.wait_filled()
            single = _single_rate(vault)
            progress(f"{size:,} memories: searching")
            figures: dict[str, Any] = {
                "memories": size,
                "upload_per_s": upload,
                "single_message_ingest_per_s": single,
                "plain_sqlite_insert_per_s": _plain_insert_rate(Path(folder) / "plain.db", said),
                **_latencies(vault, path, embedder, asked, said),
                "bytes_on_disk_a_memory": path.stat().st_size / size,
            }
        progress(f"{size:,} memories: opening")
        opened = subprocess.run(
            [sys.executable, "-m", "bench.opening", str(path)],
            check=True,
            capture_output=True,
            text=True,
        )
    figures.update(json.loads(opened.stdout))
    return figures


def _upload_rate(vault: Vault, lines: Sequence[dict[str, Any]]) -> float:
    started = time.perf_counter()
    for first in range(0, len(lines), 5_000):
        vault.upload([json.dumps(line) for line in lines[first : first + 5_000]])
    return len(lines) / (time.perf_counter() - started)


def _single_rate(vault: Vault) -> float:
    started = time.perf_counter()
    for place in range(_SINGLE_WRITES):
        vault.ingest([{"role": "user", "content": f"one more thing, number {place}"}])
    return _SINGLE_WRITES / (time.perf_counter() - started)


def _plain_insert_rate(path: Path, said: Sequence[str]) -> float:
    """One row a transaction into one bare table with the same durability: the disk's own pace."""
    plain = apsw.Connection(str(path))
    plain.execute("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL")
    plain.execute("CREATE TABLE message (seq INTEGER PRIMARY KEY, content TEXT)")
    started = time.perf_counter()
    for text in said[:_SINGLE_WRITES]:
        plain.execute("INSERT INTO message (content) VALUES (?)", (text,))
    rate = _SINGLE_WRITES / (time.perf_counter() - started)
    plain.close()
    return rate


def _latencies(
    vault: Vault, path: Path, embedder: Embedder, asked: Sequence[str], said: Sequence[str]
) -> dict[str, float]:
    vectors = embedder.embed(said)
    packed = np.frombuffer(b"".join(quantise(vectors)), np.int8).reshape(len(said), -1)
    lexical, stemmer = _bm25(said)
    queries = embedder.embed(asked)
    sharp = np.frombuffer(b"".join(quantise(queries)), np.int8).reshape(len(asked), -1)

    store = SqliteVaultStore(path, VaultMeta("", 0, embedder.name, embedder.dims))
    live = LiveIndex(store, embedder.name)

    def retrieve(place: int) -> None:
        ask = Ask(text=asked[place], vector=queries[place], limit=10)
        with live.current() as index:
            found = index.rank(ask)
        with store.read() as reader:
            reader.memories(found.seqs)

    def scan(place: int) -> None:
        np.asarray(numkong.cdist(sharp[place : place + 1], packed, "dot"))

    def brute_force(place: int) -> None:
        cosines = vectors @ queries[place]
        words = bm25s.tokenize(
            [asked[place]], stopwords="en", stemmer=stemmer, show_progress=False, return_ids=False
        )[0]
        scores = cosines + lexical.get_scores(words)
        np.argpartition(-scores, 10)[:10]

    def search(place: int) -> None:
        vault.search(asked[place])

    timed = {"retrieval": retrieve, "int8_scan": scan, "brute_force": brute_force, "search": search}
    seconds = _interleaved(timed, len(asked))
    store.close()
    figures = {}
    for name, values in seconds.items():
        figures[f"{name}_p50_ms"] = median(values) * 1000
        figures[f"{name}_p95_ms"] = quantiles(values, n=20)[-1] * 1000
    figures["retrieval_over_int8_scan"] = figures["retrieval_p50_ms"] / figures["int8_scan_p50_ms"]
    return figures


def _interleaved(timed: Mapping[str, Callable[[int], None]], rounds: int) -> dict[str, list[float]]:
    """Seconds of each call, taken in turns, so that noise falls on all of them alike."""
    seconds: dict[str, list[float]] = {name: [] for name in timed}
    for call in timed.values():
        call(0)
    for place in range(rounds):
        for name, call in timed.items():
            started = time.perf_counter()
            call(place)
            seconds[name].append(time.perf_counter() - started)
    return seconds


def _bm25(said: Sequence[str]) -> tuple[Any, Any]:
    stemmer = Stemmer.Stemmer("english")
    lexical = bm25s.BM25()
    tokens = bm25s.tokenize(list(said), stopwords="en", stemmer=stemmer, show_progress=False)
    lexical.index(tokens, show_progress=False)
    return lexical, stemmer
