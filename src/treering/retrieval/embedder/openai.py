"""Any service that speaks OpenAI's `POST /embeddings`."""

from collections.abc import Callable, Iterator, Sequence
from typing import Annotated

import httpx2
import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from treering.outbound import Patience, Service, ServiceError, checked_key, endpoint
from treering.retrieval.embedder.base import EmbedderError, EmbedderSpec
from treering.retrieval.embedder.vectors import unit_rows
from treering.retrieval.embedder.wellformed import well_formed

_BATCH_TEXTS = 128
_BATCH_BYTES = 256_000  # at most as many tokens, under OpenAI's 300,000 a request
_RETRY_WAIT_S = 0.5
_LONGEST_WAIT_S = 5.0
_PROBE = "dimensions"


class OpenAIEmbedder:
    """A model behind an OpenAI-compatible URL, recorded as "openai:<model>".

    Texts are cut to `spec.max_input_bytes` and sent in batches; a failure that may pass is tried
    once more after at most 5 s. No error text holds the key.

    With `spec.dims` None the service is asked for them at once, by embedding a word.
    Raises ValueError for an unusable base_url or api_key, EmbedderError when asking fails.
    """

    def __init__(self, model: str, spec: EmbedderSpec, sleep: Callable[[float], None]) -> None:
        self.name = f"openai:{model}"
        self._model = model
        self._max_input_bytes = spec.max_input_bytes
        self._service = _service(spec, sleep)
        self.dims = spec.dims or 0
        if not spec.dims:
            self.dims = self._probed_dims()

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Unit vectors, shape (len(texts), dims); a blank text is not sent and gets zeros.

        Raises EmbedderError when the service can't be reached, refuses, or answers with another
        number of vectors or dimensions, and after `close`.
        """
        vectors = np.zeros((len(texts), self.dims), dtype=np.float32)
        for rows, batch in _batches(self._sendable(text) for text in texts):
            found = self._answer(batch)
            for vector in found:
                if len(vector) != self.dims:
                    raise EmbedderError(
                        f"{self.name} answered with {len(vector)} dimensions where {self.dims} "
                        "are configured; set the dimensions to the model's own"
                    )
            vectors[rows] = unit_rows(np.array(found))
        return vectors

    def close(self) -> None:
        """Close the connections."""
        self._service.close()

    def _probed_dims(self) -> int:
        try:
            return len(self._answer([_PROBE])[0])
        except EmbedderError:
            self.close()
            raise

    def _sendable(self, text: str) -> str:
        cut = well_formed(text).encode()[: self._max_input_bytes]
        return cut.decode(errors="ignore")

    def _answer(self, batch: Sequence[str]) -> list[list[float]]:
        if self._service.is_closed:
            raise EmbedderError("the embedder is closed")
        try:
            content = self._service.post({"model": self._model, "input": batch})
        except ServiceError as error:
            raise EmbedderError(f"{self.name} {error}") from error
        try:
            reply = _Reply.model_validate_json(content)
        except ValidationError as error:
            raise EmbedderError(f"{self.name} answered with something else") from error
        rows = sorted(reply.data, key=lambda row: row.index)
        if [row.index for row in rows] != list(range(len(batch))):
            raise EmbedderError(f"{self.name} did not answer with one vector a text")
        return [row.embedding for row in rows]


# An error's text must not quote what a service sent, which may be a person's words.
_QUIET = ConfigDict(hide_input_in_errors=True)


class _Row(BaseModel):
    model_config = _QUIET
    index: int
    embedding: Annotated[
        list[Annotated[float, Field(allow_inf_nan=False, ge=-1e6, le=1e6)]], Field(min_length=1)
    ]


class _Reply(BaseModel):
    model_config = _QUIET
    data: list[_Row]


def _service(spec: EmbedderSpec, sleep: Callable[[float], None]) -> Service:
    try:
        url = endpoint(spec.base_url, "/embeddings")
    except ValueError as error:
        raise ValueError(f"the embedder's base URL {error}") from error
    try:
        key = checked_key(spec.api_key or "")
    except ValueError as error:
        raise ValueError(f"the embedder's API key {error}") from None
    headers = {"Authorization": f"Bearer {key}"} if key else {}
    patience = Patience(
        httpx2.Timeout(spec.timeout_s), _RETRY_WAIT_S, _LONGEST_WAIT_S, retries_timeouts=True
    )
    return Service(url, key, headers, patience, sleep)


def _batches(texts: Iterator[str]) -> Iterator[tuple[list[int], list[str]]]:
    """Rows and their texts, blank ones left out, within the limits of one request."""
    rows: list[int] = []
    batch: list[str] = []
    size = 0
    for row, text in enumerate(texts):
        if not text.strip():
            continue
        length = len(text.encode())
        if batch and (len(batch) == _BATCH_TEXTS or size + length > _BATCH_BYTES):
            yield rows, batch
            rows, batch, size = [], [], 0
        rows.append(row)
        batch.append(text)
        size += length
    if batch:
        yield rows, batch
