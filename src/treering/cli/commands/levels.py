"""Levels: what enters a prompt and what it costs, contradictions, and the self-model."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Annotated, Literal

import typer
from rich.cells import set_cell_size
from rich.console import RenderableType
from rich.text import Text

from treering.cli.options import on_vault
from treering.cli.output import Output, Verbatim, counted, day_and_minute, one_line
from treering.errors import InvalidRequest, NotFound
from treering.level_verbs import Level
from treering.replies import BlockCandidate, BlockEntry, ContextReply, LearnedReply, TensionReply
from treering.rules.instants import to_iso
from treering.verbs import Verbs

Result = Literal["success", "failure"]
Status = Literal["active", "latent", "resolved"]

_CUT = "truncated: the budget or the index limit left some of L1 out"
_LABEL = "{:<8}"
_ENTRY = "{:>6}  {:<6}{:<11}"
_SCORE = "{:<8}"
_ID_WIDTH = 36


@on_vault()
def level(
    vault: Verbs,
    output: Output,
    memory_id: Annotated[str, typer.Argument(metavar="ID", help="As search and block show it.")],
    to: Annotated[
        Level | None,
        typer.Argument(
            metavar="[L0|L1|L2|L3]",
            case_sensitive=False,
            help="L0: whole in every prompt; L1: a line; L2: when recalled; L3: when searched for. "
            "(default: show where it is)",
        ),
    ] = None,
) -> None:
    """Move a memory to another level, which is what it costs in every prompt."""
    memory = vault.memory(memory_id) if to is None else vault.set_level(memory_id, to)
    output.show(memory, f"{memory.tier}  {one_line(memory.content)}")


@on_vault()
def block(
    vault: Verbs,
    output: Output,
    message: Annotated[str, typer.Argument(help="The user's message, or - to read it from stdin.")],
    max_tokens: Annotated[
        int | None,
        typer.Option(help="The budget; L0 is sent whatever it is. (default: the vault's setting)"),
    ] = None,
    recall: Annotated[
        int | None,
        typer.Option(help="How many of the best memories of L2 come along. (default: 0)"),
    ] = None,
    transcript: Annotated[
        str | None,
        typer.Option(
            metavar="TEXT", help="What the prompt shows already: identifiers in it trigger nothing."
        ),
    ] = None,
) -> None:
    """Print the levels block that a message would get, and why each line of it is there.

    As with every block, the builds log keeps it, and what is triggered or recalled counts as
    accessed.
    """
    text = sys.stdin.read() if message == "-" else message
    reply = vault.context(text, transcript=transcript, max_tokens=max_tokens, recall=recall)
    lines: list[RenderableType | Verbatim] = []
    if reply.entries:
        lines = [Verbatim(reply.text.rstrip("\n")), "", _entry_table(reply.entries), ""]
    shown_ids = {entry.id for entry in reply.entries}
    left = [each for each in reply.candidates if each.id not in shown_ids]
    lines.append(_price(reply))
    if left:
        lines += ["", "Of L2, at no cost until --recall brings them in:", _candidate_table(left)]
    output.show(reply, *lines)


@on_vault()
def tensions(
    vault: Verbs,
    output: Output,
    tension_id: Annotated[
        str | None, typer.Argument(metavar="[ID]", help="The one to act on. (default: list them)")
    ] = None,
    status: Annotated[
        Status | None,
        typer.Option(
            help="Without an ID: list those alone. With one: latent silences it without deciding "
            "it, active opens it again."
        ),
    ] = None,
    resolve: Annotated[
        str | None, typer.Option(metavar="TEXT", help="Decide it; who or what decided.")
    ] = None,
    pattern: Annotated[
        str | None,
        typer.Option(metavar="TEXT", help="With --resolve: what holds now, kept as a statement."),
    ] = None,
) -> None:
    """List contradictions, or decide or silence one."""
    if tension_id is None:
        if resolve is not None or pattern is not None:
            raise InvalidRequest("id: --resolve and --pattern act on one contradiction; name it")
        reply = vault.tensions(status)
        output.show(
            reply, *(map(_tension, reply.tensions) if reply.tensions else ["There is none."])
        )
        return
    row = _changed(vault, tension_id, status, resolve, pattern)
    output.show(row, _tension(row))


@on_vault()
def outcome(
    vault: Verbs,
    output: Output,
    domain: Annotated[str, typer.Argument(help="What the work was about, such as billing.")],
    result: Annotated[Result, typer.Argument(metavar="success|failure")],
    pattern: Annotated[
        str | None, typer.Option(metavar="TEXT", help="With failure: what went wrong.")
    ] = None,
    strategy: Annotated[
        str | None, typer.Option(metavar="TEXT", help="With success: what worked.")
    ] = None,
) -> None:
    """Record how the agent fared in a domain; one under 75 % stands in every prompt."""
    for option, given, goes_with in (
        ("pattern", pattern, "failure"),
        ("strategy", strategy, "success"),
    ):
        if given is not None and result != goes_with:
            raise InvalidRequest(f"{option}: --{option} goes with {goes_with}; leave it out")
    reply = vault.record_outcome(
        domain, result == "success", failure_pattern=pattern, strategy=strategy
    )
    known = reply.domains[name := domain.strip()]
    outcomes = counted(known.sample_count, "outcome", "outcomes")
    weak = "; weak, so every prompt says so" if name in reply.weak_domains else ""
    line = f"{one_line(name)}: reliability {known.reliability_score:.3f} after {outcomes}{weak}."
    output.show(reply, line)


@on_vault(create=True)
def remember(
    vault: Verbs,
    output: Output,
    texts: Annotated[list[str], typer.Argument(metavar="TEXT...", help="One statement each.")],
    domain: Annotated[
        list[str] | None, typer.Option(help="What they are about; may be given several times.")
    ] = None,
    level: Annotated[
        Literal["L1", "L2", "L3"],
        typer.Option(case_sensitive=False, help="Where they land; pin one with `treering level`."),
    ] = "L1",
) -> None:
    """Store statements; each is a line of the very next block."""
    reply = vault.store(
        [{"content": text, "domains": domain or [], "tier": level} for text in texts]
    )
    output.show(reply, *_learned(reply))
    if not reply.counts.stored and not reply.counts.merged:
        raise typer.Exit(InvalidRequest.exit_code)


def _changed(
    vault: Verbs, tension_id: str, status: Status | None, resolve: str | None, pattern: str | None
) -> TensionReply:
    """The contradiction after what was asked for; as it is when nothing was."""
    if resolve is not None:
        if status is not None:
            raise InvalidRequest("status: give --resolve or --status, not both")
        return vault.resolve_tension(tension_id, resolve, pattern=pattern)
    if pattern is not None:
        raise InvalidRequest("pattern: goes with --resolve")
    if status == "resolved":
        raise InvalidRequest("status: say who or what decided with --resolve TEXT")
    if status is not None:
        return vault.set_tension(tension_id, status)
    for row in vault.tensions().tensions:
        if row.id == tension_id:
            return row
    raise NotFound("tension", tension_id)


def _price(reply: ContextReply) -> str:
    if not reply.entries:
        return f"No block; {_CUT}." if reply.truncated else "No block: the prompt costs no more."
    lines = counted(len(reply.entries), "entry", "entries")
    cut = _CUT if reply.truncated else "not truncated"
    return f"{counted(reply.total_tokens, 'token', 'tokens')} for {lines}; {cut}."


def _entry_table(entries: Sequence[BlockEntry]) -> Text:
    """Why each entry is in the block and what it costs, in the block's order."""
    return _table(
        (_ENTRY.format("tokens", "level", "reason"), "id", "line"),
        [
            (_ENTRY.format(f"{one.tokens:,}", one.tier, one.reason), one.id, one.gist)
            for one in entries
        ],
    )


