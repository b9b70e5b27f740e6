"""Scripts in which words are not set apart by spaces, as ranges of a character class."""

from __future__ import annotations

UNSPACED = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3005\u3040-\u30ff\u31f0-\u31ff"
    "\u3400-\u4dbf\u4e00-\u9fff\ua9e0-\ua9ff\uaa60-\uaa7f\uac00-\ud7af\uf900-\ufaff"
    "\U00020000-\U000323af"
)
"""Han, kana, Hangul (which carries its particles with it), Thai, Lao, Myanmar and Khmer.

The terms that an index holds depend on it.
"""
