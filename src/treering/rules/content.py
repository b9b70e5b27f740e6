"""What of a message is remembered: its text, without what Treering itself put into the prompt."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import Any

from treering.rules.fence import without_blocks
from treering.rules.levels.injected import without_levels

MAX_CHARACTERS = 200_000
STORED_ROLES = frozenset({"user", "assistant"})


def text_of(content: str | Sequence[dict[str, Any] | str] | None) -> str:
    """The text of a message's content: itself, or its text parts with a line break between."""
    if content is None:
        return ""
    if isinstance(content, str):
        return content
    texts = [part if isinstance(part, str) else part.get("text") for part in content]
    return "\n".join(text for text in texts if isinstance(text, str))


def remembered(role: str, content: str | Sequence[dict[str, Any] | str] | None) -> str | None:
    """The text to store of a message, verbatim; None when there is nothing to store.

    Blocks of recalled notes and levels are taken out, so that what memory said never becomes
    memory.
    """
    if role not in STORED_ROLES:
        return None
    text = without_levels(without_blocks(text_of(content)))
    return text if text.strip() else None


def fingerprint(*parts: str) -> bytes:
    """16 bytes that are equal for the same parts; any text is allowed."""
    digest = hashlib.blake2b(digest_size=16)
    for part in parts:
        encoded = part.encode("utf-8", "surrogatepass")
        digest.update(len(encoded).to_bytes(8, "little") + encoded)
    return digest.digest()
