"""Results as Markdown tables."""

from __future__ import annotations

from typing import Any

from bench.locomo import CUTOFFS

_SCALE_ROWS = (
    ("retrieval_p50_ms", "retrieval, p50", "ms"),
    ("retrieval_p95_ms", "retrieval, p95", "ms"),
    ("int8_scan_p50_ms", "baseline: one int8 dot scan over the same vectors, p50", "ms"),
    ("retrieval_over_int8_scan", "retrieval / int8 scan", "×"),
    ("brute_force_p50_ms", "baseline: numpy cosine + bm25s brute force, p50", "ms"),
    ("search_p50_ms", "whole search (embedding by hash, usage committed), p50", "ms"),
    ("search_p95_ms", "whole search, p95", "ms"),
    ("upload_per_s", "upload, messages a second", ""),
    ("single_message_ingest_per_s", "ingest of one message a request, a second", ""),
    ("plain_sqlite_insert_per_s", "baseline: one row a transaction, bare SQLite, a second", ""),
    ("open_to_first_answer_s", "open to first answer", "s"),
    ("resident_bytes_a_memory", "resident memory that the index adds, a memory", "B"),
    ("bytes_on_disk_a_memory", "bytes on disk, a memory", "B"),
)

_LEVELS_ROWS = (
    ("full_p50_ms", "`POST /context`, p50", "ms"),
    ("full_p95_ms", "`POST /context`, p95", "ms"),
    ("small_p50_ms", "baseline: the same call at 100 statements and 100 messages, p50", "ms"),
    ("full_over_small", "full / small", "×"),
    ("seeding_s", "storing the statements", "s"),
    ("seeding_again_s", "storing the same list again, which stores nothing", "s"),
)


def tables(results: dict[str, Any]) -> str:
    """The whole report."""
    machine = results["machine"]
    parts = [
        "# Benchmark results\n",
        f"Measured {machine['at']} on {machine['cores']} cores of {machine['processor']}, Python "
        f"{machine['python']}, by `make bench`. Baselines run in the same process, taken in turns "
        "with what they are compared with.\n",
    ]
    if "recall" in results:
        parts.append(_recall(results["recall"]))
    if results.get("scale"):
        parts.append(_scale(results["scale"]))
    if "levels" in results:
        parts.append(_levels(results["levels"]))
    return "\n".join(parts)


def _recall(recall: dict[str, Any]) -> str:
    lines = [
        "## Evidence recall\n",
        f"{recall['questions']:,} questions on {recall['conversations']} conversations of LoCoMo "
        "(the development half), a vault each, over HTTP, all-MiniLM-L6-v2. Raw memories alone are "
        'counted. "Consolidated" has reflections that a language model once wrote, committed '
        "session by session.\n",
        "| method | " + " | ".join(f"R@{cutoff}" for cutoff in CUTOFFS) + " |",
        "|---|" + "---|" * len(CUTOFFS),
    ]
    for name, values in recall["recall"].items():
        shown = " | ".join(f"{values.get(k, values.get(str(k))):.3f}" for k in CUTOFFS)
        lines.append(f"| {name} | {shown} |")
    lines.append(
        f"\nOf 60 rows over all tiers, at least {recall['fewest_raw_rows_of_60']} were raw.\n"
    )
    missed, passed = recall["floor"]["missed"], recall["floor"]["passed"]
    lines.append(
        "The floor under which `POST /recall` and a search by time with a query return nothing "
        f"(a shared stem, or a cosine above .40): {missed:.1%} of the turns that answer a question "
        f"are below it, {passed:.1%} of a conversation's turns are above it for another "
        "conversation's questions.\n"
    )
    return "\n".join(lines)


def _scale(scale: list[dict[str, Any]]) -> str:
    lines = [
        "## Speed and size\n",
        'Made-up turns of about 25 words, 384 dimensions. "Retrieval" is catching up, ranking by '
        "all signals and reading ten memories, without embedding the query and booking usage.\n",
        "| | " + " | ".join(f"{column['memories']:,} memories" for column in scale) + " |",
        "|---|" + "---|" * len(scale),
    ]
    for key, label, unit in _SCALE_ROWS:
        shown = " | ".join(_number(column[key], unit) for column in scale)
        lines.append(f"| {label} | {shown} |")
    return "\n".join(lines) + "\n"


def _levels(levels: dict[str, Any]) -> str:
    size = f"{levels['statements']:,} statements, {levels['messages']:,} messages"
    lines = ["## The levels block\n", f"| | {size} |", "|---|---|"]
    lines += [f"| {label} | {_number(levels[key], unit)} |" for key, label, unit in _LEVELS_ROWS]
    return "\n".join(lines) + "\n"


def _number(value: float, unit: str) -> str:
    shown = f"{value:,.0f}" if value >= 100 else f"{value:.2f}"
    return f"{shown} {unit}".strip()
