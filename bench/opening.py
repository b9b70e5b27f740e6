"""What opening a vault costs, in a process of its own: `python -m bench.opening FILE`."""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path

from treering import Vault
from treering.retrieval.embedder import EmbedderSpec, open_embedder


def main() -> None:
    """Print seconds to the first answer, and the resident bytes that the index adds a memory."""
    embedder = open_embedder(EmbedderSpec(name="hash-384"))
    embedder.embed(["warm"])
    with Vault.open(Path(sys.argv[1] + ".empty"), embedder=embedder) as empty:
        empty.search("imports are done")
    before = _resident_bytes()
    started = time.perf_counter()
    with Vault.open(sys.argv[1], embedder=embedder) as vault:
        vault.search("what about the first answer?")
        seconds = time.perf_counter() - started
        added = _resident_bytes() - before
        memories = vault.stats().memories
        index_bytes = vault.index_bytes
    print(
        json.dumps(
            {
                "open_to_first_answer_s": seconds,
                "resident_bytes_a_memory": added / memories,
                "index_bytes_a_memory": index_bytes / memories,
            }
        )
    )


def _resident_bytes() -> int:
    for line in Path("/proc/self/status").read_text("ascii").splitlines():
        if line.startswith("VmRSS:"):
            return int(line.split()[1]) * 1024
    raise RuntimeError("this system does not say how much memory is resident")


if __name__ == "__main__":
    main()
