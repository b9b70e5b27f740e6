"""What only the wire shows: bytes, statuses, headers, and bodies that are none."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import httpx2
import pytest

from tests.faces.conftest import Wire
from treering.vault.vault import _VERBS

JSON = {"Content-Type": "application/json"}
MAX_BODY = 32 << 20


def said(text: str) -> dict[str, Any]:
    return {"messages": [{"role": "user", "content": text}]}


def issues(response: httpx2.Response) -> list[str]:
    assert response.status_code == 400
    body = response.json()
    assert body["error"] == "InvalidRequest"
    assert set(body) == {"error", "message", "issues"}
    assert body["message"].endswith("; ".join(body["issues"]))
    found: list[str] = body["issues"]
    return found


@pytest.mark.promise("ingest.status-202")
def test_ingest_answers_202_and_its_whole_shape(wire: Wire) -> None:
    response = wire.post("/v1/memory/ingest", said("hello"))
    assert response.status_code == 202
    assert set(response.json()) == {
        "status", "stored", "ids", "session_id", "pending_vectors", "reflection",
    }  # fmt: skip


@pytest.mark.promise("ingest.embedder-ignored")
def test_a_header_names_the_vaults_own_embedder(wire: Wire) -> None:
    body = {**said("hello"), "embeddings": "text-embedding-3-large", "model": "any"}
    headers = {"X-Embedding-Model": "text-embedding-3-large"}
    response = wire.post("/v1/memory/ingest", body, headers)
    assert (response.status_code, response.headers["X-Embedding-Model"]) == (202, "hash-384")


@pytest.mark.promise("sessions.header")
def test_a_session_comes_from_the_header_and_the_body_wins(wire: Wire) -> None:
    header = {"X-Session-ID": "from header"}
    assert (
        wire.post("/v1/memory/ingest", said("note a"), header).json()["session_id"] == "from header"
    )
    both = wire.post("/v1/memory/ingest", {**said("note b"), "session_id": "from body"}, header)
    assert both.json()["session_id"] == "from body"
    for session in ("from header", "from body"):
        asked = wire.post("/v1/memory/search", {"query": "note"}, {"X-Session-ID": session})
        assert asked.json()["memories"][0]["session_id"] == session


@pytest.mark.promise("ingest.idempotency-key")
def test_the_idempotency_key_is_a_header(wire: Wire) -> None:
    first = wire.post("/v1/memory/ingest", said("a"), {"Idempotency-Key": "k"})
    again = wire.post("/v1/memory/ingest", said("a"), {"Idempotency-Key": "k"})
    assert again.json()["ids"] == first.json()["ids"]
    other = wire.post("/v1/memory/ingest", said("b"), {"Idempotency-Key": "k"})
    assert (other.status_code, other.json()["error"]) == (409, "Conflict")


@pytest.mark.promise("checkout.empty")
def test_the_empty_checkout_is_these_very_bytes(wire: Wire) -> None:
    response = wire.post("/v1/memory/consolidate/checkout", {"tier": 1, "max_tokens": 50000})
    assert response.status_code == 200
    assert response.content == (b'{"batch_id":null,"count":0,"message":"nothing unconsolidated"}')


@pytest.mark.promise("checkout.reply", "checkout.no-ids")
def test_a_batch_has_the_fields_of_the_contract(wire: Wire) -> None:
    wire.post("/v1/memory/ingest", said("hello"))
    batch = wire.post("/v1/memory/consolidate/checkout", {"tier": 1}).json()
    assert set(batch) == {
        "batch_id", "tier", "count", "est_tokens", "covers", "lease_expires_at", "memories",
        "source_ids", "reflection_contract", "tier_definitions",
    }  # fmt: skip
    assert set(batch["covers"]) == {"from", "to"}
    assert [set(memory) for memory in batch["memories"]] == [{"text", "date"}]
    assert set(batch["reflection_contract"]) == {
        "version", "target_tier", "instructions", "entry_schema", "min_entries", "max_entries",
        "recommended_entries",
    }  # fmt: skip
    assert set(batch["tier_definitions"]) == {"target_tier", "instruction"}


@pytest.mark.promise("wipe.empty-session", "wipe.vault", "wipe.session")
def test_a_wipe_reads_the_session_from_its_header(wire: Wire) -> None:
    for session in ("a", "b"):
        wire.post("/v1/memory/ingest", {**said("hello"), "session_id": session})
    empty = wire.request("DELETE", "/v1/memory", {"X-Session-ID": ""})
    assert issues(empty)[0].startswith("X-Session-ID: ")
    one = wire.request("DELETE", "/v1/memory", {"X-Session-ID": "a"})
    assert (one.status_code, one.json()) == (200, {"deleted": 1})
    assert wire.request("DELETE", "/v1/memory").json() == {"deleted": 1}
    assert wire.get("/v1/memory/stats").json()["memories"] == 0, "the key works on"


@pytest.mark.promise("wipe.misplaced-filter")
def test_a_filter_in_the_wrong_place_never_wipes_the_vault(wire: Wire) -> None:
    wire.post("/v1/memory/ingest", said("hello"))
    refused = [
        wire.request("DELETE", "/v1/memory?session_id=a"),
        wire.request("DELETE", "/v1/memory", json={"session_id": "a"}),
        wire.request("DELETE", "/v1/memory", content=b"session_id=a"),
    ]
    assert all(issues(response) for response in refused)
    assert wire.get("/v1/memory/stats").json()["memories"] == 1


@pytest.mark.promise("errors.issues", "errors.unknown-field")
def test_issues_name_each_field_and_its_problem(wire: Wire) -> None:
    body = {"query": "x", "limit": 0, "user_id": "bob", "tiers": [1, 9]}
    found = issues(wire.post("/v1/memory/search", body))
    assert [issue.split(":")[0].split("[")[0] for issue in found] == ["limit", "tiers", "user_id"]
    entry = {"text": "x", "importance": 11}
    nested = issues(wire.post("/v1/memory/ingest", {"messages": [{"role": "king"}]}))
    assert [issue.split(":")[0] for issue in nested] == ["messages[0].role", "messages[0].content"]
    wire.post("/v1/memory/ingest", said("hello"))
    batch = wire.post("/v1/memory/consolidate/checkout", {"tier": 1}).json()["batch_id"]
    late = wire.post("/v1/memory/consolidate/commit", {"batch_id": batch, "entries": [entry]})
    assert issues(late)[0].startswith("entries[0].importance: ")


BROKEN = {
    "cut short": b'{"query": "x',
    "not json": b"query=x",
    "empty": b"",
    "an array": b'["x"]',
    "a number": b"5",
    "not utf-8": b'{"query": "\xff"}',
    "nested deeply": b'{"query": ' + b"[" * 100_000 + b"]" * 100_000 + b"}",
    "a number of 5,000 digits": b'{"query": "x", "limit": ' + b"9" * 5000 + b"}",
    "nan": b'{"query": "x", "limit": NaN}',
    "infinity": b'{"query": "x", "importance": -Infinity}',
    "twice a wrong field": b'{"query": "x", "\\ud800": 1}',
}


@pytest.mark.promise("errors.broken-bodies")
@pytest.mark.parametrize("body", BROKEN.values(), ids=BROKEN)
def test_a_broken_body_is_the_callers_mistake(wire: Wire, body: bytes) -> None:
    assert issues(wire.request("POST", "/v1/memory/search", JSON, content=body))


@pytest.mark.promise("errors.any-text")
def test_an_error_shows_any_text_again(wire: Wire) -> None:
    body = b'{"memory_id": "half \\ud83d of an emoji"}'
    response = wire.request("POST", "/v1/memory/inspect", JSON, content=body)
    assert response.status_code == 404
    assert json.loads(response.content)["id"] == "half \ud83d of an emoji"


@pytest.mark.promise("errors.405")
def test_another_method_is_refused_as_json(wire: Wire) -> None:
    response = wire.get("/v1/memory/search")
    assert (response.status_code, response.headers["Allow"]) == (405, "POST")
    assert response.json()["error"] == "InvalidRequest"


@pytest.mark.promise("errors.404")
def test_an_unknown_path_is_not_found_as_json(wire: Wire) -> None:
    response = wire.get("/v1/nowhere")
    assert response.status_code == 404
    assert response.json() | {"message": ""} == {
        "error": "NotFound", "message": "", "resource": "path", "id": "/v1/nowhere",
    }  # fmt: skip


def streamed(size: int) -> Iterator[bytes]:
    yield b'{"query": "'
    for _ in range(size >> 20):
        yield b"x" * (1 << 20)
    yield b'"}'


@pytest.mark.promise("errors.body-limit")
@pytest.mark.parametrize("path", ["/v1/memory/search", "/v1/memory/upload"])
def test_a_body_over_the_limit_is_refused_declared_or_streamed(wire: Wire, path: str) -> None:
    for content in (b"x" * (MAX_BODY + 1), streamed(MAX_BODY)):
        response = wire.request("POST", path, JSON, content=content)
        assert (response.status_code, response.json()["limit"]) == (413, MAX_BODY)
        assert response.json()["error"] == "PayloadTooLarge"


@pytest.mark.promise("upload.streamed")
def test_an_upload_may_come_in_any_pieces(wire: Wire) -> None:
    text = "日本語 👩‍👩‍👧‍👦 " * 50
    line = json.dumps({"content": text}, ensure_ascii=False).encode() + b"\r\n"
    whole = line + b"\n" + line.rstrip()
    pieces = (whole[start : start + 7] for start in range(0, len(whole), 7))
    response = wire.request("POST", "/v1/memory/upload", content=pieces)
    assert response.json()["stats"] == {"total": 2, "processed": 2, "known": 0, "failed": 0}
    found = wire.post("/v1/memory/search", {"query": "日本語"}).json()["memories"]
    assert [row["content"] for row in found] == [text, text]


@pytest.mark.promise("upload.line-limit")
def test_too_many_lines_are_refused_before_they_are_all_read(wire: Wire) -> None:
    response = wire.request("POST", "/v1/memory/upload", content=b'{"content": "ok"}\n' * 10_001)
    assert (response.status_code, response.json()["limit"]) == (413, 10_000)
    exactly = wire.request("POST", "/v1/memory/upload", content=b"\n" * 9_999 + b'{"content":"x"}')
    assert exactly.json()["stats"]["processed"] == 1


@pytest.mark.promise("errors.500")
def test_a_failure_of_ours_shows_an_id_and_nothing_internal(
    wire: Wire, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def fail(*_: object) -> None:
        raise RuntimeError("the secret is 4711")

    monkeypatch.setattr("treering.vault.vault._VERBS", dict.fromkeys(_VERBS, fail))
    response = wire.get("/v1/memory/stats")
    assert response.status_code == 500
    body = response.json()
    assert set(body) == {"error", "message", "id"}
    assert body["error"] == "StorageFailure"
    assert "4711" not in response.text
    (logged,) = [line for line in caplog.messages if body["id"] in line]
    assert "the secret is 4711" in logged
    assert wire.key not in logged, "a traceback shows no values"


@pytest.mark.promise("search.fields-of-the-wire")
def test_a_search_row_leaves_out_what_it_has_not(wire: Wire) -> None:
    wire.post("/v1/memory/ingest", said("hello"))
    (row,) = wire.post("/v1/memory/search", {"query": "hello"}).json()["memories"]
    assert set(row) == {"id", "content", "role", "kind", "tier", "level", "date", "score"}
