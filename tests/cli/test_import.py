"""Importing: nothing twice, nothing lost, however often and wherever it was cut off."""

from __future__ import annotations

import io
import json
import signal
import time
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.cli.conftest import Program, jsonl
from tests.support.worlds import hash_embedder
from treering import Vault, Verbs
from treering.cli import line_file
from treering.cli.line_file import MAX_CHUNK_LINES, chunks
from treering.requests import UploadLine
from treering.requests.lines import MAX_LINE_BYTES, upload_line

SAME = {"content": "Same line."}


def contents(vault: Verbs) -> Counter[str]:
    reply = vault.date_search("0001-01-01", "9999-12-30", max_tokens=200_000)
    assert not reply.truncated
    return Counter(row.content for row in reply.memories)


def test_a_file_is_stored_once_and_its_identical_lines_stay(
    program: Program, tmp_path: Path
) -> None:
    filler = [{"content": f"Line {n}."} for n in range(2 * MAX_CHUNK_LINES)]
    path = jsonl(tmp_path / "m.jsonl", SAME, *filler[:1200], SAME, *filler[1200:], SAME)
    first = program("import", path, "--json").json
    assert first["stats"] == {"total": 2003, "processed": 2003, "known": 0, "failed": 0}
    again = program("import", path, "--json").json
    assert again["stats"] == {"total": 2003, "processed": 0, "known": 2003, "failed": 0}


def test_an_import_that_was_killed_is_finished_by_the_next(
    program: Program, tmp_path: Path
) -> None:
    lines: list[dict[str, Any]] = [{"content": f"Line {n}."} for n in range(2_300)]
    lines[0] = lines[1_100] = lines[2_200] = SAME
    vault = str(tmp_path / "one.db")
    path = jsonl(tmp_path / "m.jsonl", *lines)
    process = program.start("import", "-", "--vault", vault)
    assert process.stdin is not None
    head = Path(path).read_bytes().splitlines(keepends=True)[:1_500]
    process.stdin.write(b"".join(head))
    process.stdin.flush()
    while not Path(vault).exists() or not _count(vault):
        assert process.poll() is None
        time.sleep(0.05)
    process.kill()
    process.communicate()
    cut_off_at = _count(vault)
    assert 0 < cut_off_at < len(lines)
    program.where = ["--vault", vault]
    stats = program("import", path, "--json").json["stats"]
    assert (stats["known"], stats["processed"]) == (cut_off_at, len(lines) - cut_off_at)
    with _opened(vault) as opened:
        found = contents(opened)
    assert found == Counter(line["content"] for line in lines)


def _opened(vault: str) -> Vault:
    return Vault.open(vault, embedder=hash_embedder())


def _count(vault: str) -> int:
    with _opened(vault) as opened:
        return opened.stats().memories


def _has_stored(data_dir: Path) -> bool:
    """Whether a first chunk went in, so that the import is under way."""
    return any(file.stat().st_size > 200_000 for file in data_dir.glob("vaults/*.db-wal"))


def test_ctrl_c_ends_it_cleanly(program: Program) -> None:
    process = program.start("import", "-", *program.where)
    assert process.stdin is not None
    for number in range(1_000):
        process.stdin.write(json.dumps({"content": f"line {number}"}).encode() + b"\n")
    process.stdin.flush()
    while not _has_stored(Path(program.where[1])):
        assert process.poll() is None
        time.sleep(0.05)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert (process.returncode, out) == (130, b""), err
    assert err in (b"", b"Interrupted. Run it again: it goes on where it stopped.\n")


def test_bad_lines_are_named_by_their_number_in_the_file(program: Program, tmp_path: Path) -> None:
    good = [{"content": f"Line {n}."} for n in range(1_500)]
    path = jsonl(
        tmp_path / "m.jsonl",
        "",
        "no json",
        {"content": "rules", "role": "system"},
        *good,
        {"content": "x", "colour": "red"},
        {"content": " "},
    )
    reply = program("import", path, "--json").json
    assert reply["status"] == "partial"
    assert reply["stats"] == {"total": 1504, "processed": 1500, "known": 0, "failed": 4}
    assert [error["line"] for error in reply["errors"]] == [2, 3, 1504, 1505]
    assert "line 1,504: colour: unknown field" in program("import", path).out


