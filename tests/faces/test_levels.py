"""The Levels API on the wire: camelCase, epoch milliseconds, exact statuses and shapes."""

from __future__ import annotations

from typing import Any

import pytest

from tests.faces.conftest import Wire
from tests.support.worlds import START
from treering.settings import Settings, level_settings_of, unknown_variables

AUTH = "The auth service listens on port 5433."
MEMORY = {
    "id", "content", "gist", "tier", "kind", "domains", "accessCount", "source", "createdAt",
    "lastAccessedAt",
}  # fmt: skip


def teach(wire: Wire, prefix: str = "/v1") -> dict[str, Any]:
    answer = wire.request("POST", f"{prefix}/memories", json={"items": [{"content": AUTH}]})
    assert answer.status_code == 201
    body: dict[str, Any] = answer.json()
    return body


@pytest.mark.promise("levels.wire")
@pytest.mark.parametrize("prefix", ["/v1", "/api/v1"])
def test_memories_are_camel_case_with_times_in_milliseconds(wire: Wire, prefix: str) -> None:
    body = teach(wire, prefix)
    assert body.keys() == {"stored", "mergedInto", "counts", "rejected"}
    assert body["counts"].keys() == {"stored", "merged", "rejected", "tensions", "promoted"}
    (memory,) = body["stored"]
    assert memory.keys() == MEMORY
    assert memory["createdAt"] >= START
    path = f"{prefix}/memories/{memory['id']}"
    assert wire.get(path).json() == memory
    listed = wire.get(f"{prefix}/memories?tier=L1&limit=5").json()
    assert (listed["memories"], listed["total"]) == ([memory], 1)
    patched = wire.request("PATCH", path, json={"tier": "L0"})
    assert (patched.status_code, patched.json()["tier"]) == (200, "L0")
    gone = wire.request("DELETE", path)
    assert (gone.status_code, gone.json()) == (200, {"deleted": True})
    missing = wire.get(path)
    assert (missing.status_code, missing.json()["resource"]) == (404, "memory")


@pytest.mark.promise("levels.wire")
def test_turns_context_and_recall_have_their_shapes(wire: Wire) -> None:
    turn = wire.request(
        "POST",
        "/api/v1/turns",
        json={"userMessage": AUTH, "assistantResponse": "ok", "sessionId": "s"},
    )
    assert turn.status_code == 200
    assert turn.json()["stored"][0].keys() == MEMORY | {"sessionId"}
    asked = wire.request(
        "POST", "/api/v1/turns", json={"userMessage": "Is it?", "assistantResponse": "Yes."}
    )
    assert asked.json()["learningSkipped"] == "question-turn"
    block = wire.request("POST", "/api/v1/context", json={"userMessage": "port 5433?"}).json()
    assert block.keys() == {"text", "entries", "totalTokens", "truncated", "candidates"}
    assert block["entries"][0].keys() == {"id", "tier", "reason", "gist", "body", "tokens"}
    index = wire.request("POST", "/v1/context", json={}).json()
    assert "body" not in index["entries"][0]
    found = wire.request("POST", "/v1/recall", json={"query": "auth port"}).json()
    assert found.keys() == {"results", "empty"}
    assert found["results"][0].keys() == {"memory", "score", "matched"}


