"""What a tool says in text: what happened, what it found, and what to do with it."""

from __future__ import annotations

from treering.mcp import notes
from treering.mcp.replies import Committed, ModelsBatch
from treering.reflectors.prompt import quoted_memories
from treering.replies import (
    ContextReply,
    DateSearchReply,
    DebtReply,
    DeleteReply,
    InspectReply,
    LearnedReply,
    LeveledMemory,
    NothingToConsolidate,
    SearchReply,
    SelfModelReply,
    StatsReply,
    TensionReply,
    TensionsReply,
    WipeReply,
)
from treering.rules.fence import fenced
from treering.rules.levels.shown import line

_MEMORY, _REFLECTION = ("memory", "memories"), ("reflection", "reflections")
_STATEMENT = ("captured statement", "captured statements")
_OTHERS = "### L2, relevant but not in the block"


def found(reply: SearchReply) -> str:
    """What a search found."""
    if not reply.memories:
        return _joined("No memory has to do with that.", _debt(reply.reflection))
    rows = notes.notes_of([notes.of_row(row) for row in reply.memories])
    return _joined(f"{_counted(reply.count, _MEMORY)}, best first.", rows, _debt(reply.reflection))


def dated(reply: DateSearchReply) -> str:
    """A page of memories by time, and how to go on."""
    if not reply.memories:
        return _joined("Nothing matches in that span of time.", _debt(reply.reflection))
    span = f"from {reply.returned.from_} to {reply.returned.to}"
    more = ""
    if reply.truncated:
        more = (
            "There is more. Newest first: call again with the same `from` and "
            f"`to` = {reply.returned.from_}. Oldest first: with `from` = {reply.returned.to} and "
            "the same `to`."
        )
    rows = notes.notes_of([notes.of_row(row) for row in reply.memories])
    return _joined(f"{_counted(reply.count, _MEMORY)} {span}.", rows, more, _debt(reply.reflection))


def lineage(reply: InspectReply) -> str:
    """What a memory was built from, or what was built on it."""
    if reply.sources is not None:
        head = f"Tier {reply.tier} memory, built from {reply.sources_total} of the tier below"
        gone = f", {reply.sources_deleted} of them deleted since" if reply.sources_deleted else ""
        cut = ", not all of them shown" if reply.truncated else ""
        return _joined(
            f"{head}{gone}{cut}.", notes.notes_of([notes.of_source(row) for row in reply.sources])
        )
    built = [*(reply.consolidated_into or ()), *(reply.statements or ())]
    if not built:
        return f"Tier {reply.tier} memory; nothing was built on it yet."
    return _joined(
        f"Tier {reply.tier} memory. Built on it:",
        notes.notes_of([notes.of_linked(row) for row in built]),
    )


def learned(reply: LearnedReply) -> str:
    """What became of a statement."""
    parts = []
    if reply.stored:
        parts += ["Stored:", notes.notes_of([notes.of_leveled(one) for one in reply.stored])]
    if reply.merged_into:
        held = notes.notes_of([notes.of_leveled(one) for one in reply.merged_into])
        parts += ["Known already, and refreshed:", held]
    parts += [f"Not stored: {one.reason}." for one in reply.rejected]
    if reply.counts.tensions:
        parts.append(
            "It contradicts something held: see list_tensions, and ask the user which holds."
        )
    return _joined(*parts)


def status(reply: StatsReply) -> str:
    """What a vault holds, and whether consolidation is due."""
    tiers = ", ".join(f"{count:,} of tier {tier}" for tier, count in reply.by_tier.items())
    span = f"From {reply.oldest} to {reply.newest}." if reply.oldest else ""
    waiting = reply.reflection.unconsolidated
    debt = (
        f"Not covered by a reflection yet: {_counted(waiting.raw.units, _MEMORY)} "
        f"({waiting.raw.est_tokens:,} tokens); by a high-level one: "
        f"{_counted(waiting.tier2.count, _REFLECTION)}."
    )
    held = f"{_counted(reply.memories, _MEMORY)}, {reply.total_tokens:,} tokens: {tiers}."
    return _joined(held, span, debt, _debt(reply.reflection))


