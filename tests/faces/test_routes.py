"""Every route: its key, its scopes, and what the OpenAPI document says of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import httpx2
import pytest

from tests.faces.conftest import SCOPES, Wire

OPEN = {"/health", "/v1/health", "/api/v1/health"}
UNUSUAL = {"400", "401", "403", "413", "500", "503"}


@dataclass(frozen=True)
class Call:
    """One operation of the document, with its own example as the body."""

    method: str
    path: str
    operation: dict[str, Any]

    @property
    def name(self) -> str:
        return f"{self.method} {self.path}"

    def sent_with(self, wire: Wire) -> httpx2.Response:
        path = self.path.replace("{key_id}", "unknown").replace("{id}", "unknown")
        content = self.operation.get("requestBody", {}).get("content", {})
        if "text/plain" in content:
            return wire.request(self.method, path, content=content["text/plain"]["example"])
        examples = content.get("application/json", {}).get("examples")
        body = examples["typical"]["value"] if examples else None
        return wire.request(self.method, path, json=body)


def calls(wire: Wire) -> list[Call]:
    paths = wire.get("/openapi.json").json()["paths"]
    return [
        Call(method.upper(), path, operation)
        for path, operations in paths.items()
        for method, operation in operations.items()
    ]


MEMORY = {
    "POST /v1/memory/ingest": ["memories:write"],
    "POST /v1/memory/upload": ["memories:write"],
    "POST /v1/memory/search": ["memories:read"],
    "POST /v1/memory/prepare": ["memories:read"],
    "POST /v1/memory/date-search": ["memories:read"],
    "POST /v1/memory/inspect": ["memories:read"],
    "POST /v1/memory/warmup": ["memories:read"],
    "GET /v1/memory/stats": ["stats:read"],
    "POST /v1/memory/consolidate/checkout": ["memories:reflect"],
    "POST /v1/memory/consolidate/commit": ["memories:reflect"],
    "POST /v1/memory/consolidate/revert": ["memories:reflect", "memories:delete"],
    "POST /v1/memory/delete-ids": ["memories:delete"],
    "DELETE /v1/memory": ["memories:delete"],
    "GET /v1/account/usage": ["stats:read"],
    "POST /v1/keys": ["keys:manage"],
    "GET /v1/keys": ["keys:manage"],
    "DELETE /v1/keys/{key_id}": ["keys:manage"],
}
LEVELS = {
    "POST /context": ["memories:read"],
    "POST /recall": ["memories:read"],
    "POST /turns": ["memories:write"],
    "POST /memories": ["memories:write"],
    "GET /memories": ["memories:read"],
    "GET /memories/{id}": ["memories:read"],
    "PATCH /memories/{id}": ["memories:write"],
    "DELETE /memories/{id}": ["memories:delete"],
    "GET /tensions": ["memories:read"],
    "POST /tensions": ["memories:write"],
    "POST /tensions/{id}": ["memories:write"],
    "DELETE /tensions/{id}": ["memories:write"],
    "GET /self-model": ["memories:read"],
    "POST /self-model/outcome": ["memories:write"],
    "GET /stats": ["stats:read"],
    "GET /analytics": ["stats:read"],
    "GET /builds": ["memories:read"],
    "GET /builds/{id}": ["memories:read"],
    "GET /settings": ["keys:manage"],
    "PUT /settings": ["keys:manage"],
}
NEEDED = MEMORY | {
    call.replace(" ", f" {prefix}"): scopes
    for prefix in ("/v1", "/api/v1")
    for call, scopes in LEVELS.items()
}
"""The scopes of every operation that needs a key."""
CREATED = {
    "POST /v1/memory/ingest": "202",
    "POST /v1/keys": "201",
    **{
        f"POST {prefix}/{name}": "201"
        for prefix in ("/v1", "/api/v1")
        for name in ("memories", "tensions")
    },
}
"""What answers with another status than 200."""


@pytest.mark.promise("scopes.every-route")
def test_every_route_is_refused_without_one_of_its_scopes(wire: Wire) -> None:
    walked = [call for call in calls(wire) if call.path not in OPEN]
    assert {call.name for call in walked} == set(NEEDED)
    for call in walked:
        for scope in NEEDED[call.name]:
            others = [each for each in SCOPES if each != scope]
            response = call.sent_with(wire.with_key(wire.server.key(others)))
            assert response.status_code == 403, call.name
            assert response.json()["error"] == "Forbidden"
            assert response.json()["requiredScope"] == scope


@pytest.mark.promise("scopes.every-route")
def test_every_route_is_open_to_its_scopes_alone(wire: Wire) -> None:
    for call in calls(wire):
        needed = NEEDED.get(call.name, ["stats:read"])
        response = call.sent_with(wire.with_key(wire.server.key(needed)))
        assert response.status_code in (200, 201, 202, 404), f"{call.name}: {response.text}"


@pytest.mark.promise("scopes.every-route", "errors.401")
def test_every_route_needs_a_key(wire: Wire, anyone: httpx2.Client) -> None:
    for call in calls(wire):
        response = call.sent_with(wire.with_key("mk_unknown"))
        assert response.status_code == (200 if call.path in OPEN else 401), call.name


@pytest.mark.promise("openapi.examples")
def test_every_body_has_an_example(wire: Wire) -> None:
    for call in calls(wire):
        content = call.operation.get("requestBody", {}).get("content", {})
        if call.name == "DELETE /v1/memory" or not content:
            continue
        (media,) = content.values()
        assert media.get("example") or media.get("examples"), call.name


@pytest.mark.promise("openapi.statuses")
def test_every_status_is_documented(wire: Wire) -> None:
    for call in calls(wire):
        documented = set(call.operation["responses"])
        assert "422" not in documented, "nothing answers 422 here"
        if call.path not in OPEN:
            assert documented >= UNUSUAL, call.name
        assert CREATED.get(call.name, "200") in documented, call.name
    by_name = {call.name: set(call.operation["responses"]) for call in calls(wire)}
    assert {"404", "409"} <= by_name["POST /v1/memory/consolidate/commit"]
    assert "404" in by_name["POST /v1/memory/inspect"]
    assert "409" in by_name["POST /v1/memory/ingest"]


@pytest.mark.promise("openapi.keys")
def test_the_document_names_the_three_headers_of_a_key(wire: Wire) -> None:
    schemes = wire.get("/openapi.json").json()["components"]["securitySchemes"]
    named = {scheme.get("name", scheme.get("scheme")) for scheme in schemes.values()}
    assert named == {"x-api-key", "X-Memory-Key", "bearer"}


@pytest.mark.promise("health.shape")
@pytest.mark.parametrize("path", sorted(OPEN))
def test_health_answers_anyone(anyone: httpx2.Client, path: str) -> None:
    response = anyone.get(path)
    assert response.status_code == 200
    health = response.json()
    assert (health["ok"], health["service"], health["problems"]) == (True, "treering", [])
    assert (health["extractor"], health["pending_vectors"]) == ("rules-only", 0)
    assert health["version"]
    limits = health["limits"]
    assert (limits["messageCharacters"], limits["uploadLines"]) == (200_000, 10_000)


@pytest.mark.promise("ingest.idempotency-key")
def test_what_honours_an_idempotency_key_says_so_and_nothing_else_does(wire: Wire) -> None:
    def declares(call: Call) -> bool:
        return any(each["name"].lower() == "idempotency-key" for each in parameters(call))

    def parameters(call: Call) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = call.operation.get("parameters", [])
        return found

    honouring = {"POST /v1/memory/ingest", "POST /v1/turns", "POST /api/v1/turns"}
    assert {call.name for call in calls(wire) if declares(call)} == honouring
    blank = {"Idempotency-Key": ""}
    assert wire.request("GET", "/v1/memory/stats", blank).status_code == 200
    turn = {"userMessage": "hi", "assistantResponse": "hello"}
    assert wire.post("/v1/turns", turn, blank).status_code == 400
