"""A file of JSON lines, streamed in chunks that can be sent again without storing a line twice.

An upload tells identical lines apart by counting them within one request. A file goes in several,
so each line is sent with its `occurrence`: it is the k-th of its kind in the whole file.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import BinaryIO

from treering.requests import UploadLine
from treering.requests.lines import MAX_LINE_BYTES, TOO_LONG, line_json, upload_line
from treering.rules.content import fingerprint, remembered

MAX_CHUNK_LINES = 1_000
MAX_CHUNK_BYTES = 4_000_000


@dataclass(slots=True)
class Chunk:
    """Some lines of the file, ready to be sent; `numbers` are their line numbers in it.

    `problems` are lines that can't be sent, by number. `read` counts the bytes behind it all.
    """

    lines: list[bytes] = field(default_factory=list)
    numbers: list[int] = field(default_factory=list)
    problems: list[tuple[int, str]] = field(default_factory=list)
    read: int = 0
    size: int = 0

    @property
    def is_full(self) -> bool:
        """Whether it is time to send it, or to report what is wrong with it."""
        count = len(self.lines) + len(self.problems)
        return count >= MAX_CHUNK_LINES or self.size >= MAX_CHUNK_BYTES


def chunks(stream: BinaryIO) -> Iterator[Chunk]:
    """The stream's lines, read as they are asked for: at most 1,000 and about 4 MB at a time.

    Memory grows by the fingerprint of each different line and no more.
    """
    seen: dict[bytes, int] = {}
    chunk = Chunk()
    for number, (raw, length) in enumerate(_raw_lines(stream), start=1):
        chunk.read += length
        if raw is None:
            chunk.problems.append((number, TOO_LONG))
        elif raw.strip():
            _take(chunk, number, raw, seen)
        if chunk.is_full:
            yield chunk
            chunk = Chunk()
    if chunk.read:
        yield chunk


def _take(chunk: Chunk, number: int, raw: bytes, seen: dict[bytes, int]) -> None:
    line = upload_line(raw)
    if isinstance(line, str):
        chunk.problems.append((number, line))
        return
    identity = _identity(line)
    seen[identity] = seen.get(identity, 0) + 1
    if line.occurrence is None:
        line = line.model_copy(update={"occurrence": seen[identity]})
    sent = line_json(line)
    chunk.lines.append(sent)
    chunk.numbers.append(number)
    chunk.size += len(sent)


def _identity(line: UploadLine) -> bytes:
    """Equal for lines that the vault takes for the same: role, text, instant and session."""
    text = remembered(line.role, line.content) or ""
    session = "" if line.session_id is None else f"={line.session_id}"
    return fingerprint(line.role, text, str(line.timestamp), session)


def _raw_lines(stream: BinaryIO) -> Iterator[tuple[bytes | None, int]]:
    """Each line and its length; None for one that is too long, whose bytes are passed over."""
    while raw := stream.readline(MAX_LINE_BYTES + 1):
        length = len(raw)
        line = raw.removesuffix(b"\n")
        if len(line) <= MAX_LINE_BYTES:
            yield line, length
            continue
        while not raw.endswith(b"\n") and (raw := stream.readline(MAX_LINE_BYTES)):
            length += len(raw)
        yield None, length
