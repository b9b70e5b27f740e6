from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.rules.texts import anything
from treering.requests import UploadLine
from treering.requests.lines import upload_line, upload_lines


@pytest.mark.promise("upload.lines")
@given(anything)
def test_any_text_passes_through_a_line(text: str) -> None:
    line = upload_line(json.dumps({"content": text}))
    assert isinstance(line, UploadLine)
    assert line.content == text


@pytest.mark.promise("upload.bad-lines")
@given(st.binary(max_size=60))
def test_anything_else_is_a_problem_in_words(line: bytes) -> None:
    read = upload_line(line)
    assert isinstance(read, UploadLine) or read


@pytest.mark.promise("upload.bad-lines")
@pytest.mark.parametrize("split", ["whole", "bytes", "lines"])
def test_blank_lines_count_and_hold_nothing(split: str) -> None:
    text = '{"content": "a"}\n\n  \n{"content": "b"}\r\n'
    given_as: dict[str, str | bytes | list[str]] = {
        "whole": text,
        "bytes": text.encode(),
        "lines": text.splitlines(),
    }
    first, *blank, last = upload_lines(given_as[split])
    assert blank == [None, None]
    assert isinstance(first, UploadLine)
    assert isinstance(last, UploadLine)
    assert (first.content, last.content) == ("a", "b")
