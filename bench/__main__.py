"""Runs the benchmarks: `python -m bench [--data FOLDER] [--sizes 10000,100000]`."""

from __future__ import annotations

import argparse
import json
import os
import platform
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from bench import levels, recall, report, scale

_RESULTS = Path(__file__).parent / "results.json"
_TABLES = Path(__file__).parent / "RESULTS.md"
_CONVERSATIONS = "locomo-dev.json"


def main() -> None:
    """Measure, and write `bench/results.json` and `bench/RESULTS.md`."""
    parser = argparse.ArgumentParser(prog="python -m bench", description=__doc__)
    parser.add_argument("--data", type=Path, help=f"folder that holds {_CONVERSATIONS}")
    parser.add_argument("--sizes", default="10000,100000", help="vault sizes to measure")
    options = parser.parse_args()
    results: dict[str, Any] = json.loads(_RESULTS.read_text()) if _RESULTS.exists() else {}
    results["machine"] = {
        "at": datetime.now(UTC).isoformat(timespec="seconds"),
        "python": platform.python_version(),
        "cores": os.cpu_count(),
        "processor": _processor(),
    }
    results["scale"] = [
        scale.measure(int(size), print) for size in options.sizes.split(",") if size
    ] or results.get("scale", [])
    if options.sizes:
        results["levels"] = levels.measure(10_000, 100_000, print)
    conversations = options.data and options.data / _CONVERSATIONS
    if conversations and conversations.exists():
        results["recall"] = recall.measure(conversations, print)
    else:
        print("No conversations given (--data FOLDER): recall is left as it was measured last.")
    _RESULTS.write_text(json.dumps(results, indent=2) + "\n")
    _TABLES.write_text(report.tables(results))
    print(f"Written: {_TABLES.name} and {_RESULTS.name} in {_TABLES.parent.name}/")


def _processor() -> str:
    for line in Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            return line.partition(":")[2].strip()
    return platform.processor()


if __name__ == "__main__":
    main()
