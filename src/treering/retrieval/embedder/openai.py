"""Any service that speaks OpenAI's `POST /embeddings`."""

import math
from collections.abc import Callable, Iterator, Sequence
from typing import Annotated

import httpx2
import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from treering.retrieval.embedder.base import EmbedderError, EmbedderSpec
from treering.retrieval.embedder.vectors import unit_rows
from treering.retrieval.embedder.wellformed import well_formed

_BATCH_TEXTS = 128
_BATCH_BYTES = 256_000  # at most as many tokens, under OpenAI's 300,000 a request
_RETRY_STATUSES = frozenset({429, 500, 502, 503, 504, 529})
_RETRY_WAIT_S = 0.5
_LONGEST_WAIT_S = 5.0
_DETAIL_CHARACTERS = 200
_PROBE = "dimensions"


class OpenAIEmbedder:
    """A model behind an OpenAI-compatible URL, recorded as "openai:<model>".

    Texts are cut to `spec.max_input_bytes` and sent in batches; a failure that may pass (no
    connection, 429, 5xx) is tried once more after at most 5 s. Redirects are not followed: they
    would take the key and the texts elsewhere. No error text holds the key.

    With `spec.dims` None the service is asked for them at once, by embedding a word.
    Raises ValueError for an unusable base_url or api_key, EmbedderError when asking fails.
    """

    def __init__(self, model: str, spec: EmbedderSpec, sleep: Callable[[float], None]) -> None:
        self.name = f"openai:{model}"
        self._model = model
        self._api_key = spec.api_key or ""
        self._max_input_bytes = spec.max_input_bytes
        self._sleep = sleep
        self._url = _endpoint(spec.base_url)
        self._client = httpx2.Client(
            headers=_headers(self._api_key),
            timeout=httpx2.Timeout(spec.timeout_s),
            follow_redirects=False,
        )
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
        self._client.close()

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
        if self._client.is_closed:
            raise EmbedderError("the embedder is closed")
        try:
            response = self._post(batch)
        except httpx2.RequestError as error:
            problem = type(error).__name__
            raise EmbedderError(f"{self.name} can't be reached ({problem})") from error
        if not response.is_success:
            raise EmbedderError(f"{self.name} answered {self._refusal(response)}")
        try:
            reply = _Reply.model_validate_json(response.content)
        except ValidationError as error:
            raise EmbedderError(f"{self.name} answered with something else") from error
        rows = sorted(reply.data, key=lambda row: row.index)
        if [row.index for row in rows] != list(range(len(batch))):
            raise EmbedderError(f"{self.name} did not answer with one vector a text")
        return [row.embedding for row in rows]

    def _post(self, batch: Sequence[str]) -> httpx2.Response:
        body = {"model": self._model, "input": batch}
        try:
            response = self._client.post(self._url, json=body)
        except httpx2.TransportError:
            wait = _RETRY_WAIT_S
        else:
            if response.status_code not in _RETRY_STATUSES:
                return response
            wait = _wait_asked_for(response)
        self._sleep(wait)
        return self._client.post(self._url, json=body)

    def _refusal(self, response: httpx2.Response) -> str:
        status = response.status_code
        if response.is_redirect:
            return f"{status}: redirects are not followed; configure the URL it points to"
        if status in (401, 403):
            return f"{status}: the API key is missing, wrong or not allowed this model"
        try:
            detail = _Failure.model_validate_json(response.content).error.message
        except ValidationError:
            return str(status)
        if self._api_key:
            detail = detail.replace(self._api_key, "[key]")
        return f"{status}: {detail[:_DETAIL_CHARACTERS]}"


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


class _Problem(BaseModel):
    model_config = _QUIET
    message: str


class _Failure(BaseModel):
    model_config = _QUIET
    error: _Problem


def _endpoint(base_url: str) -> httpx2.URL:
    try:
        base = httpx2.URL(base_url)
    except httpx2.InvalidURL as error:
        raise ValueError("the embedder's base URL is not a URL") from error
    if base.scheme not in ("http", "https") or not base.host or base.userinfo:
        raise ValueError("the embedder's base URL must be http(s)://host/…, without a user in it")
    return base.copy_with(path=base.path.rstrip("/") + "/embeddings")


def _headers(api_key: str) -> dict[str, str]:
    if not api_key:
        return {}
    # Refused here, because the HTTP library's own error would quote it.
    if not (api_key.isascii() and api_key.isprintable() and " " not in api_key):
        raise ValueError("the embedder's API key holds characters that no key has")
    return {"Authorization": f"Bearer {api_key}"}


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


def _wait_asked_for(response: httpx2.Response) -> float:
    """Seconds of Retry-After, within 0 to 5; a date or nonsense counts as no header."""
    try:
        asked = float(response.headers.get("Retry-After", _RETRY_WAIT_S))
    except ValueError:
        return _RETRY_WAIT_S
    return min(max(asked, 0.0), _LONGEST_WAIT_S) if math.isfinite(asked) else _RETRY_WAIT_S
