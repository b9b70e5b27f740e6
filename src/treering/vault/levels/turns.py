"""What is taught: by a turn of a conversation, or outright."""

from __future__ import annotations

from collections.abc import Sequence

from treering.errors import InvalidRequest
from treering.model import Caller, Source
from treering.replies import LearnedReply, LearningCounts, RejectedText
from treering.requests import StatementItem, StoreRequest, TurnRequest
from treering.requests.levels import level_named
from treering.rules.content import remembered
from treering.rules.levels.capture import Capture, Rejected, refusal
from treering.rules.levels.secrets import redacted
from treering.store.base import Reader
from treering.vault.context import Context
from treering.vault.drafts import check_size, passage_texts
from treering.vault.ingest import keep_exchange
from treering.vault.levels.learning import hear
from treering.vault.levels.marks import restated_by
from treering.vault.levels.rows import leveled
from treering.vault.levels.statements import Statement, Taken, take_in


def turn(context: Context, request: TurnRequest, caller: Caller) -> LearnedReply:
    """Keep an exchange verbatim, and learn from what the user said.

    A turn that is sent again learns nothing anew: `mergedInto` names what it had taught.
    """
    said = []
    for role, name, text in (
        ("user", "userMessage", request.user_message),
        ("assistant", "assistantResponse", request.assistant_response),
    ):
        check_size(name, text)
        kept_text = remembered(role, text)
        if kept_text is not None:
            said.append((role, kept_text))
    session_id = request.session_id or caller.session_id
    kept = keep_exchange(context, said, session_id, request.endpoint, caller)
    # What was known already was not heard again, but its refusals are told again.
    found = kept.heard.get(0) or (hear(*said[0]) if said else Capture())
    with context.store.read() as reader:
        learnt = kept.learnt if kept.stored else _taught_before(reader, kept.ids)
        return _reply(reader, learnt, found.rejected, found.learning_skipped)


def store(context: Context, request: StoreRequest, caller: Caller) -> LearnedReply:
    """Store statements outright; what capture refuses is refused here too, with its reason."""
    rejected: list[Rejected] = []
    items: list[StatementItem] = []
    for item in request.items:
        reason = refusal(item.content)
        if reason is None:
            items.append(item)
        else:
            rejected.append(Rejected(redacted(item.content), reason))
    session_id = request.session_id or caller.session_id
    with context.store.read() as reader:
        texts = [
            []
            if request.reconcile and restated_by(reader, item.content)
            else passage_texts(item.content)
            for item in items
        ]
    vectors = iter(context.embedding.within_budget([text for parts in texts for text in parts]))
    packed = [[next(vectors) for _ in parts] for parts in texts]
    with context.store.write() as tx:
        now = context.system.now()
        learnt = take_in(
            tx,
            context.system,
            _statements(items, packed, session_id, now),
            now,
            reconciled=request.reconcile,
        )
        context.meter.write(tx, request.endpoint, learnt.tokens, caller, session_id)
        pending = tx.head().pending
        reply = _reply(tx, learnt, rejected, None)
    if pending:
        context.embedding.start_filling()
    return reply


def taught_outright(content: str, field: str) -> str:
    """A text that may be stored as a statement; raises InvalidRequest with the refusal."""
    reason = refusal(content)
    if reason is not None:
        raise InvalidRequest(f"{field}: {reason}")
    return content


def _statements(
    items: Sequence[StatementItem],
    vectors: Sequence[Sequence[bytes | None]],
    session_id: str | None,
    now: int,
) -> list[Statement]:
    """The statements, the last one said now and those before it a millisecond each earlier."""
    first = now - len(items) + 1
    return [
        Statement(
            text=item.content,
            date=first + place,
            source=Source.API,
            session_id=session_id,
            level=level_named(item.tier),
            domains=item.domains,
            vectors=parts,
        )
        for place, (item, parts) in enumerate(zip(items, vectors, strict=True))
    ]


def _taught_before(reader: Reader, ids: Sequence[str]) -> Taken:
    """What messages that are known already had taught."""
    seqs = reader.seqs_of(ids).values()
    captured = dict.fromkeys(one for seq in seqs for one in reader.captured_from(seq))
    return Taken(merged=list(captured), merges=len(captured))


def _reply(
    reader: Reader, learnt: Taken, rejected: Sequence[Rejected], skipped: str | None
) -> LearnedReply:
    stored, merged = leveled(reader, learnt.stored), leveled(reader, learnt.merged)
    return LearnedReply(
        stored=stored,
        merged_into=merged,
        counts=LearningCounts(
            stored=len(stored),
            merged=learnt.merges,
            rejected=len(rejected),
            tensions=learnt.tensions,
            promoted=learnt.promoted,
        ),
        rejected=[RejectedText(one.content, one.reason) for one in rejected],
        learning_skipped=skipped,
    )
