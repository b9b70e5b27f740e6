"""The Levels API's verbs: which function answers which request."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from treering import requests as ask
from treering.model import Caller
from treering.requests import Request
from treering.vault.context import Context
from treering.vault.levels.block import context_block
from treering.vault.levels.builds import analytics, build, builds
from treering.vault.levels.level_stats import level_stats
from treering.vault.levels.memories import edit, forget, list_memories, read_memory
from treering.vault.levels.recall import recall
from treering.vault.levels.self_model import record_outcome, self_model
from treering.vault.levels.settings import change_settings, settings
from treering.vault.levels.tensions import change_tension, drop_tension, list_tensions, open_tension
from treering.vault.levels.turns import store, turn

Verb = Callable[[Context, Any, Caller], Any]

LEVEL_VERBS: dict[type[Request[Any]], Verb] = {
    ask.ContextRequest: context_block,
    ask.RecallRequest: recall,
    ask.TurnRequest: turn,
    ask.StoreRequest: store,
    ask.MemoriesRequest: list_memories,
    ask.MemoryRequest: read_memory,
    ask.EditRequest: edit,
    ask.ForgetRequest: forget,
    ask.TensionsRequest: list_tensions,
    ask.OpenTensionRequest: open_tension,
    ask.ChangeTensionRequest: change_tension,
    ask.DropTensionRequest: drop_tension,
    ask.SelfModelRequest: self_model,
    ask.OutcomeRequest: record_outcome,
    ask.LevelStatsRequest: level_stats,
    ask.AnalyticsRequest: analytics,
    ask.BuildsRequest: builds,
    ask.BuildRequest: build,
    ask.SettingsRequest: settings,
    ask.ChangeSettingsRequest: change_settings,
}
