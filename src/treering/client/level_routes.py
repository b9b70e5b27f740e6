"""Where a server serves the Levels API's verbs; `{id}` stands for the request's own."""

from __future__ import annotations

from typing import Any

from treering import replies, requests
from treering.client.route import Route
from treering.requests import Request

_MEMORY, _TENSION, _BUILD = "/v1/memories/{id}", "/v1/tensions/{id}", "/v1/builds/{id}"

LEVEL_ROUTES: dict[type[Request[Any]], Route] = {
    requests.ContextRequest: Route("POST", "/v1/context", replies.ContextReply),
    requests.RecallRequest: Route("POST", "/v1/recall", replies.RecallReply),
    requests.TurnRequest: Route("POST", "/v1/turns", replies.LearnedReply),
    requests.StoreRequest: Route("POST", "/v1/memories", replies.LearnedReply),
    requests.MemoriesRequest: Route("GET", "/v1/memories", replies.MemoriesReply),
    requests.MemoryRequest: Route("GET", _MEMORY, replies.LeveledMemory, "memory"),
    requests.EditRequest: Route("PATCH", _MEMORY, replies.LeveledMemory, "memory"),
    requests.ForgetRequest: Route("DELETE", _MEMORY, replies.DeletedReply, "memory"),
    requests.TensionsRequest: Route("GET", "/v1/tensions", replies.TensionsReply),
    requests.OpenTensionRequest: Route("POST", "/v1/tensions", replies.TensionReply),
    requests.ChangeTensionRequest: Route("POST", _TENSION, replies.TensionReply, "tension"),
    requests.DropTensionRequest: Route("DELETE", _TENSION, replies.DeletedReply, "tension"),
    requests.SelfModelRequest: Route("GET", "/v1/self-model", replies.SelfModelReply),
    requests.OutcomeRequest: Route("POST", "/v1/self-model/outcome", replies.SelfModelReply),
    requests.LevelStatsRequest: Route("GET", "/v1/stats", replies.LevelStatsReply),
    requests.AnalyticsRequest: Route("GET", "/v1/analytics", replies.AnalyticsReply),
    requests.BuildsRequest: Route("GET", "/v1/builds", replies.BuildsReply),
    requests.BuildRequest: Route("GET", _BUILD, replies.BuildReply, "build"),
    requests.SettingsRequest: Route("GET", "/v1/settings", replies.SettingsReply),
    requests.ChangeSettingsRequest: Route("PUT", "/v1/settings", replies.SettingsReply),
}
