"""What the messages of a prompt show already, in time that their number does not multiply."""

from __future__ import annotations

from collections.abc import Sequence

_MOST_CHARACTERS = 1_000_000
_SHORT = 8
"""Characters: a shorter text is part of almost any other, so it counts where it is a whole line."""


class Shown:
    """The texts of a prompt, the newest last; of the older ones no more than fit are looked at."""

    def __init__(self, texts: Sequence[str]) -> None:
        distinct: dict[str, None] = {}
        left = _MOST_CHARACTERS
        for text in reversed(texts):
            if left > 0 and text not in distinct:
                distinct[text[-left:]] = None
                left -= len(text)
        self._texts = "\0".join(distinct)
        self._short = {
            line.strip()
            for text in distinct
            for line in (text, *text.splitlines())
            if len(line) < 4 * _SHORT
        }
        self.count = len(distinct)

    def holds(self, content: str) -> bool:
        """Whether a memory's content stands in one of the texts."""
        if len(content) < _SHORT:
            return content.strip() in self._short
        return content in self._texts
