"""Lone surrogates: half a character, which clients that cut texts anywhere send and vaults keep.

A message of the protocol is UTF-8 and can't hold one: U+FFFD stands for it both ways.
"""

from __future__ import annotations

import json
import re
from typing import Any

_LONE = re.compile("[\ud800-\udfff]")
_PERHAPS = re.compile(rb"\\u[dD][89a-fA-F]|\xed[\xa0-\xbf]")


def whole(value: Any) -> Any:
    """JSON-ready `value` without lone surrogates."""
    if isinstance(value, str):
        return _LONE.sub("\ufffd", value)
    if isinstance(value, list):
        return [whole(each) for each in value]
    if isinstance(value, dict):
        return {whole(name): whole(each) for name, each in value.items()}
    return value


def whole_json(text: bytes, value: Any) -> bytes:
    """JSON text of `value` without lone surrogates: `text`, where that says so already."""
    if _PERHAPS.search(text) is None:
        return text
    return json.dumps(whole(value)).encode("ascii")