def _candidate_table(candidates: Sequence[BlockCandidate]) -> Text:
    return _table(
        (_SCORE.format("score"), "id", "line"),
        [(_SCORE.format(f"{one.score:.4f}"), one.id, one.gist) for one in candidates],
    )


def _table(heading: tuple[str, str, str], rows: Sequence[tuple[str, str, str]]) -> Text:
    """One line a row, cut where the terminal ends; before that stands the whole id."""
    lines = [
        f"{facts}{set_cell_size(one_line(name), _ID_WIDTH)}  {one_line(text)}"
        for facts, name, text in [heading, *rows]
    ]
    table = Text("\n".join(lines), no_wrap=True, overflow="ellipsis")
    table.stylize("bold", 0, len(lines[0]))
    return table


def _tension(row: TensionReply) -> Text:
    text = Text(f"{row.status}  {row.impact}  {day_and_minute(to_iso(row.created_at))}  {row.id}")
    text.stylize("bold")
    lines = [("A", row.claim_a.statement), ("B", row.claim_b.statement)]
    lines += [("ask", row.actionable_question)]
    lines += [("decided", row.resolved_by or ""), ("now", row.pattern or "")]
    for label, said in lines:
        if said:
            text.append(f"\n  {_LABEL.format(label)}{one_line(said)}", style="not bold")
    return text


def _learned(reply: LearnedReply) -> list[Verbatim]:
    """What was stored, merged and refused, each with its id or its reason."""
    rows = [("stored", one.id, one.content) for one in reply.stored]
    rows += [("merged", one.id, one.content) for one in reply.merged_into]
    rows += [("refused", one.reason, one.content) for one in reply.rejected]
    lines = [f"{_LABEL.format(what)}{why}  {one_line(text)}" for what, why, text in rows]
    if reply.counts.tensions:
        found = counted(reply.counts.tensions, "contradiction", "contradictions")
        lines.append(f"{found} found: see `treering tensions`.")
    return list(map(Verbatim, lines))
