"""Finding memories: by relevance, for a prompt, by time."""

from __future__ import annotations

import sys
from enum import StrEnum
from typing import Annotated

import typer

from treering.cli.options import ImportanceFilter, Session, TierFilter, on_vault
from treering.cli.output import Output, Verbatim, counted, day_and_minute
from treering.cli.tables import memory_list
from treering.verbs import Verbs


class Density(StrEnum):
    """How many memories a block may hold: 5, 15, 40 or 100."""

    low = "low"
    default = "default"
    high = "high"
    xhigh = "xhigh"


@on_vault()
def search(
    vault: Verbs,
    output: Output,
    query: Annotated[str, typer.Argument(help="What to look for, in plain words.")],
    limit: Annotated[int, typer.Option("--limit", "-n", help="How many, 1 to 1,000.")] = 10,
    tier: TierFilter = None,
    importance: ImportanceFilter = None,
    session: Annotated[
        str | None, typer.Option("--session", help="Lift this session's memories.", metavar="ID")
    ] = None,
    session_only: Annotated[
        bool, typer.Option("--session-only", help="Show that session's memories alone.")
    ] = False,
    explain: Annotated[
        bool, typer.Option("--explain", help="Show the signals behind each score.")
    ] = False,
) -> None:
    """Find memories by relevance, all tiers blended."""
    reply = vault.search(
        query,
        limit=limit,
        tiers=tier or None,
        importance=importance,
        session_id=session,
        session_only=session_only,
        explain=explain,
    )
    output.show(reply, memory_list(reply.memories) if reply.memories else "Nothing was found.")


@on_vault()
def prepare(
    vault: Verbs,
    output: Output,
    prompt: Annotated[str, typer.Argument(help="The user's message, or - to read it from stdin.")],
    density: Annotated[Density, typer.Option(help="5, 15, 40 or 100 memories.")] = Density.default,
    context_limit: Annotated[
        int | None, typer.Option(help="How many memories at the most; overrides --density.")
    ] = None,
    max_tokens: Annotated[int, typer.Option(help="What the block may cost.")] = 6000,
    tier: TierFilter = None,
    importance: ImportanceFilter = None,
    session: Session = None,
) -> None:
    """Print the block that a prompt would get, and what it costs."""
    text = sys.stdin.read() if prompt == "-" else prompt
    reply = vault.prepare(
        [{"role": "user", "content": text}],
        session_id=session,
        density=density.value,
        context_limit=context_limit,
        max_tokens=max_tokens,
        tiers=tier or None,
        importance=importance,
    )
    if not reply.context:
        nothing = "Nothing relevant: the prompt gets no block, at no cost."
        too_small = "What was found does not fit; allow more with --max-tokens."
        output.show(reply, too_small if reply.truncated else nothing)
        return
    count = counted(reply.memories_found, "memory", "memories")
    cost = f"{reply.tokens:,} tokens for {count}"
    cut = "; more was found than --max-tokens allows" if reply.truncated else ""
    output.show(reply, Verbatim(reply.context), "", cost + cut)


@on_vault()
def date_search(
    vault: Verbs,
    output: Output,
    since: Annotated[str, typer.Argument(metavar="FROM", help="A date or time, ISO 8601.")],
    until: Annotated[
        str | None, typer.Argument(metavar="[TO]", help="Its end, excluded; a date counts whole.")
    ] = None,
    query: Annotated[str | None, typer.Option(help="Only what matches this.")] = None,
    tier: TierFilter = None,
    importance: ImportanceFilter = None,
    max_tokens: Annotated[int, typer.Option(help="The size of a page.")] = 50_000,
    oldest_first: Annotated[
        bool, typer.Option("--oldest-first", help="From the start on.")
    ] = False,
) -> None:
    """Find memories by time."""
    reply = vault.date_search(
        since,
        until,
        query=query,
        tiers=tier or None,
        importance=importance,
        max_tokens=max_tokens,
        order="oldest_first" if oldest_first else "newest_first",
    )
    if not reply.memories:
        output.show(reply, "Nothing was said then.")
        return
    output.show(reply, memory_list(reply.memories))
    if reply.truncated:
        next_page = f"from {reply.returned.to}" if oldest_first else f"up to {reply.returned.from_}"
        output.say(f"There is more: go on {next_page}.")
    else:
        first = day_and_minute(reply.returned.from_ or "")
        output.say(f"{counted(reply.count, 'memory', 'memories')} since {first}.")
