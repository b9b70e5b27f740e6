"""The program: its commands, and how their errors are shown."""

from __future__ import annotations

import sys
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from treering.cli.commands import (
    admin,
    consolidation,
    import_file,
    keys,
    levels,
    lineage,
    mcp,
    recall,
    reembedding,
    serve,
    upkeep,
)
from treering.cli.options import wants_json
from treering.cli.output import make_streams_safe, show_error
from treering.errors import TreeringError

_INTERRUPTED = 130
_SERVER, _STORE, _RECALL, _CONSOLIDATE = "Server", "Storage", "Recall", "Consolidation"
_LEVELS = "Levels"


class _Commands(TyperGroup):
    """The commands; an error of Treering's ends one with its line and its exit code."""

    def invoke(self, ctx: Any) -> Any:
        try:
            return super().invoke(ctx)
        except TreeringError as error:
            show_error(error, as_json=wants_json(ctx))
            raise typer.Exit(error.exit_code) from None


app = typer.Typer(
    name="treering",
    cls=_Commands,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    help="Memory for AI agents: nothing is lost, every claim has receipts, and what enters the "
    "prompt has a price.",
)
app.command("serve", rich_help_panel=_SERVER)(serve.serve)
app.command("mcp", rich_help_panel=_SERVER)(mcp.mcp)
app.add_typer(keys.app, name="keys", rich_help_panel=_SERVER)
app.add_typer(admin.app, name="admin", rich_help_panel=_SERVER)
app.command("import", rich_help_panel=_STORE)(import_file.import_file)
app.command("stats", rich_help_panel=_STORE)(upkeep.stats)
app.command("usage", rich_help_panel=_STORE)(upkeep.usage)
app.command("delete", rich_help_panel=_STORE)(upkeep.delete)
app.command("wipe", rich_help_panel=_STORE)(upkeep.wipe)
app.command("reembed", rich_help_panel=_STORE)(reembedding.reembed)
app.command("search", rich_help_panel=_RECALL)(recall.search)
app.command("prepare", rich_help_panel=_RECALL)(recall.prepare)
app.command("date-search", rich_help_panel=_RECALL)(recall.date_search)
app.command("inspect", rich_help_panel=_RECALL)(lineage.inspect)
app.command("block", rich_help_panel=_LEVELS)(levels.block)
app.command("remember", rich_help_panel=_LEVELS)(levels.remember)
app.command("level", rich_help_panel=_LEVELS)(levels.level)
app.command("tensions", rich_help_panel=_LEVELS)(levels.tensions)
app.command("outcome", rich_help_panel=_LEVELS)(levels.outcome)
app.command("debt", rich_help_panel=_CONSOLIDATE)(consolidation.debt)
app.command("reflect", rich_help_panel=_CONSOLIDATE)(consolidation.reflect)
app.command("revert", rich_help_panel=_CONSOLIDATE)(consolidation.revert)


def main() -> None:
    """Run the program with the arguments of the process."""
    make_streams_safe()
    try:
        app()
    # Whatever a library made of Ctrl-C; all else goes on as it was raised.
    except BaseException as error:
        if _was_interrupted(error):
            sys.exit(_INTERRUPTED)
        raise


def _was_interrupted(error: BaseException | None) -> bool:
    """Whether Ctrl-C is behind an error, for libraries turn it into errors of their own."""
    while error is not None:
        if isinstance(error, KeyboardInterrupt):
            return True
        error = error.__cause__ or error.__context__
    return False


def _show_version(wanted: bool) -> None:
    if wanted:
        # Reads the installed package's metadata, which no other command needs.
        from treering.version import __version__  # noqa: PLC0415

        typer.echo(f"treering {__version__}")
        raise typer.Exit


@app.callback()
def _program(
    version: Annotated[
        bool,
        typer.Option("--version", help="Show the version.", is_eager=True, callback=_show_version),
    ] = False,
) -> None:
    """Nothing is done before a command but what its options ask for."""
