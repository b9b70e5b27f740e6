"""Text in SQLite columns: any Python string goes in and comes out the same."""

from __future__ import annotations

Stored = str | bytes


def stored(text: str) -> Stored:
    """`text` as a column value: itself, or bytes when lone surrogates keep it out of UTF-8."""
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return text.encode("utf-8", "surrogatepass")
    return text


def loaded(value: Stored) -> str:
    """The text that `stored` made `value` of."""
    return value if isinstance(value, str) else value.decode("utf-8", "surrogatepass")
