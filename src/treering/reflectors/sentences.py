"""The sentences of a batch, each with when it was said and, where the text tells, by whom."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from treering.replies import BatchMemory

MAX_CHARACTERS = 1_000

_END = re.compile(r"(?<=[.!?…])[\"'”’)\]]*\s+|(?<=[。！？])|[\r\n]+")
_SPEAKER = re.compile(r"([^\W\d_][\w .'’-]{0,38}[\w.’])[:：]\s+(?=\S)")
_MIN_WORDS, _MIN_WIDE_CHARACTERS = 5, 10
_DATE_CHARACTERS = 10


@dataclass(frozen=True, slots=True)
class Sentence:
    """One sentence; `said_by` is empty when the text does not tell."""

    text: str
    date: str
    said_by: str = ""

    def standing_alone(self) -> str:
        """The sentence with what can be known of who and when."""
        said_by = f" {self.said_by}" if self.said_by else ""
        return f"{self.date[:_DATE_CHARACTERS]}{said_by}: {self.text}"


def sentences(memories: Sequence[BatchMemory]) -> list[Sentence]:
    """What the messages state, in order, nothing twice.

    Questions and bare acknowledgements are left out, unless there is nothing else.
    """
    found = [sentence for memory in memories for sentence in _of_message(memory)]
    telling = [sentence for sentence in found if _states_something(sentence.text)]
    return list(_distinct(telling or found))


def whole_texts(memories: Sequence[BatchMemory]) -> list[Sentence]:
    """Each reflection as one sentence: it stands alone already."""
    return list(_distinct(Sentence(_cut(memory.text), memory.date) for memory in memories))


def _of_message(memory: BatchMemory) -> Iterator[Sentence]:
    label = _SPEAKER.match(memory.text)
    said_by, text = (label[1], memory.text[label.end() :]) if label else ("", memory.text)
    parts = [part.strip() for part in _END.split(text) if part.strip()]
    for part in parts or [memory.text.strip()]:
        yield Sentence(_cut(part), memory.date, said_by)


def _states_something(text: str) -> bool:
    if text.endswith(("?", "？", "؟")):
        return False
    wide = sum(character > "\u2e7f" for character in text)
    return len(text.split()) >= _MIN_WORDS or wide >= _MIN_WIDE_CHARACTERS


def _distinct(found: Iterator[Sentence] | Sequence[Sentence]) -> Iterator[Sentence]:
    seen: set[str] = set()
    for sentence in found:
        key = " ".join(sentence.text.casefold().split())
        if key not in seen:
            seen.add(key)
            yield sentence


def _cut(text: str) -> str:
    """`text`, cut at a space where it is too long for one entry."""
    if len(text) <= MAX_CHARACTERS:
        return text
    head, _, _ = text[:MAX_CHARACTERS].rpartition(" ")
    return (head or text[:MAX_CHARACTERS]) + "…"
