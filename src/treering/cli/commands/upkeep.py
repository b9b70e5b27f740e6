"""Counting what a vault holds and what was metered, and deleting."""

from __future__ import annotations

from typing import Annotated

import typer

from treering.cli.options import Session, Yes, on_vault
from treering.cli.output import Output, confirm, counted, day_and_minute
from treering.cli.tables import pairs
from treering.errors import NotFound
from treering.verbs import Verbs

WIPE_PHRASE = "DELETE ALL MEMORIES"


@on_vault()
def stats(vault: Verbs, output: Output) -> None:
    """Count what the vault holds."""
    reply = vault.stats()
    rows: list[tuple[str, object]] = [
        ("memories", reply.memories),
        *((f"tier {tier}", count) for tier, count in reply.by_tier.items()),
        *((f"level {level}", count) for level, count in reply.by_level.items()),
        *((f"kind {kind}", count) for kind, count in reply.by_kind.items()),
        ("tokens", reply.total_tokens),
        ("oldest", day_and_minute(reply.oldest or "none")),
        ("newest", day_and_minute(reply.newest or "none")),
        ("vectors pending", reply.pending_vectors),
        ("suggestion", reply.reflection.suggestion or "none"),
    ]
    output.show(reply, pairs(rows))


@on_vault()
def usage(
    vault: Verbs,
    output: Output,
    start: Annotated[
        str | None, typer.Option(help="ISO date or time. (default: this month's start)")
    ] = None,
    end: Annotated[str | None, typer.Option(help="ISO date or time. (default: now)")] = None,
) -> None:
    """Sum up the metered tokens."""
    reply = vault.usage(start, end)
    rows: list[tuple[str, object]] = [
        ("from", day_and_minute(reply.start)),
        ("to", day_and_minute(reply.end)),
        ("tokens", reply.total.tokens),
        *((name, used.tokens) for name, used in reply.by_endpoint.items()),
        *((f"vault {name}", used.tokens) for name, used in (reply.by_vault or {}).items()),
    ]
    output.show(reply, pairs(rows))


@on_vault()
def delete(
    vault: Verbs,
    output: Output,
    ids: Annotated[list[str], typer.Argument(metavar="ID...", help="Up to 500 ids.")],
    cascade: Annotated[
        bool, typer.Option("--cascade", help="Delete reflections built on them too.")
    ] = False,
    receipt: Annotated[
        bool, typer.Option("--receipt", help="Look through the files for what is left of them.")
    ] = False,
    yes: Yes = False,
) -> None:
    """Delete memories for good."""
    if not yes:
        confirm(f"Delete {counted(len(ids), 'memory', 'memories')} for good?", "yes")
    reply = vault.delete(ids, cascade=cascade, receipt=receipt)
    lines = [f"{reply.deleted:,} deleted, {reply.not_found:,} not found."]
    if reply.also_deleted:
        lines.append(f"{reply.also_deleted:,} more went along with them.")
    if reply.derived:
        lines.append("Reflections built on them stay (--cascade would delete them):")
        lines += [f"  {memory_id}" for memory_id in reply.derived]
    if reply.receipt:
        lines.append(
            f"Looked for {counted(reply.receipt.checked, 'text', 'texts')} in all "
            f"{reply.receipt.bytes:,} bytes of the vault: {reply.receipt.found:,} left."
        )
    output.show(reply, *lines)
    if not reply.deleted:
        raise typer.Exit(NotFound.exit_code)


@on_vault()
def wipe(vault: Verbs, output: Output, session: Session = None, yes: Yes = False) -> None:
    """Delete every memory of the vault, or of one session."""
    if not yes:
        what = "this session" if session is not None else "this vault"
        confirm(f"This deletes every memory of {what} for good.", WIPE_PHRASE)
    reply = vault.wipe(session_id=session)
    output.show(reply, f"{reply.deleted:,} deleted.")
