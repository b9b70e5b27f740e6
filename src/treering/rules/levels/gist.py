"""The one line that stands for a memory in the index."""

from __future__ import annotations

from treering.rules.levels.graphemes import boundary
from treering.rules.levels.identifiers import identifiers
from treering.rules.levels.shapes import MAX_LENGTH

MAX_GIST = 160
_ELLIPSIS = "…"


def gist(content: str, most: int = MAX_GIST) -> str:
    """`content` on one line; past `most` characters it is cut at a word and ends with `…`.

    An identifier is never cut: it is left out, or, where the text begins with it, kept whole even
    beyond that (identifiers have at most 2,048). Text without spaces is cut between
    characters as a reader sees them.
    """
    line = one_line(content)
    if len(line) <= most:
        return line
    room = most - len(_ELLIPSIS)
    head = line[: room + 2 * MAX_LENGTH]
    end = _word_end(head, room)
    for one in identifiers(head):
        if one.start < end < one.end:
            end = one.start if head[: one.start].strip() else one.end
            break
    kept = line[:end].rstrip()
    return kept if end >= len(line) else kept + _ELLIPSIS


def one_line(text: str) -> str:
    """`text` with each line break, and the space around it, as one space."""
    return " ".join(stripped for part in text.splitlines() if (stripped := part.strip()))


def _word_end(line: str, room: int) -> int:
    """The end of the last word that fits, else of the last character that does."""
    if line[room].isspace():
        return room
    space = max(line.rfind(" ", 0, room), line.rfind("\t", 0, room))
    return space if space > room // 2 else boundary(line, room)
