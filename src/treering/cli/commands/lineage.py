"""Receipts: from a memory down to the messages under it, as a tree."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any

import typer
from rich.text import Text
from rich.tree import Tree

from treering.cli.options import on_vault
from treering.cli.output import Output, day_and_minute, one_line, shown
from treering.replies import InspectReply, LinkedRow, SourceRow, to_wire
from treering.verbs import Verbs

_RAW = 1
_NOTICEABLE = 0.01
_FEW = 8


@on_vault()
def inspect(
    vault: Verbs,
    output: Output,
    memory_id: Annotated[str, typer.Argument(metavar="ID", help="As search shows it.")],
    depth: Annotated[
        int, typer.Option(min=1, max=3, help="Tiers to go down; 2 reach from tier 3 to messages.")
    ] = 2,
    limit: Annotated[
        int | None,
        typer.Option(
            min=1,
            max=500,
            help="Sources shown of each memory. (default: up to 8, of those that back it by "
            "0.01 or more)",
        ),
    ] = None,
) -> None:
    """Show what a memory was built from, down to the words that were said; or what it became."""
    walk = _Walk(vault, depth, limit)
    reply = vault.inspect(memory_id)
    if output.as_json:
        output.document(walk.document(reply, depth))
    else:
        output.say(walk.tree(reply, vault.memory(memory_id).content))


class _Walk:
    """A walk down from one memory, within a depth and a number of sources each.

    Where no number is given, a person sees the first few of those that matter.
    """

    def __init__(self, vault: Verbs, depth: int, limit: int | None) -> None:
        self._vault = vault
        self._depth = depth
        self._limit = _FEW if limit is None else limit
        self._shown = _backing if limit is None else _all

    def document(self, reply: InspectReply, depth: int) -> dict[str, Any]:
        """The reply as JSON; sources that were drilled have their own reply under `inspect`."""
        body: dict[str, Any] = to_wire(reply)
        for source in body.get("sources", [])[: self._limit]:
            if depth > 1 and source["tier"] > _RAW:
                source["inspect"] = self.document(self._vault.inspect(source["id"]), depth - 1)
        return body

    def tree(self, reply: InspectReply, content: str) -> Tree:
        """The reply as a tree under the memory's own text, upward for a raw memory."""
        tree = Tree(_root(reply, content))
        if reply.sources is not None:
            self._add_sources(tree, reply, self._depth)
        self._add_linked(tree, "statements captured from it", reply.statements or [])
        if reply.consolidated_into is not None:
            what = "consolidated into" if reply.consolidated_into else "not consolidated yet"
            self._add_linked(tree, what, reply.consolidated_into, always=True)
        return tree

    def _add_sources(self, tree: Tree, reply: InspectReply, depth: int) -> None:
        sources = self._shown(reply.sources or [])[: self._limit]
        for source in sources:
            branch = tree.add(_source(source))
            if depth > 1 and source.tier > _RAW:
                self._add_sources(branch, self._vault.inspect(source.id), depth - 1)
        deleted = reply.sources_deleted or 0
        left = (reply.sources_total or 0) - deleted - len(sources)
        if left > 0:
            tree.add(Text(f"… {left:,} more, each backing it less", style="dim"))
        if deleted:
            tree.add(Text(f"{deleted:,} deleted since", style="dim"))

    def _add_linked(
        self, tree: Tree, what: str, rows: Sequence[LinkedRow], *, always: bool = False
    ) -> None:
        if rows or always:
            branch = tree.add(what)
            for row in rows[: self._limit]:
                branch.add(_linked(row))
            if len(rows) > self._limit:
                branch.add(Text(f"… {len(rows) - self._limit:,} more", style="dim"))


def _backing(sources: Sequence[SourceRow]) -> Sequence[SourceRow]:
    """The sources that back a claim noticeably, or all of them where none does."""
    backing = [row for row in sources if row.support is None or row.support >= _NOTICEABLE]
    return backing or sources


def _all(sources: Sequence[SourceRow]) -> Sequence[SourceRow]:
    return sources


def _root(reply: InspectReply, content: str) -> Text:
    text = Text(f"tier {reply.tier}  ", style="bold")
    text.append(shown(reply.memory_id), style="dim")
    if reply.covers is not None:
        since, until = (
            day_and_minute(edge or "") for edge in (reply.covers.from_, reply.covers.to)
        )
        text.append(f"  covers {since} to {until}", style="dim")
    if reply.batch_id is not None:
        text.append(f"\nbatch {shown(reply.batch_id)}", style="dim")
    text.append("\n" + one_line(content))
    return text


def _source(source: SourceRow) -> Text:
    said_by = "reflection" if source.tier > _RAW else source.role
    return _row(source.tier, source.date, said_by, source.content, source.id, source.support)


def _linked(row: LinkedRow) -> Text:
    said_by = "reflection" if row.tier > _RAW else "statement"
    return _row(row.tier, row.date, said_by, row.content, row.id, None)


def _row(
    tier: int, date: str, said_by: str, content: str, memory_id: str, support: float | None
) -> Text:
    text = Text(f"tier {tier}  ", style="bold" if tier > _RAW else "")
    text.append(f"{day_and_minute(date)} {shown(said_by)}", style="cyan")
    if support is not None:
        text.append(f"  support {support:.2f}", style="dim")
    text.append("\n" + one_line(content))
    text.append(f"\n{memory_id}", style="dim")
    return text
