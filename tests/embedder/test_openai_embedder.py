import socket
import traceback
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import replace

import numpy as np
import pytest

from tests.embedder.embedding_service import Answer, Service, embedding_service
from treering.retrieval.embedder import Embedder, EmbedderError, EmbedderSpec, open_embedder

KEY = "sk-very-secret-123"

Open = Callable[..., Embedder]


@pytest.fixture
def service(monkeypatch: pytest.MonkeyPatch) -> Iterator[Service]:
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    with embedding_service() as running:
        yield running


@pytest.fixture
def waits() -> list[float]:
    return []


@pytest.fixture
def spec(service: Service) -> EmbedderSpec:
    return EmbedderSpec(name="openai:m", dims=4, base_url=service.base_url, api_key=KEY)


@pytest.fixture
def embedder(spec: EmbedderSpec, waits: list[float]) -> Iterator[Embedder]:
    with closing(open_embedder(spec, sleep=waits.append)) as opened:
        yield opened


def row(index: int, embedding: object) -> dict[str, object]:
    return {"index": index, "embedding": embedding}


def test_rows_are_unit_vectors_in_the_order_asked(embedder: Embedder, service: Service) -> None:
    vectors = embedder.embed(["abc", "abcdef"])
    assert (embedder.name, embedder.dims) == ("openai:m", 4)
    assert vectors.dtype == np.float32
    expected = [[3, 1, 0, 0], [6, 1, 0, 0]] / np.sqrt([[10.0], [37.0]])
    np.testing.assert_allclose(vectors, expected, rtol=1e-6)
    assert service.requests == [{"model": "m", "input": ["abc", "abcdef"]}]
    assert service.paths == ["/v1/embeddings"]
    assert service.authorizations == [f"Bearer {KEY}"]


@pytest.mark.parametrize("key", [None, ""])
def test_without_a_key_no_authorization_is_sent(
    spec: EmbedderSpec, service: Service, key: str | None
) -> None:
    with closing(open_embedder(replace(spec, api_key=key))) as embedder:
        embedder.embed(["a"])
    assert service.authorizations == [None]


def test_a_slash_and_a_query_in_the_base_url_are_kept_right(
    spec: EmbedderSpec, service: Service
) -> None:
    url = f"{service.base_url}/?version=1"
    with closing(open_embedder(replace(spec, base_url=url))) as embedder:
        embedder.embed(["a"])
    assert service.paths == ["/v1/embeddings?version=1"]


def test_blank_texts_are_not_sent_and_are_zeros(embedder: Embedder, service: Service) -> None:
    vectors = embedder.embed(["", "abc", " \n", "\0"])
    assert service.inputs == [["abc"]]
    assert vectors.any(axis=1).tolist() == [False, True, False, False]
    assert embedder.embed([]).shape == (0, 4)
    assert embedder.embed([""]).shape == (1, 4)
    assert len(service.requests) == 1


def test_many_texts_go_in_batches(embedder: Embedder, service: Service) -> None:
    texts = ["x" * (1 + number % 9) for number in range(300)]
    vectors = embedder.embed(texts)
    assert [len(batch) for batch in service.inputs] == [128, 128, 44]
    np.testing.assert_allclose(vectors[:, 0] / vectors[:, 1], list(map(len, texts)), rtol=1e-5)


def test_long_texts_are_cut_and_a_request_stays_small(embedder: Embedder, service: Service) -> None:
    embedder.embed(["漢" * 300_000, *["x" * 9_000] * 40])
    assert service.inputs[0][0] == "漢" * 2_666
    assert {len(text) for batch in service.inputs for text in batch[-1:]} == {8_000}
    assert [len(batch) for batch in service.inputs] == [32, 9]


def test_hostile_text_is_sent_as_valid_unicode(embedder: Embedder, service: Service) -> None:
    embedder.embed(["a\ud800b\0c", "\ud83d\ude00"])
    assert service.inputs == [["a\ufffdb c", "😀"]]


@pytest.mark.parametrize(
    ("answer", "wait"),
    [
        (Answer(429), 0.5),
        (Answer(429, headers={"Retry-After": "2"}), 2.0),
        (Answer(503, headers={"Retry-After": "3600"}), 5.0),
        (Answer(503, headers={"Retry-After": "-1"}), 0.0),
        (Answer(503, headers={"Retry-After": "nan"}), 0.5),
        (Answer(503, headers={"Retry-After": "Wed, 21 Oct 2026 07:28:00 GMT"}), 0.5),
        (Answer(500), 0.5),
        (Answer(0), 0.5),
    ],
)
def test_a_passing_failure_is_tried_once_more(
    embedder: Embedder, service: Service, waits: list[float], answer: Answer, wait: float
) -> None:
    service.planned = [answer]
    assert embedder.embed(["abc"]).any()
    assert waits == [wait]
    assert service.inputs == [["abc"], ["abc"]]


@pytest.mark.parametrize("status", [429, 500, 0])
def test_two_failures_are_an_error(
    embedder: Embedder, service: Service, waits: list[float], status: int
) -> None:
    service.planned = [Answer(status)] * 2
    with pytest.raises(EmbedderError, match=r"openai:m (answered|can't be reached)"):
        embedder.embed(["abc"])
    assert len(service.requests) == 2
    assert len(waits) == 1


