"""Memories one by one: listed, read, moved, edited and deleted."""

from __future__ import annotations

from treering.errors import InvalidRequest, NotFound
from treering.model import Caller, Kind, Level, Memory
from treering.replies import DeletedReply, LeveledMemory, MemoriesReply
from treering.requests import (
    DeleteRequest,
    EditRequest,
    ForgetRequest,
    MemoriesRequest,
    MemoryRequest,
)
from treering.requests.levels import level_named
from treering.rules.levels.secrets import holds_secret
from treering.rules.tokens import estimate_tokens
from treering.store.base import Writer
from treering.store.levels import Listing
from treering.vault.context import Context
from treering.vault.counts import counts_by_level
from treering.vault.drafts import passage_texts
from treering.vault.erase import delete_ids
from treering.vault.levels.marks import marks_of_identifiers, marks_of_statement
from treering.vault.levels.rows import leveled
from treering.vault.levels.statements import as_memory, oppose
from treering.vault.levels.turns import taught_outright
from treering.vault.rows import memory_of

MAX_PINNED_TOKENS = 2_000
MAX_ALL_PINNED_TOKENS = 8_000


def list_memories(context: Context, request: MemoriesRequest, caller: Caller) -> MemoriesReply:
    """A page of the memories that fit every filter."""
    listing = Listing(
        level=request.level,
        kind=request.of_kind,
        source=request.of_source,
        domain=request.domain,
        text=request.q or None,
        limit=request.limit,
        offset=request.offset,
    )
    with context.store.read() as reader:
        total, seqs = reader.listed(listing)
        return MemoriesReply(leveled(reader, seqs), total, counts_by_level(reader.tallies()))


def read_memory(context: Context, request: MemoryRequest, caller: Caller) -> LeveledMemory:
    """One memory; raises NotFound."""
    with context.store.read() as reader:
        found = leveled(reader, [memory_of(reader, request.id).seq])
    # It may be deleted between two queries of a read.
    if not found:
        raise NotFound("memory", request.id)
    return found[0]


def edit(context: Context, request: EditRequest, caller: Caller) -> LeveledMemory:
    """Move a memory, or change what it says or how it is filed; an edit counts as an access.

    The text that a statement had stays as a revision. Raises NotFound, and InvalidRequest where the
    memory is no statement or too large to be pinned.
    """
    content = request.content
    vectors = [] if content is None else context.embedding.within_budget(passage_texts(content))
    with context.store.write() as tx:
        memory = memory_of(tx, request.id)
        if content is not None:
            tokens = _reword(context, tx, memory, content, vectors)
            context.meter.write(tx, request.endpoint, tokens, caller)
        if request.tier is not None:
            _move(tx, memory, level_named(request.tier))
        if "gist" in request.model_fields_set:
            if request.gist is not None and holds_secret(request.gist):
                raise InvalidRequest("gist: holds a secret, which no prompt may carry")
            tx.set_gist(memory.seq, request.gist)
        if request.domains is not None:
            tx.set_domains(memory.seq, request.domains)
        _check_pinned(tx, memory_of(tx, request.id))
        if request.model_fields_set - {"id"}:
            tx.touch([memory.seq], context.system.now())
        changed = leveled(tx, [memory.seq])[0]
    if None in vectors:
        context.embedding.start_filling()
    return changed


def forget(context: Context, request: ForgetRequest, caller: Caller) -> DeletedReply:
    """Delete one memory for good; raises NotFound."""
    reply = delete_ids(context, DeleteRequest(ids=[request.id]), caller)
    if not reply.deleted:
        raise NotFound("memory", request.id)
    return DeletedReply(deleted=True)


def _reword(
    context: Context, tx: Writer, memory: Memory, content: str, vectors: list[bytes | None]
) -> int:
    """Give a statement another text; the tokens of what is new."""
    if memory.kind is not Kind.STATEMENT:
        raise InvalidRequest(
            f"content: only statements can be edited; this is a {memory.kind.label}, kept as it is"
        )
    taught_outright(content, "content")
    if content == memory.content:
        return 0
    now = context.system.now()
    wording = tx.add_wording(memory.seq, None, content, now)
    tx.set_wording(memory.seq, wording, as_memory(content, memory, vectors))
    tx.set_marks(memory.seq, marks_of_statement(content))
    oppose(tx, context.system, memory.seq, content, now)
    return estimate_tokens(content)


def _move(tx: Writer, memory: Memory, level: Level) -> None:
    if level is memory.level:
        return
    tx.set_level([memory.seq], level)
    if level is Level.HOT and memory.kind is not Kind.STATEMENT:
        tx.add_marks(memory.seq, marks_of_identifiers(memory.content))


def _check_pinned(tx: Writer, memory: Memory) -> None:
    """Raise InvalidRequest where a pinned memory, or all of them, would cost every prompt much."""
    if memory.level is not Level.PINNED:
        return
    if memory.tokens > MAX_PINNED_TOKENS:
        raise InvalidRequest(
            f"tier: a pinned memory has at most {MAX_PINNED_TOKENS:,} tokens, for it is in every "
            f"prompt in full; this one has {memory.tokens:,}"
        )
    pinned = sum(tally.tokens for tally in tx.tallies() if tally.level is Level.PINNED)
    if pinned > MAX_ALL_PINNED_TOKENS:
        raise InvalidRequest(
            f"tier: all that is pinned may have {MAX_ALL_PINNED_TOKENS:,} tokens; with this memory "
            f"it is {pinned:,}; unpin another first"
        )
