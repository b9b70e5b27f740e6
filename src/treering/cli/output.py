"""What the command line prints: one JSON document, or text for a person.

Stored text is anyone's, so it is printed as data: never as markup, and without the characters that
would drive the terminal or turn the reading order around.
"""

from __future__ import annotations

import json
import re
import sys
from dataclasses import dataclass
from io import TextIOWrapper

import typer
from rich.console import Console, RenderableType

from treering.errors import InvalidRequest, TreeringError
from treering.replies import to_wire

_UNPRINTABLE = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff"
    "\ud800-\udfff\U000e0000-\U000e007f]"
)


def shown(text: str) -> str:
    r"""`text` as a terminal may have it: control characters as `\x1b`, what is unseen too.

    So are lone surrogates. The joiners that scripts and emoji need stay.
    """
    return _UNPRINTABLE.sub(_escaped, text)


def one_line(text: str, limit: int = 400) -> str:
    """`text` in one line of at most `limit` characters, cut with an ellipsis."""
    line = shown(" ".join(text.split()))
    return line if len(line) <= limit else line[: limit - 1].rstrip() + "…"


def counted(count: int, noun: str, plural: str) -> str:
    """`1 memory`, `2,000 memories`."""
    return f"{count:,} {noun if count == 1 else plural}"


def day_and_minute(iso: str) -> str:
    """`2026-02-01T04:11:09.000Z` as `2026-02-01 04:11`."""
    return iso[:16].replace("T", " ")


@dataclass(frozen=True, slots=True)
class Verbatim:
    """Stored text to be printed line for line as it is, not wrapped to the terminal's width."""

    text: str


class Output:
    """Where a command's results go: stdout; what is said on the way goes to stderr."""

    def __init__(self, *, as_json: bool) -> None:
        self.as_json = as_json
        self._out = _console()
        self.err = _console(stderr=True)

    @property
    def shows_progress(self) -> bool:
        """Whether a person watches: progress is drawn on a terminal only."""
        return not self.as_json and self.err.is_terminal

    def show(self, reply: object, *lines: RenderableType | Verbatim) -> None:
        """Print the reply as JSON where that is asked for, else the lines."""
        if self.as_json:
            self.document(to_wire(reply))
        else:
            self.say(*lines)

    def document(self, body: object) -> None:
        """Print one JSON document, pure ASCII."""
        typer.echo(json.dumps(body, indent=2))

    def say(self, *lines: RenderableType | Verbatim) -> None:
        """Print lines for a person; nothing where JSON is asked for."""
        if self.as_json:
            return
        for line in lines:
            if isinstance(line, Verbatim):
                self._out.print(shown(line.text), soft_wrap=True)
            else:
                self._out.print(line)

    def note(self, line: str) -> None:
        """Print a remark on stderr; nothing where JSON is asked for."""
        if not self.as_json:
            self.err.print(line, soft_wrap=True)


def show_error(error: TreeringError, *, as_json: bool) -> None:
    """Print an error on stderr: one line, or its JSON body."""
    if as_json:
        typer.echo(json.dumps(error.body(), default=str), err=True)
    else:
        typer.echo(f"error: {one_line(error.message, 2_000)}", err=True)


def confirm(question: str, phrase: str) -> None:
    """Go on only when a person types the phrase; raises InvalidRequest otherwise."""
    typer.echo(f"{question}\nType {phrase} to go on: ", err=True, nl=False)
    if sys.stdin.readline().strip() != phrase:
        raise InvalidRequest(f"yes: nothing was deleted; type {phrase} when asked, or give --yes")


def make_streams_safe() -> None:
    """Let stdout and stderr escape what their encoding can't write, instead of failing on it."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def _console(*, stderr: bool = False) -> Console:
    return Console(stderr=stderr, markup=False, highlight=False, emoji=False)


def _escaped(found: re.Match[str]) -> str:
    code = ord(found[0])
    if code < 0x100:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"
