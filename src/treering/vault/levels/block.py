"""The levels block of a turn: gathered, planned, logged, and paid for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from treering.model import Caller, Level, Memory
from treering.replies import BlockCandidate, BlockEntry, ContextReply
from treering.requests import ContextRequest
from treering.retrieval.ranking import Ranking
from treering.rules.levels.block import Block, Candidate, Entry, Limits, Material, Reason, Tension
from treering.rules.levels.corrections import is_correction
from treering.rules.levels.gist import gist
from treering.rules.levels.identifiers import identifier_keys
from treering.rules.levels.planner import plan
from treering.rules.levels.triggers import message_keys
from treering.store.base import Reader, Writer
from treering.store.levels import BuildPart, BuildRecord
from treering.vault.context import Context
from treering.vault.counts import counts_by_level
from treering.vault.levels.marks import identifier_marks
from treering.vault.levels.rows import tension_rows
from treering.vault.levels.settings import in_force
from treering.vault.search import rank

_MOST_CANDIDATES = 10
_MOST_TRIGGERED = 500


@dataclass(frozen=True, slots=True)
class Turn:
    """What a block is for. `force_full` are ids whose body is wanted.

    Without `max_tokens` the vault's own budget holds; `most_tokens` caps that one.
    """

    message: str
    transcript: str = ""
    force_full: Sequence[str] = ()
    max_tokens: int | None = None
    recall: int = 0
    session_id: str | None = None
    most_tokens: int | None = None


@dataclass(frozen=True, slots=True)
class Built:
    """A block, and the memories of L2 that have to do with its turn and are not in it."""

    block: Block
    candidates: list[BlockCandidate]


def context_block(context: Context, request: ContextRequest, caller: Caller) -> ContextReply:
    """The levels block for a turn."""
    session_id = request.session_id or caller.session_id
    turn = Turn(
        request.user_message,
        request.transcript,
        request.force_full,
        request.max_tokens,
        request.recall,
        session_id,
    )
    warm = rank_warm(context, turn)
    with context.store.write() as tx:
        built = build(context, tx, turn, warm, request.endpoint, caller)
        tokens = built.block.total_tokens
        context.meter.write(tx, request.endpoint, tokens, caller, session_id)
    return ContextReply(
        text=built.block.text,
        entries=[_entry(entry) for entry in built.block.entries],
        total_tokens=built.block.total_tokens,
        truncated=built.block.truncated,
        candidates=built.candidates,
    )


def rank_warm(context: Context, turn: Turn) -> Ranking | None:
    """L2 ranked for a turn; None where there is nothing to rank, or nothing to rank it by."""
    if not turn.message.strip():
        return None
    with context.store.read() as reader:
        if not _count(reader, Level.WARM):
            return None
    limit = max(_MOST_CANDIDATES, turn.recall)
    return rank(
        context,
        turn.message,
        limit=limit,
        index=context.warm,
        session_id=turn.session_id,
    )


def build(
    context: Context,
    tx: Writer,
    turn: Turn,
    warm: Ranking | None,
    endpoint: str,
    caller: Caller,
) -> Built:
    """Plan a turn's block, log it, and count the accesses, all in the caller's transaction."""
    values = in_force(context, tx)
    budget = values.max_total_tokens if turn.max_tokens is None else turn.max_tokens
    if turn.most_tokens is not None:
        budget = min(budget, turn.most_tokens)
    now = context.system.now()
    gathered = _gather(tx, turn, warm, min(values.max_index_items, budget))
    block = plan(gathered.material, Limits(budget, values.max_index_items))
    accessed = [
        gathered.seqs[entry.id]
        for entry in block.entries
        if entry.reason in (Reason.TRIGGER, Reason.RECALL)
    ]
    tx.touch(accessed, now)
    missing = _count(tx, Level.HOT) > gathered.hot
    block = _truncated(block) if missing else block
    tx.add_build(
        BuildRecord(
            id=context.system.new_id(),
            at=now,
            endpoint=endpoint,
            key_id=caller.key_id,
            session_id=turn.session_id,
            budget=budget,
            tokens=block.total_tokens,
            truncated=block.truncated,
            parts=[gathered.part(entry) for entry in block.entries],
        )
    )
    shown = {entry.id for entry in block.entries}
    return Built(block, [one for one in gathered.candidates if one.id not in shown])


@dataclass(slots=True)
class _Gathered:
    """What a block may be made of, and what its entries' ids stand for."""

    material: Material
    hot: int
    """How many memories of L1 are in the material."""
    seqs: dict[str, int]
    claims: dict[str, list[int]] = field(default_factory=dict)
    identifiers: Mapping[str, Sequence[str]] = field(default_factory=dict)
    candidates: list[BlockCandidate] = field(default_factory=list)

    def part(self, entry: Entry) -> BuildPart:
        """An entry as the builds log keeps it."""
        if entry.reason is Reason.TENSION:
            quotes = self.claims[entry.id]
        else:
            quotes = [self.seqs[entry.id]] if entry.reason in _SHOW_A_MEMORY else []
        by = self.identifiers.get(entry.id, ()) if entry.reason is Reason.TRIGGER else ()
        return BuildPart(
            entry.id, entry.level, entry.reason, entry.text, entry.tokens, quotes, tuple(by)
        )


