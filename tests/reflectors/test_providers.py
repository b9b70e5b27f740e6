"""OpenAI's and Anthropic's formats, against a service on this machine."""

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import pytest

from tests.reflectors.batches import batch_of
from tests.reflectors.model_service import ModelStub, model_service
from treering.errors import InvalidRequest, ModelFailure
from treering.reflectors import Reflector, open_reflector
from treering.settings import Settings

KEY = "sk-test-secret"
GOOD = json.dumps({"entries": [{"text": "Ines chose SQLite.", "importance": 7}]})
BATCH = batch_of(["Ines: I want SQLite.", "Noted."])


@dataclass(frozen=True)
class Provider:
    """A provider's name, and how it wraps a model's text."""

    name: str
    path: str
    wrap: Callable[..., dict[str, Any]]

    def open(self, url: str, key: str = KEY) -> Reflector:
        base = f"{url}/v1" if self.name == "openai" else url
        variables = {
            f"{self.name.upper()}_BASE_URL": base,
            f"{self.name.upper()}_API_KEY": key,
        }
        return open_reflector(
            self.name, model="m-1", environ=variables, settings=Settings(embedder="hash-384")
        )


def choices(text: str | None, stopped: str = "stop") -> dict[str, Any]:
    return {"id": "x", "choices": [{"message": {"content": text}, "finish_reason": stopped}]}


def parts(text: str | None, stopped: str = "end_turn") -> dict[str, Any]:
    thought = {"type": "thinking", "thinking": "hm"}
    return {"content": [thought, {"type": "text", "text": text or ""}], "stop_reason": stopped}


PROVIDERS = [
    Provider("openai", "/v1/chat/completions", choices),
    Provider("anthropic", "/v1/messages", parts),
]


@pytest.fixture
def stub() -> Iterator[ModelStub]:
    with model_service() as service:
        yield service


@pytest.fixture(params=PROVIDERS, ids=lambda provider: provider.name)
def provider(request: pytest.FixtureRequest) -> Provider:
    found: Provider = request.param
    return found


def test_instructions_and_memories_go_out_and_entries_come_back(
    stub: ModelStub, provider: Provider
) -> None:
    stub.plan(200, provider.wrap(GOOD))
    assert provider.open(stub.url).reflect(BATCH) == json.loads(GOOD)["entries"]
    asked = stub.asked[0]
    assert asked.path == provider.path
    assert asked.body["model"] == "m-1"
    sent = json.dumps(asked.body)
    assert not any(source_id in sent for source_id in (*BATCH.source_ids, BATCH.batch_id))
    if provider.name == "openai":
        assert asked.headers["authorization"] == f"Bearer {KEY}"
        system, user = asked.body["messages"]
        assert system["content"] == BATCH.reflection_contract.instructions
    else:
        assert asked.headers["x-api-key"] == KEY
        assert asked.body["system"] == BATCH.reflection_contract.instructions
        [user] = asked.body["messages"]
    assert "Ines: I want SQLite." in user["content"]


def test_a_bad_answer_is_sent_back_with_its_problem(stub: ModelStub, provider: Provider) -> None:
    stub.plan(200, provider.wrap("[]"))
    stub.plan(200, provider.wrap(f"```json\n{GOOD}\n```"))
    assert len(provider.open(stub.url).reflect(BATCH)) == 1
    *_, answer, correction = stub.asked[1].body["messages"]
    assert (answer["role"], answer["content"]) == ("assistant", "[]")
    assert "at least 1" in correction["content"]


@pytest.mark.parametrize("first", [(503, b"busy"), (429, {}), (0, None)])
def test_a_failure_that_may_pass_is_tried_once_more(
    stub: ModelStub, provider: Provider, first: tuple[int, object]
) -> None:
    stub.plan(*first, Retry_After="0")
    stub.plan(200, provider.wrap(GOOD))
    assert len(provider.open(stub.url).reflect(BATCH)) == 1


@pytest.mark.parametrize(
    ("status", "body", "named"),
    [
        (401, {"error": {"message": f"bad key {KEY}"}}, "API key"),
        (404, {"error": {"message": f"no model m-1 for {KEY}"}}, r"no model m-1 for \[key\]"),
        (302, b"", "redirects are not followed"),
        (200, b"<html>", "did not answer with JSON"),
        (200, {"choices": []}, "did not answer with a"),
    ],
)
def test_a_refusal_is_a_model_failure_without_the_key(
    stub: ModelStub, provider: Provider, status: int, body: object, named: str
) -> None:
    stub.plan(status, body, Location="http://elsewhere.invalid/")
    with pytest.raises(ModelFailure, match=named) as failed:
        provider.open(stub.url).reflect(BATCH)
    assert KEY not in str(failed.value)
    assert len(stub.asked) == 1


def test_an_answer_that_was_cut_off_is_named_so(stub: ModelStub, provider: Provider) -> None:
    stopped = "length" if provider.name == "openai" else "max_tokens"
    stub.plan(200, provider.wrap(GOOD[:20], stopped))
    with pytest.raises(ModelFailure, match="cut off; try smaller batches"):
        provider.open(stub.url).reflect(BATCH)


def test_a_service_that_is_not_there_is_a_model_failure(provider: Provider) -> None:
    with pytest.raises(ModelFailure, match="can't be reached"):
        provider.open("http://127.0.0.1:9").reflect(BATCH)


@pytest.mark.parametrize("url", ["ftp://host", "http://", "http://u:p@host", "http://host:port"])
def test_a_base_url_that_can_be_none_is_refused(provider: Provider, url: str) -> None:
    with pytest.raises(InvalidRequest, match="the model's base URL"):
        provider.open(url)


def test_a_query_in_the_base_url_is_kept(stub: ModelStub) -> None:
    stub.plan(200, choices(GOOD))
    variables = {"OPENAI_BASE_URL": f"{stub.url}/v1/?version=1"}
    settings = Settings(embedder="hash-384")
    open_reflector("openai", model="m", environ=variables, settings=settings).reflect(BATCH)
    assert stub.asked[0].path == "/v1/chat/completions?version=1"


def test_a_key_that_can_be_none_is_refused_without_being_shown(provider: Provider) -> None:
    with pytest.raises(InvalidRequest) as refused:
        provider.open("http://127.0.0.1:9", key="sk secret\n")
    assert "secret" not in str(refused.value)


def test_ollama_needs_no_key(stub: ModelStub) -> None:
    stub.plan(200, choices(GOOD))
    assert PROVIDERS[0].open(stub.url, key="").reflect(BATCH)
    assert "authorization" not in stub.asked[0].headers


@pytest.mark.parametrize(
    ("name", "model", "named"),
    [
        ("openai", None, "model"),
        ("anthropic", "m-1", "ANTHROPIC_API_KEY"),
        ("oracle", "m-1", "choose one of extractive, openai"),
        ("command:", None, "command"),
    ],
)
def test_what_is_missing_is_named(name: str, model: str | None, named: str) -> None:
    with pytest.raises(InvalidRequest, match=named):
        open_reflector(name, model=model, environ={}, settings=Settings(embedder="hash-384"))