def test_many_bad_lines_are_counted_and_some_shown(program: Program, tmp_path: Path) -> None:
    ran = program("import", jsonl(tmp_path / "m.jsonl", *["no"] * 30), code=2)
    assert "and 10 more" in ran.out
    assert "no line of it could be stored" in ran.err


def test_stdin_is_a_file(program: Program) -> None:
    line = json.dumps({"content": "数据库 😀 \ud800"})
    program("import", "-", stdin=f"{line}\n{line}\n")
    assert program("import", "-", "--json", stdin=f"{line}\n{line}\n").json["stats"]["known"] == 2


def test_a_key_that_may_only_write_imports(program: Program) -> None:
    key = program("keys", "create", "--json").json["key"]
    line = json.dumps({"content": "The port is 8412."})
    assert "1 stored" in program("import", "-", "--key", f"{key}:write", stdin=line).out


def test_a_line_too_long_is_passed_over(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(line_file, "MAX_LINE_BYTES", 100)
    long = b'{"content": "' + b"x" * 1_000 + b'"}\n'
    stream = io.BytesIO(b'{"content": "a"}\n' + long + b'{"content": "b"}')
    [chunk] = chunks(stream)
    assert (chunk.numbers, [number for number, _ in chunk.problems]) == ([1, 3], [2])
    assert chunk.read == len(stream.getvalue())


def test_a_file_of_bad_lines_alone_is_chunked_too() -> None:
    stream = io.BytesIO(b"no json\n" * (2 * MAX_CHUNK_LINES + 1))
    parts = list(chunks(stream))
    assert [len(part.problems) for part in parts] == [MAX_CHUNK_LINES, MAX_CHUNK_LINES, 1]
    assert sum(part.read for part in parts) == len(stream.getvalue())


def test_the_longest_line_of_a_file_is_the_longest_of_an_upload() -> None:
    line = json.dumps({"content": "x" * 200_000}).encode()
    longest = line + b" " * (MAX_LINE_BYTES - len(line))
    assert isinstance(upload_line(longest), UploadLine)
    problem = upload_line(longest + b" ")
    assert problem == f"is over {MAX_LINE_BYTES:,} bytes"
    [chunk] = chunks(io.BytesIO(longest + b"\n" + longest + b" \n"))
    assert (chunk.numbers, chunk.problems) == ([1], [(2, problem)])


def test_chunks_are_bounded_by_bytes_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(line_file, "MAX_CHUNK_BYTES", 1_000)
    line = json.dumps({"content": "x" * 400}).encode() + b"\n"
    assert [len(chunk.lines) for chunk in chunks(io.BytesIO(line * 10))] == [3, 3, 3, 1]


@settings(
    max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(
    lines=st.lists(
        st.fixed_dictionaries(
            {"content": st.sampled_from(["a", "b", "c"])},
            optional={
                "role": st.sampled_from(["user", "assistant"]),
                "timestamp": st.sampled_from([1, "1970-01-01T00:00:00.001Z"]),
                "session_id": st.sampled_from(["s", "t"]),
            },
        ),
        max_size=12,
    ),
    sent=st.integers(0, 12),
    size=st.integers(1, 5),
)
def test_a_file_is_stored_as_it_is_wherever_it_was_cut(
    tmp_path_factory: pytest.TempPathFactory,
    lines: list[dict[str, Any]],
    sent: int,
    size: int,
) -> None:
    body = "".join(json.dumps(line) + "\n" for line in lines).encode()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(line_file, "MAX_CHUNK_LINES", size)
        parts = list(chunks(io.BytesIO(body)))
    with _opened(str(tmp_path_factory.mktemp("cut") / "one.db")) as vault:
        for chunk in [*parts[:sent], *parts]:
            vault.upload(chunk.lines)
        assert contents(vault) == Counter(line["content"] for line in lines)