@pytest.mark.parametrize("status", [400, 401, 403, 404, 422])
def test_a_refusal_is_not_tried_again_and_hides_the_key(
    embedder: Embedder, service: Service, status: int
) -> None:
    message = "x" * 190 + f" wrong key {KEY} for this"
    service.planned = [Answer(status, {"error": {"message": message}})]
    with pytest.raises(EmbedderError, match=f"answered {status}") as caught:
        embedder.embed(["abc"])
    assert len(service.requests) == 1
    assert "sk-" not in "".join(traceback.format_exception(caught.value))


def test_a_refusal_is_quoted(embedder: Embedder, service: Service) -> None:
    service.planned = [Answer(404, {"error": {"message": "no model m; pull it first"}})]
    with pytest.raises(EmbedderError, match="answered 404: no model m; pull it first"):
        embedder.embed(["abc"])


def test_redirects_are_not_followed(embedder: Embedder, service: Service) -> None:
    service.planned = [Answer(307, headers={"Location": f"{service.base_url}/elsewhere"})]
    with pytest.raises(EmbedderError, match="redirects are not followed"):
        embedder.embed(["abc"])
    assert service.paths == ["/v1/embeddings"]


@pytest.mark.parametrize(
    "body",
    [
        b"<html>",
        b"\xff\xfe",
        [],
        {"data": []},
        {"data": [row(0, [1, 2, 3, 4])] * 2},
        {"data": [row(1, [1, 2, 3, 4])]},
        {"data": [row(0, [])]},
        {"data": [row(0, [1, 2, 3, "words of a person"])]},
        {"data": [row(0, [1, 2, 3, float("nan")])]},
        {"data": [row(0, [1, 2, 3, 1e300])]},
        {"data": [row(0, [1, 2, 3])]},
        {"data": [row(0, [1, 2, 3, 4, 5])]},
    ],
)
def test_an_answer_of_no_use_is_an_error(
    embedder: Embedder, service: Service, body: object
) -> None:
    service.planned = [Answer(body=body)]
    with pytest.raises(EmbedderError, match=r"openai:m (answered with|did not answer)") as caught:
        embedder.embed(["abc"])
    assert "person" not in "".join(traceback.format_exception(caught.value))


def test_other_dimensions_name_both_numbers(embedder: Embedder, service: Service) -> None:
    service.planned = [Answer(body={"data": [row(0, [1, 0]), row(1, [1, 0, 0, 0])]})]
    with pytest.raises(EmbedderError, match="2 dimensions where 4 are configured"):
        embedder.embed(["a", "b"])


def test_a_second_vector_of_other_dimensions_is_refused(
    embedder: Embedder, service: Service
) -> None:
    service.planned = [Answer(body={"data": [row(0, [1, 0, 0, 0]), row(1, [1, 0])]})]
    with pytest.raises(EmbedderError, match="2 dimensions where 4 are configured"):
        embedder.embed(["a", "b"])


def test_a_silent_service_is_an_error(monkeypatch: pytest.MonkeyPatch, waits: list[float]) -> None:
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    with socket.create_server(("127.0.0.1", 0)) as silent:
        url = f"http://127.0.0.1:{silent.getsockname()[1]}/v1"
        spec = EmbedderSpec(name="openai:m", dims=4, base_url=url, timeout_s=0.05)
        with (
            closing(open_embedder(spec, sleep=waits.append)) as embedder,
            pytest.raises(EmbedderError, match="ReadTimeout") as caught,
        ):
            embedder.embed(["abc"])
    assert caught.value.__cause__ is not None
    assert waits == [0.5]


def test_dimensions_are_asked_for_where_none_are_configured(
    spec: EmbedderSpec, service: Service
) -> None:
    with closing(open_embedder(replace(spec, dims=None))) as embedder:
        assert embedder.dims == 4
    service.planned = [Answer(400)]
    with pytest.raises(EmbedderError, match="answered 400"):
        open_embedder(replace(spec, dims=None))


@pytest.mark.parametrize(
    "url",
    [
        "",
        "ftp://host/v1",
        "localhost:11434",
        "http://",
        "http://u:p@host/v1",
        "http://host:port/v1",
    ],
)
def test_an_unusable_base_url_is_refused(url: str) -> None:
    with pytest.raises(ValueError, match="base URL"):
        open_embedder(EmbedderSpec(name="openai:m", dims=4, base_url=url))


@pytest.mark.parametrize("key", ["sk-a\nb", "sk-ключ", "sk-a b"])
def test_an_unusable_key_is_refused_and_not_quoted(key: str) -> None:
    with pytest.raises(ValueError, match="API key") as caught:
        open_embedder(EmbedderSpec(name="openai:m", dims=4, api_key=key))
    assert "sk-" not in str(caught.value)


def test_threads_share_one_embedder(embedder: Embedder) -> None:
    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(embedder.embed, [["a", "abc"]] * 16))
    assert all(np.array_equal(vectors, found[0]) for vectors in found)


def test_a_closed_embedder_says_so(spec: EmbedderSpec) -> None:
    embedder = open_embedder(spec)
    embedder.close()
    embedder.close()
    with pytest.raises(EmbedderError, match="closed"):
        embedder.embed(["abc"])
