"""Finding memories: by relevance, for a prompt, by time."""

from __future__ import annotations

import sys
from enum import StrEnum
from typing import Annotated

import typer

from treering.cli.options import ImportanceFilter, Session, TierFilter, on_vault
from treering.cli.output import Output, Verbatim, counted, day_and_minute
from treering.cli.tables import memory_list
from treering.errors import InvalidRequest
from treering.replies import PrepareReply
from treering.requests.levels import MAX_BUDGET
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
        bool, typer.Option("--session-only", help="With --session: show its memories alone.")
    ] = False,
    explain: Annotated[
        bool, typer.Option("--explain", help="Show the signals behind each score.")
    ] = False,
) -> None:
    """Find memories by relevance, all tiers blended."""
    if session_only and session is None:
        raise InvalidRequest("session_only: goes with --session")
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

    def prepared(most: int) -> PrepareReply:
        return vault.prepare(
            [{"role": "user", "content": text}],
            session_id=session,
            density=density.value,
            context_limit=context_limit,
            max_tokens=most,
            tiers=tier or None,
            importance=importance,
        )

    reply = prepared(max_tokens)
    if not reply.context:
        nothing = "Nothing relevant: the prompt gets no block, at no cost."
        # The reply does not say how much there was; a person is to know what would do.
        if reply.truncated and not output.as_json:
            nothing = _too_large(prepared(MAX_BUDGET), max_tokens)
        output.show(reply, nothing)
        return
    count = counted(reply.memories_found, "memory", "memories")
    cost = f"{reply.tokens:,} tokens for {count}"
    cut = "; more was found than --max-tokens allows" if reply.truncated else ""
    output.show(reply, Verbatim(reply.context), "", cost + cut)


def _too_large(whole: PrepareReply, max_tokens: int) -> str:
    found = counted(whole.memories_found, "memory was found and does", "memories were found and do")
    return (
        f"{found} not fit in {counted(max_tokens, 'token', 'tokens')}: the prompt gets no block. "
        f"Raise --max-tokens; {whole.tokens:,} hold all of it."
    )


@on_vault()
def date_search(
    vault: Verbs,
    output: Output,
    since: Annotated[
        str, typer.Argument(metavar="FROM", help="The start: a day or a time, ISO 8601.")
    ],
    until: Annotated[
        str | None,
        typer.Argument(
            metavar="[TO]",
            help="The end: a time itself is left out, a day is included to its end. (default: now)",
        ),
    ] = None,
    query: Annotated[str | None, typer.Option(help="Only what matches this.")] = None,
    tier: TierFilter = None,
    importance: ImportanceFilter = None,
    max_tokens: Annotated[int, typer.Option(help="The size of a page.")] = 50_000,
    oldest_first: Annotated[
        bool, typer.Option("--oldest-first", help="From the start on.")
    ] = False,
) -> None:
    """Find memories by time: what was said or learnt from FROM on, up to TO."""
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