def batch(reply: ModelsBatch | NothingToConsolidate) -> str:
    """A leased batch: what to do, the instructions, and the memories as data."""
    if not isinstance(reply, ModelsBatch):
        return "Nothing is left to consolidate. You are done."
    return _joined(
        f"Batch {reply.batch_id}: {_counted(reply.count, _MEMORY)} of tier {reply.tier}, leased "
        f"until {reply.lease_expires_at}. Write entries by the instructions below. Do not answer "
        "with them in the chat: call commit_reflections with batch_id "
        f'"{reply.batch_id}" and the entries.',
        reply.reflection_contract.instructions.rstrip(),
        quoted_memories(reply.memories),
    )


def committed(reply: Committed) -> str:
    """What a commit stored."""
    if reply.already_committed:
        return (
            f"This batch was committed before; its {reply.created} reflections stand as they are."
        )
    return _joined(
        f"Stored {_counted(reply.created, _REFLECTION)} over "
        f"{_counted(reply.sources_consolidated, _MEMORY)}. Call "
        "consolidate_memories again for the next batch, if there is to be one.",
        _debt(reply.reflection),
    )


def deleted(reply: DeleteReply) -> str:
    """What was deleted, and what was built on it and stays."""
    parts = [f"Deleted {reply.deleted} of {reply.requested} for good."]
    if reply.not_found:
        parts.append(f"Not in this vault: {reply.not_found}.")
    if reply.also_deleted:
        parts.append(f"With them went {_counted(reply.also_deleted, _STATEMENT)}.")
    if reply.derived:
        parts.append(
            f"Built on them, and left: {_counted(len(reply.derived), _REFLECTION)}, "
            f"{', '.join(reply.derived)}."
        )
    if reply.receipt is not None:
        parts.append(
            f"Receipt: of {reply.receipt.checked} texts looked for in {reply.receipt.files} files, "
            f"{reply.receipt.found} were found."
        )
    return " ".join(parts)


def wiped(reply: WipeReply) -> str:
    """How many memories a wipe deleted."""
    return f"Deleted all that this vault held for good: {_counted(reply.deleted, _MEMORY)}."


def context(reply: ContextReply) -> str:
    """The levels block, and what of L2 has to do with the turn."""
    shown = {entry.id for entry in reply.entries}
    others = [line(f"(id {one.id}) {one.gist}") for one in reply.candidates if one.id not in shown]
    parts = [reply.text.rstrip("\n")] if reply.text else []
    if others:
        parts.append("\n".join([_OTHERS, *others]))
    if not parts:
        return "Nothing is established yet that has to do with this."
    return _joined(
        fenced("\n\n".join(parts) + "\n"),
        "The budget left some of L1 out." if reply.truncated else "",
        "`recall` or `force_full` brings the whole text of what is not in the block."
        if others
        else "",
    )


def leveled(reply: LeveledMemory) -> str:
    """A memory at its new level."""
    return _joined(f"It is at {reply.tier} now.", notes.notes_of([notes.of_leveled(reply)]))


def tensions(reply: TensionsReply) -> str:
    """Contradictions, newest first."""
    if not reply.tensions:
        return "There is none."
    return _joined(
        "Put the question to the user before you rely on either claim.",
        notes.notes_of([notes.of_tension(one) for one in reply.tensions]),
    )


def tension(reply: TensionReply) -> str:
    """A contradiction that was resolved."""
    return _joined(f"It is {reply.status}.", notes.notes_of([notes.of_tension(reply)]))


def self_model(reply: SelfModelReply) -> str:
    """How reliable the agent has been, by domain."""
    lines = [
        f"{name}: reliability {domain.reliability_score}, {domain.sample_count} recorded"
        + ("; weak, so take more care" if name in reply.weak_domains else "")
        for name, domain in reply.domains.items()
    ]
    return _joined("Recorded.", fenced("".join(f"{line(each)}\n" for each in lines)))


def _debt(reflection: DebtReply) -> str:
    if reflection.suggestion is None:
        return ""
    return f"({reflection.suggestion}. If the user agrees, call consolidate_memories.)"


def _counted(count: int, noun: tuple[str, str]) -> str:
    return f"{count:,} {noun[count != 1]}"


def _joined(*parts: str) -> str:
    return "\n".join(part for part in parts if part)
