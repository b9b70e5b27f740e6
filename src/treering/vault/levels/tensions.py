"""Contradictions: kept in front of the agent until a person decides."""

from __future__ import annotations

from treering.errors import Conflict, NotFound
from treering.model import Caller, Source
from treering.replies import DeletedReply, TensionReply, TensionsReply
from treering.requests import (
    ChangeTensionRequest,
    DropTensionRequest,
    OpenTensionRequest,
    TensionsRequest,
)
from treering.store.base import Reader, Writer
from treering.store.levels import Side, TensionRecord
from treering.vault.context import Context
from treering.vault.levels.rows import tension_rows
from treering.vault.levels.statements import Statement, take_in
from treering.vault.levels.turns import taught_outright

MOST_OPEN = 100
_ACTIVE, _RESOLVED = "active", "resolved"


def list_tensions(context: Context, request: TensionsRequest, caller: Caller) -> TensionsReply:
    """Contradictions, newest first."""
    status = None if request.status is None else _status(request.status)
    with context.store.read() as reader:
        records = reader.tensions(status)
        return TensionsReply(tension_rows(reader, records[::-1]))


def open_tension(context: Context, request: OpenTensionRequest, caller: Caller) -> TensionReply:
    """Record a contradiction that someone saw; raises Conflict while very many wait."""
    with context.store.write() as tx:
        if len(tx.tensions(_ACTIVE)) >= MOST_OPEN:
            raise Conflict(
                f"{MOST_OPEN} contradictions are open, each in every prompt; resolve or silence "
                "some first."
            )
        record = TensionRecord(
            seq=0,
            id=context.system.new_id(),
            status=_ACTIVE,
            impact=request.impact,
            claim_a=Side(text=request.claim_a),
            claim_b=Side(text=request.claim_b),
            created=context.system.now(),
            question=request.actionable_question,
        )
        tx.add_tension(record)
        return tension_rows(tx, [record])[0]


def change_tension(context: Context, request: ChangeTensionRequest, caller: Caller) -> TensionReply:
    """Resolve a contradiction, silence it, or open it again.

    What resolved it may leave a pattern, stored as a statement of its own that contradicts neither
    claim, or the claim that says the same. Raises NotFound, and Conflict when it was resolved
    otherwise already.
    """
    with context.store.write() as tx:
        record = _record(tx, request.id)
        if request.status is not None:
            tx.set_tension(record.seq, _status(request.status), None, None)
        else:
            _refuse_another_answer(tx, record, request)
            pattern = None
            if request.pattern is not None:
                pattern = _keep_pattern(context, tx, record, request.pattern, caller)
            tx.set_tension(record.seq, _RESOLVED, request.resolved_by, pattern)
        pending = tx.head().pending
        changed = tension_rows(tx, [_record(tx, request.id)])[0]
    if pending:
        context.embedding.start_filling()
    return changed


def drop_tension(context: Context, request: DropTensionRequest, caller: Caller) -> DeletedReply:
    """Delete a contradiction; its claims stay. Raises NotFound."""
    with context.store.write() as tx:
        tx.delete_tension(_record(tx, request.id).seq)
    context.erasure.now()
    return DeletedReply(deleted=True)


def _refuse_another_answer(
    reader: Reader, record: TensionRecord, request: ChangeTensionRequest
) -> None:
    """Raise Conflict where an answer would take the place of another; the same again is a retry."""
    if record.status != _RESOLVED:
        return
    held = tension_rows(reader, [record])[0]
    pattern = None if request.pattern is None else request.pattern.strip()
    if (held.resolved_by, held.pattern) != (request.resolved_by, pattern):
        raise Conflict(
            f"This was decided already ({held.resolved_by}); open it again first, with status "
            "`active`, to decide otherwise."
        )


def _keep_pattern(
    context: Context, tx: Writer, record: TensionRecord, pattern: str, caller: Caller
) -> int:
    now = context.system.now()
    statement = Statement(
        text=taught_outright(pattern.strip(), "pattern"),
        date=now,
        source=Source.API,
        session_id=caller.session_id,
        exempt=frozenset(
            side.memory for side in (record.claim_a, record.claim_b) if side.memory is not None
        ),
    )
    taken = take_in(tx, context.system, [statement], now)
    context.meter.write(tx, ChangeTensionRequest.endpoint, taken.tokens, caller)
    return (*taken.stored, *taken.merged)[0]


def _record(reader: Reader, tension_id: str) -> TensionRecord:
    record = reader.tension(tension_id)
    if record is None:
        raise NotFound("tension", tension_id)
    return record


def _status(named: str) -> str:
    return _ACTIVE if named == "open" else named
