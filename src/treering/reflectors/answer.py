"""Reading what a model answered: entries, or what is wrong with them."""

from __future__ import annotations

import json
import re
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from treering.reflectors.base import ReflectionEntry
from treering.requests import Entry, issues_of
from treering.rules.contract import MAX_ENTRIES, MIN_ENTRIES

_FENCE = re.compile(r"[ \t]*```([^`]*)")
_SHOWN_ISSUES = 3


class UnusableAnswer(ValueError):
    """A model's answer holds no entries that can be committed; its text says why."""


class _Answer(BaseModel):
    model_config = ConfigDict(strict=True, frozen=True, extra="forbid", hide_input_in_errors=True)

    entries: Annotated[list[Entry], Field(min_length=MIN_ENTRIES, max_length=MAX_ENTRIES)]


def parse_answer(text: str) -> list[ReflectionEntry]:
    """The entries in a model's answer.

    The answer is JSON, alone or in one code fence: `{"entries": [...]}` or the bare list, of 1 to
    100 entries. An entry is a text of 1 to 8,000 characters after trimming, an integer importance
    from 1 to 10, and nothing else. Raises UnusableAnswer.
    """
    body = _json_of(text)
    try:
        answer = _Answer.model_validate({"entries": body} if isinstance(body, list) else body)
    except ValidationError as error:
        more = error.error_count() - _SHOWN_ISSUES
        shown = issues_of(error)[:_SHOWN_ISSUES] + (
            [f"and {more} more problems"] if more > 0 else []
        )
        raise UnusableAnswer("; ".join(shown)) from None
    return [{"text": entry.text, "importance": entry.importance} for entry in answer.entries]


def _json_of(text: str) -> object:
    fenced = _code_blocks(text)
    if len(fenced) > 1:
        raise UnusableAnswer("it holds more than one code block")
    source = (fenced[0] if fenced else text).strip()
    if not source:
        raise UnusableAnswer("it is empty")
    try:
        found: object = json.loads(source)
    except RecursionError:
        raise UnusableAnswer("it is nested too deeply") from None
    except ValueError as error:
        raise UnusableAnswer(f"it is not JSON: {error}") from None
    return found


def _code_blocks(text: str) -> list[str]:
    """What stands between fences; one that is never closed holds nothing."""
    blocks: list[str] = []
    inside: list[str] | None = None
    for line in text.split("\n"):
        fence = _FENCE.fullmatch(line)
        if inside is None:
            inside = [] if fence else None
        elif fence and not fence[1].strip():
            blocks.append("\n".join(inside))
            inside = None
        else:
            inside.append(line)
    return blocks
