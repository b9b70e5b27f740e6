"""The adapter to fastembed, over a stand-in for the package."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from importlib import import_module
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from treering.retrieval.embedder import Embedder, EmbedderError, EmbedderSpec, open_embedder

Rows = Iterator[Any]
Made = list[str]


def runtime_failure() -> Exception:
    state: Any = import_module("onnxruntime.capi.onnxruntime_pybind11_state")
    failure: Exception = state.RuntimeException("out of memory")
    return failure


def lengths(texts: Sequence[str]) -> Rows:
    for text in texts:
        yield [len(text), 1.0, 0.0]


def failing(error: Exception) -> Callable[[Sequence[str]], Rows]:
    def rows(texts: Sequence[str]) -> Rows:
        yield [1.0, 0.0, 0.0]
        raise error

    return rows


@pytest.fixture
def made() -> Made:
    return []


@pytest.fixture
def opened(monkeypatch: pytest.MonkeyPatch, made: Made) -> Callable[..., Embedder]:
    """Opens an embedder whose model answers as told, or can't be loaded."""

    def open_with(
        answer: Callable[[Sequence[str]], Rows] = lengths, broken: Exception | None = None
    ) -> Embedder:
        class TextEmbedding:
            def __init__(self, model_name: str, *, threads: int) -> None:
                made.append(model_name)
                if broken is not None:
                    raise broken

            @staticmethod
            def list_supported_models() -> list[dict[str, Any]]:
                return [{"model": "m", "dim": 3}]

            def embed(self, documents: Sequence[str], batch_size: int) -> Rows:
                return answer(documents)

        module = SimpleNamespace(TextEmbedding=TextEmbedding)
        monkeypatch.setitem(sys.modules, "fastembed", module)
        return open_embedder(EmbedderSpec(name="fastembed:m"))

    return open_with


def test_rows_are_unit_vectors_and_the_model_is_loaded_once(
    opened: Callable[..., Embedder], made: Made
) -> None:
    embedder = opened()
    assert (embedder.name, embedder.dims, made) == ("fastembed:m", 3, [])
    vectors = embedder.embed(["abc", " ", "a\ud800"])
    np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), [1, 0, 1], rtol=1e-6)
    embedder.embed(["abc"])
    assert made == ["m"]


def test_an_unknown_model_lists_those_there_are(opened: Callable[..., Embedder]) -> None:
    opened()
    with pytest.raises(ValueError, match="no model 'other'; it has m"):
        open_embedder(EmbedderSpec(name="fastembed:other"))


@pytest.mark.parametrize("error", [OSError("no net"), ValueError("bad"), runtime_failure()])
def test_a_model_that_can_not_be_loaded_is_an_embedder_error(
    opened: Callable[..., Embedder], error: Exception
) -> None:
    with pytest.raises(EmbedderError, match="could not be loaded or downloaded") as caught:
        opened(broken=error).embed(["a"])
    assert caught.value.__cause__ is error


@pytest.mark.parametrize("error", [RuntimeError("threads"), runtime_failure()])
def test_a_failure_while_embedding_is_an_embedder_error(
    opened: Callable[..., Embedder], error: Exception
) -> None:
    with pytest.raises(EmbedderError, match="failed while embedding") as caught:
        opened(failing(error)).embed(["a", "b"])
    assert caught.value.__cause__ is error


@pytest.mark.parametrize("rows", [[[1.0, 0.0]], [[1.0, 0.0, 0.0]] * 2, [[1.0], [1.0, 2.0]]])
def test_an_answer_of_another_shape_is_an_embedder_error(
    opened: Callable[..., Embedder], rows: list[list[float]]
) -> None:
    with pytest.raises(EmbedderError, match="fastembed:m"):
        opened(lambda texts: iter(rows)).embed(["a"])


def test_a_closed_embedder_says_so_and_loads_nothing(
    opened: Callable[..., Embedder], made: Made
) -> None:
    embedder = opened()
    embedder.embed(["a"])
    embedder.close()
    embedder.close()
    with pytest.raises(EmbedderError, match="closed"):
        embedder.embed(["a"])
    assert made == ["m"]
