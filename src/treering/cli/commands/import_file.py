"""Importing a file of JSON lines: streamed, resumable, safe to run again."""

from __future__ import annotations

import os
import stat
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, BinaryIO

import typer

from treering.cli.line_file import Chunk, chunks
from treering.cli.options import on_vault
from treering.cli.output import Output, one_line
from treering.cli.progress import progress_bar
from treering.cli.target import is_remote
from treering.errors import Forbidden, InvalidRequest
from treering.replies import LineError, UploadReply, UploadStats
from treering.verbs import Verbs

SHOWN_ERRORS = 20
KEPT_ERRORS = 1_000
_LOOK_EVERY_S = 0.2
_PATIENCE_S = 40.0


@on_vault(create=True)
def import_file(
    vault: Verbs,
    output: Output,
    file: Annotated[str, typer.Argument(metavar="FILE", help="A file, or - for stdin.")],
) -> None:
    """Store a file of JSON lines: {content, role?, timestamp?, session_id?}.

    Good lines are stored, bad ones reported by number. Run again after an interruption, or on a
    file that has grown: what is stored already is recognised.
    """
    total = _Total()
    with (
        _said_when_interrupted(output),
        _opened(file) as stream,
        progress_bar(output, "importing", _size(stream)) as advance,
    ):
        for chunk in chunks(stream):
            total.add(chunk, vault.upload(chunk.lines) if chunk.lines else None)
            advance(chunk.read)
    if not is_remote(vault):
        _wait_for_vectors(vault, output)
    reply = total.reply()
    output.show(reply, reply.message, *_shown_errors(reply))
    if reply.stats.failed and not reply.stats.processed + reply.stats.known:
        raise InvalidRequest("file: no line of it could be stored")


@contextmanager
def _said_when_interrupted(output: Output) -> Iterator[None]:
    try:
        yield
    except KeyboardInterrupt:
        output.err.print("Interrupted. Run it again: it goes on where it stopped.")
        raise


class _Total:
    """What all the uploads of one file stored together, with the file's own line numbers."""

    def __init__(self) -> None:
        self._vault = ""
        self._stored = self._known = self._failed = 0
        self._errors: list[LineError] = []

    def add(self, chunk: Chunk, reply: UploadReply | None) -> None:
        problems = [LineError(number, problem) for number, problem in chunk.problems]
        if reply is not None:
            self._vault = reply.vault
            self._stored += reply.stats.processed
            self._known += reply.stats.known
            problems += [
                LineError(chunk.numbers[error.line - 1], error.problem) for error in reply.errors
            ]
        self._failed += len(problems)
        room = KEPT_ERRORS - len(self._errors)
        self._errors += sorted(problems, key=lambda error: error.line)[:room]

    def reply(self) -> UploadReply:
        """The whole as one upload's reply; at most 1,000 of the errors are named."""
        stored, known, failed = self._stored, self._known, self._failed
        return UploadReply(
            status="partial" if failed else "ok",
            vault=self._vault,
            stats=UploadStats(stored + known + failed, stored, known, failed),
            errors=self._errors,
            message=f"{stored:,} stored, {known:,} known already, {failed:,} not usable.",
        )


def _wait_for_vectors(vault: Verbs, output: Output) -> None:
    """Let the vault compute the vectors that its requests had no time for.

    A server goes on by itself; this process would stop with the command. Interrupting is safe:
    what is pending is computed when the vault is next open. So it is when the embedder fails, and
    this gives up after 40 s without any progress.
    """
    try:
        pending = vault.stats().pending_vectors
    except Forbidden:
        return  # a key may write without being allowed to count
    if not pending:
        return
    deadline = time.monotonic() + _PATIENCE_S
    with progress_bar(output, "computing vectors", pending, counted=True) as advance:
        while pending and time.monotonic() < deadline:
            time.sleep(_LOOK_EVERY_S)
            left = vault.stats().pending_vectors
            if left < pending:
                advance(pending - left)
                deadline = time.monotonic() + _PATIENCE_S
            pending = left
    if pending:
        output.note(f"{pending:,} vectors are still pending: the embedder does not answer.")


def _shown_errors(reply: UploadReply) -> list[str]:
    lines = [
        f"  line {error.line:,}: {one_line(error.problem, 200)}"
        for error in reply.errors[:SHOWN_ERRORS]
    ]
    more = reply.stats.failed - len(lines)
    return [*lines, f"  and {more:,} more"] if more > 0 else lines


@contextmanager
def _opened(file: str) -> Iterator[BinaryIO]:
    if file == "-":
        yield sys.stdin.buffer
        return
    try:
        stream = Path(file).open("rb")  # noqa: SIM115 - closed below; only opening is guarded
    except OSError as error:
        raise InvalidRequest(f"file: {file} can't be read: {error.strerror}") from error
    with stream:
        yield stream


def _size(stream: BinaryIO) -> int | None:
    """Bytes of a regular file; None for a pipe, whose end is not known."""
    try:
        found = os.fstat(stream.fileno())
    except OSError:
        return None
    return found.st_size if stat.S_ISREG(found.st_mode) else None