_SHOW_A_MEMORY = (Reason.PINNED, Reason.INDEX, Reason.TRIGGER, Reason.RECALL)


def _gather(reader: Reader, turn: Turn, warm: Ranking | None, most_lines: int) -> _Gathered:
    pinned = reader.at_level(Level.PINNED)
    listed = reader.at_level(Level.HOT, most_lines)
    named = message_keys(turn.message, turn.transcript)
    called = reader.hot_with_marks(identifier_marks(named), _MOST_TRIGGERED) if named else []
    forced = list(reader.seqs_of(turn.force_full).values())
    scored = _scored(warm)
    memories = reader.memories(list(dict.fromkeys([*pinned, *listed, *called, *forced, *scored])))
    identifiers = _identifiers(named, [memories[seq] for seq in called if seq in memories])
    triggered = {*identifiers, *(memories[seq].id for seq in forced if seq in memories)}
    shown = _Shown(reader, memories)
    scored = {
        seq: score
        for seq, score in scored.items()
        if seq in memories and memories[seq].level is Level.WARM
    }
    best = list(scored)[: turn.recall]
    asked = [seq for seq in forced if memories[seq].level in (Level.WARM, Level.COLD)]
    hot = [seq for seq in sorted(memories, reverse=True) if memories[seq].level is Level.HOT]
    tensions = reader.tensions("active")
    rows = tension_rows(reader, tensions)
    return _Gathered(
        material=Material(
            is_correction=is_correction(turn.message),
            weak=reader.self_model(),
            pinned=shown.candidates(pinned),
            hot=shown.candidates(hot),
            triggered=frozenset(triggered),
            recalled=shown.candidates([*asked, *best]),
            tensions=[
                Tension(
                    row.id,
                    row.claim_a.statement,
                    row.claim_b.statement,
                    row.impact,
                    row.actionable_question,
                )
                for row in rows
            ],
        ),
        hot=len(hot),
        seqs={memory.id: seq for seq, memory in memories.items()},
        claims={
            record.id: [
                -record.seq,
                *(
                    side.memory
                    for side in (record.claim_a, record.claim_b)
                    if side.memory is not None
                ),
            ]
            for record in tensions
        },
        identifiers=identifiers,
        candidates=[
            BlockCandidate(memories[seq].id, shown.gist(seq), round(score, 4))
            for seq, score in scored.items()
        ][:_MOST_CANDIDATES],
    )


class _Shown:
    """Memories as a block shows them."""

    def __init__(self, reader: Reader, memories: Mapping[int, Memory]) -> None:
        self._memories = memories
        self._given = reader.gists(list(memories))

    def gist(self, seq: int) -> str:
        """The gist that someone gave the memory, or the one its content makes."""
        given = self._given.get(seq)
        return gist(self._memories[seq].content) if given is None else given

    def candidates(self, seqs: Sequence[int]) -> list[Candidate]:
        """Those of these memories that there are."""
        return [
            Candidate(memory.id, memory.level, self.gist(seq), memory.content, memory.accessed)
            for seq in dict.fromkeys(seqs)
            if (memory := self._memories.get(seq)) is not None
        ]


def _scored(warm: Ranking | None) -> dict[int, float]:
    """The scores of what has to do with the turn, best first."""
    if warm is None:
        return {}
    rows = zip(warm.seqs, warm.scores, warm.matched, strict=True)
    return {seq: score for seq, score, matched in rows if matched}


def _identifiers(
    named: Mapping[str, str], memories: Sequence[Memory]
) -> dict[str, tuple[str, ...]]:
    """By memory, the identifiers of the message that it holds whole."""
    found: dict[str, tuple[str, ...]] = {}
    for memory in memories:
        keys = identifier_keys(memory.content)
        if hits := tuple(text for key, text in named.items() if key in keys):
            found[memory.id] = hits
    return found


def _count(reader: Reader, level: Level) -> int:
    return counts_by_level(reader.tallies())[level.label]


def _truncated(block: Block) -> Block:
    return Block(block.text, block.entries, block.total_tokens, truncated=True)


def _entry(entry: Entry) -> BlockEntry:
    return BlockEntry(
        id=entry.id,
        tier=entry.level.label,
        reason=entry.reason.value,
        gist=entry.gist,
        body=entry.body,
        tokens=entry.tokens,
    )
