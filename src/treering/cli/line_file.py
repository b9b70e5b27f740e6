"""A file of JSON lines, streamed in chunks that can be sent again without storing a line twice.

An upload tells identical lines apart by counting them within one request. A file goes in several,
so each line is sent with its `occurrence`: it is the k-th of its kind in the whole file.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import BinaryIO

from treering.requests import UploadLine
from treering.rules.content import fingerprint, remembered
from treering.rules.lines import upload_line

MAX_CHUNK_LINES = 1_000
MAX_CHUNK_BYTES = 4_000_000
MAX_LINE_BYTES = 8_000_000
"""More than the JSON of the longest message there can be, with every character escaped."""


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
        """Whether it is time to send it."""
        return len(self.lines) >= MAX_CHUNK_LINES or self.size >= MAX_CHUNK_BYTES


def chunks(stream: BinaryIO) -> Iterator[Chunk]:
    """The stream's lines, read as they are asked for: at most 1,000 and about 4 MB at a time.

    Memory grows by the fingerprint of each different line and no more.
    """
    seen: dict[bytes, int] = {}
    chunk = Chunk()
    for number, (raw, length) in enumerate(_raw_lines(stream), start=1):
        chunk.read += length
        if raw is None:
            chunk.problems.append((number, f"is longer than {MAX_LINE_BYTES:,} bytes"))
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
    sent = json.dumps(line.model_dump(exclude_none=True)).encode("ascii")
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
        if length <= MAX_LINE_BYTES:
            yield raw, length
            continue
        while not raw.endswith(b"\n") and (raw := stream.readline(MAX_LINE_BYTES)):
            length += len(raw)
        yield None, length
