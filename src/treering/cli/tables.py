"""Replies as a person reads them on a terminal."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from treering.cli.output import day_and_minute, one_line, shown
from treering.replies import DebtReply, MemoryRow

_COLUMNS = "{:<8}{:<6}{:<7}{:<18}{}"
_INDENT = 8


def memory_list(memories: Sequence[MemoryRow]) -> Group:
    """Memories under a heading: what is known of each in columns, its text below.

    The id that `inspect` and `delete` take is never broken over two lines.
    """
    heading = Text(_COLUMNS.format("score", "tier", "level", "date", "role"), style="bold")
    parts: list[RenderableType] = [heading]
    for memory in memories:
        parts += [_facts(memory), Padding(_text(memory), (0, 0, 1, _INDENT))]
    return Group(*parts)


def debt_table(debt: DebtReply) -> Table:
    """What waits for consolidation at each tier boundary."""
    raw, tier2 = debt.unconsolidated.raw, debt.unconsolidated.tier2
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0))
    for name in ("waiting", "memories", "tokens", "importance"):
        table.add_column(name, justify="left" if name == "waiting" else "right")
    table.add_row(
        "raw → reflections", f"{raw.units:,}", f"{raw.est_tokens:,}", f"{raw.importance_equiv:,}"
    )
    table.add_row(
        "reflections → high-level",
        f"{tier2.count:,}",
        f"{tier2.est_tokens:,}",
        f"{tier2.importance:,}",
    )
    return table


def pairs(rows: Sequence[tuple[str, object]]) -> Table:
    """Names and values, one to a row."""
    table = Table(box=None, show_header=False, pad_edge=False, padding=(0, 2, 0, 0))
    table.add_column(style="dim", no_wrap=True)
    table.add_column(overflow="fold")
    for name, value in rows:
        table.add_row(name, shown(f"{value:,}" if isinstance(value, int) else str(value)))
    return table


def _facts(memory: MemoryRow) -> Text:
    score = "" if memory.score is None else f"{memory.score:.4f}"
    date = day_and_minute(memory.date)
    return Text(_COLUMNS.format(score, memory.tier, memory.level, date, shown(memory.role)))


def _text(memory: MemoryRow) -> Text:
    text = Text(one_line(memory.content), overflow="fold")
    detail = [memory.id]
    if memory.importance is not None:
        detail.append(f"importance {memory.importance}")
    if memory.session_id is not None:
        detail.append(f"session {one_line(memory.session_id, 40)}")
    text.append("\n" + "  ".join(detail), style="dim")
    if memory.why is not None:
        signals = sorted(memory.why.items(), key=lambda signal: -signal[1])
        why = "  ".join(f"{name} {part:.2f}" for name, part in signals)
        text.append(f"\nwhy: {why}", style="dim italic")
    return text
