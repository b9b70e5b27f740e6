"""A progress bar with the time that is left, where a person watches."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    ProgressColumn,
    TaskProgressColumn,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)

from treering.cli.output import Output

Advance = Callable[[int], None]


@contextmanager
def progress_bar(
    output: Output, label: str, total: int | None, *, counted: bool = False
) -> Iterator[Advance]:
    """A bar on stderr for as long as the block runs; call what it yields with each step's size.

    `total` None is an end that is not known. `counted` shows the numbers and not only the share.
    """
    if not output.shows_progress:
        yield lambda step: None
        return
    share: ProgressColumn = MofNCompleteColumn() if counted else TaskProgressColumn()
    left: ProgressColumn = TimeElapsedColumn() if total is None else TimeRemainingColumn()
    columns = (TextColumn(label), BarColumn(), share, left)
    with Progress(*columns, console=output.err, transient=True) as progress:
        task = progress.add_task(label, total=total)
        yield lambda step: progress.advance(task, step)
