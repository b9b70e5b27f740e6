"""Undoing one commit: tiers only layer on top, so what lies under it is as it was."""

from __future__ import annotations

from treering.errors import Conflict, NotFound
from treering.model import Caller
from treering.replies import RevertReply
from treering.requests import RevertRequest
from treering.store.base import BatchState
from treering.vault.context import Context


def revert(context: Context, request: RevertRequest, caller: Caller) -> RevertReply:
    """Delete a committed batch's reflections and return its sources to the pool.

    Raises NotFound, or Conflict when the batch is not committed or something was built on it.
    """
    with context.store.write() as tx:
        batch = tx.batch(request.batch_id)
        if batch is None:
            raise NotFound("batch", request.batch_id)
        if batch.state is not BatchState.COMMITTED:
            raise Conflict(f"Only a committed batch can be reverted; this one is {batch.state}.")
        made = tx.made_by(batch.seq)
        if tx.built_on(made):
            raise Conflict("High-level reflections were built on this batch; revert theirs first.")
        sources = tx.members(batch.seq)
        tx.delete(made)
        tx.revert_batch(batch)
        debt = context.debt(tx)
    context.erasure.now()
    return RevertReply(batch.id, True, len(made), len(sources), debt)
