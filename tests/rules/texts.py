"""Any text there can be: every script, control characters, halves of emoji."""

from __future__ import annotations

from hypothesis import strategies as st

anything = st.text(st.characters(exclude_categories=())) | st.text(
    "a <>/-treingots\n\u2028數\ud83d"
)
