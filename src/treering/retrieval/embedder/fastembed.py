"""Models of the optional package fastembed, downloaded by it at first use."""

from collections.abc import Iterable, Sequence
from importlib import import_module
from threading import Lock
from typing import Any, Protocol, cast

import numpy as np
from numpy.typing import NDArray

from treering.retrieval.embedder.base import EmbedderError
from treering.retrieval.embedder.onnx_session import runtime_failures
from treering.retrieval.embedder.vectors import unit_rows
from treering.retrieval.embedder.wellformed import well_formed


class _TextEmbedding(Protocol):
    def embed(
        self, documents: Sequence[str], batch_size: int
    ) -> Iterable[NDArray[np.floating[Any]]]: ...


class _TextEmbeddingType(Protocol):
    def __call__(self, model_name: str, *, threads: int) -> _TextEmbedding: ...

    def list_supported_models(self) -> list[dict[str, Any]]: ...


class FastEmbedEmbedder:
    """A model that fastembed knows by name, recorded as "fastembed:<model>".

    Raises EmbedderError when fastembed is not installed, ValueError when it knows no such model.
    """

    def __init__(self, model: str, threads: int = 2) -> None:
        self._type = _text_embedding()
        known = {str(row["model"]): int(row["dim"]) for row in self._type.list_supported_models()}
        if model not in known:
            raise ValueError(f"fastembed has no model {model!r}; it has {', '.join(sorted(known))}")
        self.name = f"fastembed:{model}"
        self.dims = known[model]
        self._model_name = model
        self._threads = threads
        self._lock = Lock()
        self._closed = False
        self._model: _TextEmbedding | None = None
        self._failures: tuple[type[Exception], ...] = (
            OSError,
            ValueError,
            RuntimeError,
            *runtime_failures(),
        )

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Unit vectors, shape (len(texts), dims); a blank text gets zeros.

        Raises EmbedderError when the model can't be loaded or fails, and after `close`.
        """
        vectors = np.zeros((len(texts), self.dims), dtype=np.float32)
        fit = [well_formed(text) for text in texts]
        rows = [row for row, text in enumerate(fit) if text.strip()]
        if rows:
            vectors[rows] = unit_rows(self._vectors([fit[row] for row in rows]))
        return vectors

    def close(self) -> None:
        """Drop the model; a call already running in another thread ends normally."""
        with self._lock:
            self._closed = True
            self._model = None

    def _vectors(self, texts: Sequence[str]) -> NDArray[np.floating[Any]]:
        model = self._loaded()
        try:
            # Nothing is computed before the rows are asked for.
            found = np.array(list(model.embed(texts, batch_size=16)))
        except self._failures as error:
            raise EmbedderError(f"{self.name} failed while embedding") from error
        if found.shape != (len(texts), self.dims):
            raise EmbedderError(f"{self.name} did not answer with {self.dims} dimensions a text")
        return found

    def _loaded(self) -> _TextEmbedding:
        with self._lock:
            if self._closed:
                raise EmbedderError("the embedder is closed")
            if self._model is None:
                try:
                    self._model = self._type(self._model_name, threads=self._threads)
                except self._failures as error:
                    raise EmbedderError(f"{self.name} could not be loaded or downloaded") from error
            return self._model


def _text_embedding() -> _TextEmbeddingType:
    # Imported here, and by name, because it is optional: most installations don't have it.
    try:
        module = import_module("fastembed")
    except ImportError as error:
        raise EmbedderError(
            "fastembed is not installed: pip install treering[fastembed]"
        ) from error
    return cast(_TextEmbeddingType, module.TextEmbedding)
