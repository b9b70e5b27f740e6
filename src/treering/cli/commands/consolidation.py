"""Consolidation: the debt, and paying it with a reflector of your choice."""

from __future__ import annotations

import os
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated

import typer

from treering.cli.options import load_settings, on_vault
from treering.cli.output import Output, counted, shown
from treering.cli.tables import debt_table
from treering.errors import Forbidden, LeaseExpired
from treering.replies import Unconsolidated
from treering.verbs import Verbs

if TYPE_CHECKING:
    from treering.reflectors import ConsolidationSummary, Progress, Reflector

_LEASED = (
    "All that waits is leased to another run, or to one that failed; its lease lapses within 15 "
    "minutes, so try again then."
)


@on_vault()
def debt(vault: Verbs, output: Output) -> None:
    """Show what no reflection covers yet."""
    reply = vault.debt()
    output.show(reply, debt_table(reply), "", shown(reply.suggestion or "Nothing is due yet."))


@on_vault()
def revert(
    vault: Verbs,
    output: Output,
    batch_id: Annotated[str, typer.Argument(metavar="BATCH", help="As inspect shows it.")],
) -> None:
    """Undo one commit: its reflections go, what they were built from waits again."""
    reply = vault.revert(batch_id)
    gone = counted(reply.deleted, "reflection", "reflections")
    back = counted(reply.sources_returned, "memory", "memories")
    output.show(reply, f"{gone} deleted, {back} wait again.")


@on_vault()
def reflect(
    vault: Verbs,
    output: Output,
    with_: Annotated[
        str,
        typer.Option(
            "--with",
            metavar="REFLECTOR",
            help="Who writes: openai (any compatible URL), anthropic, command:<program> "
            "<arguments>, or extractive (no model: quotes central sentences).",
        ),
    ],
    model: Annotated[
        str | None, typer.Option(help="The model that openai or anthropic is to use.")
    ] = None,
    tier: Annotated[
        list[int] | None, typer.Option(help="1 or 2; may be given twice. (default: 1, then 2)")
    ] = None,
    batches: Annotated[
        int | None, typer.Option(min=1, help="Stop after so many. (default: when none is left)")
    ] = None,
    max_tokens: Annotated[
        int | None,
        typer.Option(help="Cap of a batch, 1,000 to 200,000; smaller ones trace closer."),
    ] = None,
) -> None:
    """Consolidate: check batches out, have reflections written over them, commit them.

    Treering's server never calls a model; this command does, with what you set: OPENAI_API_KEY and
    OPENAI_BASE_URL (for Ollama http://localhost:11434/v1), ANTHROPIC_API_KEY, ANTHROPIC_BASE_URL.
    """
    # Imports numpy and the HTTP library, which --help need not wait for.
    from treering.reflectors import consolidate  # noqa: PLC0415

    reflector = _reflector(with_, model)
    tiers = sorted(set(tier)) if tier else [1, 2]
    waiting = _waiting(vault)
    output.say(shown(reflector.describe()))
    if waiting is not None:
        output.say(_what_will_be_done(waiting, tiers, batches))
    progress = _ProgressLines(output)
    try:
        summary = consolidate(
            vault,
            reflector,
            tiers=tiers,
            max_batches=batches,
            max_tokens=max_tokens,
            on_progress=progress,
        )
    finally:
        progress.stop()
    leased = not summary.batches and _is_waiting(waiting, tiers)
    summary = replace(summary, finished=summary.finished and not leased)
    output.show(summary, _LEASED if leased else _closing_line(summary))
    if leased:
        raise typer.Exit(LeaseExpired.exit_code)


def _reflector(name: str, model: str | None) -> Reflector:
    # Imports numpy and the HTTP library, which --help need not wait for.
    from treering.reflectors import open_reflector  # noqa: PLC0415

    return open_reflector(name, model=model, environ=os.environ, settings=load_settings())


def _waiting(vault: Verbs) -> Unconsolidated | None:
    """What waits; None for a key that may consolidate without being allowed to count."""
    try:
        return vault.debt().unconsolidated
    except Forbidden:
        return None


def _is_waiting(waiting: Unconsolidated | None, tiers: list[int]) -> bool:
    if waiting is None:
        return False
    return (1 in tiers and waiting.raw.units > 0) or (2 in tiers and waiting.tier2.count > 0)


def _what_will_be_done(waiting: Unconsolidated, tiers: list[int], batches: int | None) -> str:
    what = []
    if 1 in tiers:
        raw = counted(waiting.raw.units, "raw memory", "raw memories")
        what.append(f"{raw} ({waiting.raw.est_tokens:,} tokens)")
    if 2 in tiers:
        tier2 = waiting.tier2
        what.append(
            f"{tier2.count:,} reflections ({tier2.est_tokens:,} tokens)"
            + (" and what tier 1 adds to them" if 1 in tiers else "")
        )
    until = (
        "until none is left"
        if batches is None
        else counted(batches, "batch", "batches") + " at the most"
    )
    return f"To read: {', '.join(what)}; {until}."


class _ProgressLines:
    """A line for each batch that is done, and on a terminal what is being done now."""

    def __init__(self, output: Output) -> None:
        self._output = output
        self._status = output.err.status("…") if output.shows_progress else None

    def __call__(self, progress: Progress) -> None:
        memories = counted(progress.memories, "memory", "memories")
        read = f"tier {progress.tier}: {memories}, {progress.tokens:,} tokens"
        if progress.stage == "reflecting":
            if self._status is not None:
                self._status.update(f"reflecting on {read}")
                self._status.start()
            return
        self.stop()
        became = (
            counted(progress.entries, "reflection", "reflections") + f" of tier {progress.tier + 1}"
            if progress.stage == "committed"
            else "lost before the commit; checking out again"
        )
        self._output.say(f"{read} → {became}")

    def stop(self) -> None:
        """Take away what is being done now."""
        if self._status is not None:
            self._status.stop()


def _closing_line(summary: ConsolidationSummary) -> str:
    if not summary.batches:
        return "Nothing to consolidate."
    made = ", ".join(
        f"{count:,} of tier {tier}" for tier, count in sorted(summary.reflections.items())
    )
    end = "" if summary.finished else " There is more to do."
    batches = counted(summary.batches, "batch", "batches")
    memories = counted(summary.memories, "memory", "memories")
    return f"{batches}, {memories} read, reflections: {made}.{end}"
