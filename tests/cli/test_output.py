"""Stored text is data: it drives no terminal, whatever the terminal's encoding."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.cli.conftest import Program
from treering.cli.output import one_line, shown

DRIVES = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ud800-\udfff"
    "\U000e0000-\U000e007f]"
)


@given(st.text(st.characters(), max_size=200))
def test_what_is_shown_drives_no_terminal(text: str) -> None:
    assert DRIVES.search(shown(text)) is None
    assert "\n" not in one_line(text)
    assert len(one_line(text, 50)) <= 50


@given(st.text(st.characters(categories=["L", "N", "P", "S", "Mn"]), max_size=200))
def test_ordinary_text_is_shown_as_it_is(text: str) -> None:
    assert shown(text) == text


def test_what_is_unseen_is_shown_and_joiners_stay() -> None:
    assert shown("a\u200bb\u200ec\u200f\U000e0041") == r"a\u200bb\u200ec\u200f\U000e0041"
    assert shown("\U0001f469\u200d\U0001f467 \u0645\u06cc\u200c") == (
        "\U0001f469\u200d\U0001f467 \u0645\u06cc\u200c"
    )


@pytest.mark.parametrize(
    "command",
    [["search", "evil red"], ["prepare", "evil red"], ["date-search", "2026-02-05"]],
    ids=lambda command: command[0],
)
def test_no_command_lets_stored_text_through_raw(filled: Program, command: list[str]) -> None:
    out = filled(*command).out
    assert DRIVES.search(out) is None
    assert r"evil \x1b[31mred\x1b]0;title\x07 [bold]loud[/bold]" in out
    json_out = filled(*command, "--json").out
    assert json_out.isascii()
    assert DRIVES.search(json_out) is None


def test_inspect_shows_it_as_data_too(filled: Program) -> None:
    filled("reflect", "--with", "extractive", "--tier", "1")
    [top] = filled("search", "evil", "--tier", "2", "-n", "1", "--json").json["memories"]
    assert DRIVES.search(filled("inspect", top["id"], "--limit", "50").out) is None


def test_a_stdout_that_is_not_utf8_is_no_problem(filled: Program) -> None:
    for arguments in (["search", "evil", *filled.where], ["--help"]):
        process = filled.start(
            *arguments, environment={"PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0"}
        )
        out, err = process.communicate(timeout=60)
        assert (process.returncode, err) == (0, b"")
        assert out.decode("ascii")
