"""Bodies that no schema would write are refused by name, and nothing breaks."""

from __future__ import annotations

import json
from collections.abc import Iterator

import httpx2
import pytest

from tests.conftest import Server

JSON_PATHS = [
    "/v1/memory/ingest",
    "/v1/memory/search",
    "/v1/memory/prepare",
    "/v1/memory/date-search",
    "/v1/memory/inspect",
    "/v1/memory/consolidate/checkout",
    "/v1/memory/consolidate/commit",
    "/v1/memory/consolidate/revert",
    "/v1/memory/delete-ids",
    "/v1/keys",
]
BODIES = {
    "nothing": b"",
    "bad UTF-8": b'{"query": "\xff\xfe"}',
    "a lone byte": b"\x00",
    "deep nesting": b"[" * 100_000,
    "deep objects": b'{"a":' * 50_000,
    "not JSON": b"{query: 1}",
    "a list": b"[]",
    "a string": b'"query"',
    "null": b"null",
    "NaN": b'{"limit": NaN, "tier": NaN, "importance": NaN}',
    "infinity": b'{"limit": Infinity, "tier": -Infinity}',
    "a huge integer": b'{"limit": ' + b"9" * 10_000 + b"}",
    "a huge exponent": b'{"limit": 1e999999}',
    "an unknown field": b'{"user_id": "someone else"}',
}
FIELDS = [
    ("/v1/memory/search", {"query": "x"}, "limit", [True, 0, 1001, 1.5, "1", None, [], 10**30]),
    ("/v1/memory/search", {"query": "x"}, "tiers", [[], [0], [4], [True], ["1"], [1.0], 1, "1"]),
    ("/v1/memory/search", {"query": "x"}, "importance", [True, 0, 11, 7.5, "7"]),
    ("/v1/memory/search", {"query": "x"}, "session_only", [1, "true"]),
    ("/v1/memory/search", {}, "query", ["", "  ", 1, None, ["x"], "x" * 200_001]),
    ("/v1/memory/consolidate/checkout", {}, "tier", [True, 0, 3, "1", 1.0, None]),
    ("/v1/memory/consolidate/checkout", {"tier": 1}, "max_tokens", [True, "1000", 1000.5]),
    ("/v1/memory/delete-ids", {}, "ids", [[], ["x"] * 501, "x", [1], None]),
    ("/v1/memory/date-search", {}, "from", ["", "yesterday", "2026-13-01", 1, None, "2026-02-30"]),
    ("/v1/memory/date-search", {"from": "2026-01-01"}, "order", ["newest", 1]),
    ("/v1/memory/ingest", {}, "messages", [[], "x", [1], [{}], [{"role": "me", "content": "x"}]]),
]


@pytest.fixture(scope="module")
def client(server: Server) -> Iterator[httpx2.Client]:
    scopes = ["memories:read", "memories:write", "memories:reflect", "memories:delete"]
    headers = {
        "Authorization": f"Bearer {server.key([*scopes, 'keys:manage'])}",
        "Content-Type": "application/json",
    }
    with httpx2.Client(base_url=server.url, headers=headers) as opened:
        yield opened


@pytest.mark.parametrize("path", JSON_PATHS)
@pytest.mark.parametrize("name", BODIES)
def test_a_hostile_body_is_refused(client: httpx2.Client, path: str, name: str) -> None:
    answer = client.post(path, content=BODIES[name])
    assert answer.status_code == 400, answer.text
    body = answer.json()
    assert body["error"] == "InvalidRequest"
    assert body["issues"]
    assert all(": " in issue for issue in body["issues"])


@pytest.mark.parametrize(("path", "good", "field", "values"), FIELDS)
def test_a_wrong_value_is_refused_by_its_fields_name(
    client: httpx2.Client, path: str, good: dict[str, object], field: str, values: list[object]
) -> None:
    for value in values:
        answer = client.post(path, content=json.dumps({**good, field: value}))
        assert answer.status_code == 400, f"{field}={value!r}: {answer.text[:200]}"
        assert any(issue.startswith(field) for issue in answer.json()["issues"]), answer.text[:300]


def test_a_body_of_50_megabytes_is_refused_whether_it_says_so_or_not(
    client: httpx2.Client,
) -> None:
    whole = client.post("/v1/memory/ingest", content=b" " * 50_000_000)
    assert whole.status_code == 413
    assert whole.json()["limit"] == 32 << 20

    streamed = client.post("/v1/memory/ingest", content=(b" " * 1_000_000 for _ in range(50)))
    assert streamed.status_code == 413
    assert client.get("/health").json()["ok"]
