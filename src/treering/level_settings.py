"""The values that levels go by, and how one place's settings lie over another's."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

from treering.replies import LevelSettings, SettingsReply

DEFAULTS = LevelSettings(
    max_total_tokens=2_000, max_index_items=60, default_recall_limit=8, capture=True
)

Inherited = Callable[[], LevelSettings]
"""What is in force where a vault sets nothing."""


def defaults() -> LevelSettings:
    """What is in force where nobody set anything."""
    return DEFAULTS


def over(inherited: LevelSettings, own: Mapping[str, int]) -> LevelSettings:
    """What is in force where `own` is set."""
    numbers = {name: value for name, value in own.items() if name != "capture"}
    capture = bool(own.get("capture", inherited.capture))
    return replace(inherited, **numbers, capture=capture)


def settings_reply(scope: str, own: Mapping[str, int], inherited: LevelSettings) -> SettingsReply:
    """What one place sets, and what is in force there."""
    capture = own.get("capture")
    return SettingsReply(
        scope=scope,
        max_total_tokens=own.get("max_total_tokens"),
        max_index_items=own.get("max_index_items"),
        default_recall_limit=own.get("default_recall_limit"),
        capture=None if capture is None else bool(capture),
        effective=over(inherited, own),
    )