@pytest.mark.promise("levels.wire")
def test_tensions_self_model_and_settings_have_their_shapes(wire: Wire) -> None:
    made = wire.request("POST", "/v1/tensions", json={"claimA": "A.", "claimB": "B."})
    assert made.status_code == 201
    row = made.json()
    assert row["claimA"].keys() == {"source", "statement", "timestamp"}
    assert {"id", "status", "impact", "actionableQuestion"} <= row.keys()
    resolved = wire.request("POST", f"/v1/tensions/{row['id']}", json={"resolvedBy": "Ada"})
    assert (resolved.status_code, resolved.json()["resolvedBy"]) == (200, "Ada")
    assert wire.get("/v1/tensions?status=resolved").json()["tensions"] == [resolved.json()]
    outcome = wire.request(
        "POST", "/v1/self-model/outcome", json={"domain": "billing", "success": False}
    )
    assert outcome.status_code == 200
    assert (
        outcome.json()
        == wire.get("/v1/self-model").json()
        == {
            "calibrationFactor": 1,
            "activeDomains": ["billing"],
            "domains": {
                "billing": {
                    "reliabilityScore": 0.533,
                    "sampleCount": 1,
                    "knownFailurePatterns": [],
                    "recommendedStrategies": [],
                }
            },
            "weakDomains": ["billing"],
        }
    )
    settings = wire.request("PUT", "/v1/settings", json={"maxTotalTokens": 50}).json()
    assert (settings["maxTotalTokens"], settings["effective"]["maxTotalTokens"]) == (50, 50)
    assert settings["maxIndexItems"] is None
    stats = wire.get("/v1/stats").json()
    assert stats.keys() == {"memories", "tensions", "weakDomains", "recent", "activeTensions"}
    assert wire.get("/v1/analytics?days=3").json()["days"] == 3
    assert wire.get("/v1/builds").json() == {"builds": []}


@pytest.mark.promise("levels.strict")
@pytest.mark.parametrize(
    ("method", "path", "body", "issue"),
    [
        ("POST", "/v1/context", {"user_message": "hi"}, "user_message: unknown field"),
        ("POST", "/v1/turns", {"userMessage": "hi"}, "assistantResponse: is required"),
        ("POST", "/v1/memories", {"items": [{"content": AUTH, "vault": 1}]}, "items[0].vault"),
        ("POST", "/v1/memories", {"items": [{"content": AUTH, "tier": "L0"}]}, "items[0].tier"),
        ("PATCH", "/v1/memories/x", {"level": "L1"}, "level: unknown field"),
        ("PATCH", "/v1/memories/x", {"id": "y"}, "id: unknown field"),
        ("GET", "/v1/memories?level=L1", None, "query.level: unknown parameter"),
        ("GET", "/v1/memories?limit=501", None, "limit"),
        ("GET", "/v1/tensions?status=done", None, "status"),
        ("POST", "/v1/tensions/x", {}, "body: send resolvedBy"),
        ("PUT", "/v1/settings", {"maxTotalTokens": "50"}, "maxTotalTokens"),
        ("GET", "/v1/analytics?days=0", None, "days"),
    ],
)
def test_what_is_not_known_is_refused_by_name(
    wire: Wire, method: str, path: str, body: dict[str, Any] | None, issue: str
) -> None:
    answer = wire.request(method, path, json=body) if body is not None else wire.get(path)
    assert answer.status_code == 400
    assert answer.json()["error"] == "InvalidRequest"
    assert any(found.startswith(issue) for found in answer.json()["issues"]), answer.text


@pytest.mark.promise("levels.health")
def test_health_shows_the_limits_in_force(wire: Wire) -> None:
    limits = wire.get("/api/v1/health").json()["limits"]
    assert (limits["maxTotalTokens"], limits["maxIndexItems"]) == (2000, 60)
    assert limits["defaultRecallLimit"] == 8


@pytest.mark.promise("levels.unusable-values")
def test_an_unusable_value_is_reported_and_stops_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TREERING_MAX_TOTAL_TOKENS", "plenty")
    monkeypatch.setenv("COGNITIVE_MEMORY_MAX_INDEX_ITEMS", "7")
    monkeypatch.setenv("COGNITIVE_MEMORY_DEFAULT_RECALL_LIMIT", "0")
    monkeypatch.setenv("COGNITIVE_MEMORY_MAX_TOKENS", "5")
    values, problems = level_settings_of(Settings())
    assert (values.max_total_tokens, values.max_index_items) == (2000, 7)
    assert values.default_recall_limit == 8
    assert [problem.split(":")[0] for problem in problems] == [
        "TREERING_MAX_TOTAL_TOKENS",
        "TREERING_DEFAULT_RECALL_LIMIT",
    ]
    assert "2,000 is used instead" in problems[0]
    assert "COGNITIVE_MEMORY_MAX_TOKENS" in unknown_variables()
    assert "COGNITIVE_MEMORY_MAX_INDEX_ITEMS" not in unknown_variables()
