"""Any program as the model: the prompt on its standard input, the answer on its output."""

from __future__ import annotations

import shlex
import subprocess

from treering.errors import InvalidRequest, ModelFailure
from treering.reflectors.model import Rejected
from treering.reflectors.prompt import Prompt

TIMEOUT_S = 400.0
"""Twice this, an answer and its correction, is under a lease of 15 minutes."""

_DETAIL_CHARACTERS = 300


class CommandModel:
    """A program that reads a prompt and prints JSON; run as it is written, without a shell."""

    def __init__(self, command: str, *, timeout_s: float = TIMEOUT_S) -> None:
        try:
            self._arguments = shlex.split(command)
        except ValueError as error:
            raise InvalidRequest(f"command: {error}") from None
        if not self._arguments:
            raise InvalidRequest("command: names no program; write command:<program> <arguments>")
        self._timeout_s = timeout_s

    def answer(self, prompt: Prompt, rejected: Rejected | None = None) -> str:
        """What the program prints; raises ModelFailure when it fails or takes too long."""
        text = prompt.as_text()
        if rejected is not None:
            text += f"\n{rejected.correction}\n"
        program = self._arguments[0]
        try:
            done = subprocess.run(
                self._arguments,
                input=text.encode("utf-8", "replace"),
                capture_output=True,
                timeout=self._timeout_s,
                check=False,
            )
        except OSError as error:
            raise ModelFailure(f"{program} can't be run: {error.strerror}.") from error
        except subprocess.TimeoutExpired as error:
            raise ModelFailure(
                f"{program} took longer than {self._timeout_s:,.0f} s; try smaller batches."
            ) from error
        if done.returncode != 0:
            raise ModelFailure(f"{program} failed with {done.returncode}{_last_line(done.stderr)}")
        return done.stdout.decode("utf-8", "replace")

    def describe(self) -> str:
        """Which program this is."""
        return f"The program {self._arguments[0]} writes the reflections."


def _last_line(output: bytes) -> str:
    lines = output.decode("utf-8", "replace").strip().splitlines()
    return f": {lines[-1][:_DETAIL_CHARACTERS]}" if lines else "."
