"""What a model is given of a batch: the contract's instructions verbatim, texts and dates. No ids.

The memories stand between tags that no text can open or close, so that what somebody once said is
read as data and not obeyed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from treering.replies import Batch, BatchMemory
from treering.rules.fence import quoted

_TAG = "memories"


@dataclass(frozen=True, slots=True)
class Prompt:
    """What a model is asked: the server's instructions, and the memories as fenced lines."""

    instructions: str
    memories: str

    def as_text(self) -> str:
        """Both as one text, for models that take one."""
        return f"{self.instructions}\n{self.memories}\n"


def prompt_of(batch: Batch) -> Prompt:
    """The prompt for a batch."""
    return Prompt(batch.reflection_contract.instructions, quoted_memories(batch.memories))


def quoted_memories(memories: Sequence[BatchMemory]) -> str:
    """A batch's memories inside their fence, a date and a text each."""
    lines = "".join(f"[{memory.date}] {_fenced(memory.text)}\n" for memory in memories)
    return f"<{_TAG}>\n{lines}</{_TAG}>"


def correction(problem: str) -> str:
    """What a model is told about an answer that could not be used."""
    return (
        f"Your answer could not be used: {problem}. "
        'Answer again with JSON alone: {"entries": [{"text": "...", "importance": 5}, ...]}'
    )


def _fenced(text: str) -> str:
    """`text` with its further lines indented, and without anything that looks like the fence.

    Lone surrogates become U+FFFD, because providers refuse them.
    """
    whole = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return quoted(whole, _TAG)
