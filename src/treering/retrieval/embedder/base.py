"""What an embedder is, how one is asked for, and how one fails."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from treering.errors import NotReady

DEFAULT_BASE_URL = "https://api.openai.com/v1"


class EmbedderError(NotReady):
    """The embedding model or service can't be used now."""


class Embedder(Protocol):
    """Texts to unit vectors. Safe to call from several threads at once."""

    @property
    def name(self) -> str:
        """What a vault records, so that two models' vectors are never mixed."""
        ...

    @property
    def dims(self) -> int:
        """The length of every vector."""
        ...

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """One row a text, shape (len(texts), dims), each row of L2 norm 1.

        A text in which the embedder finds nothing to embed gets a row of zeros. Any str will
        do: NULs and lone surrogates are replaced for the embedding alone.

        Raises EmbedderError, with the failure beneath as its cause.
        """
        ...

    def close(self) -> None:
        """Let go of the model or the connections. Closing twice does nothing."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class EmbedderSpec:
    """What it takes to open an embedder; each kind reads the fields that it needs.

    name: "minilm-l6-v2", "hash-<dims>", "openai:<model>" or "fastembed:<model>".
    dims: the number expected, or None: then a service is asked, and a model knows its own.
    base_url, api_key, timeout_s: of the service, for "openai:…"; timeout_s bounds each wait.
    max_input_bytes: longer texts are cut to it, as UTF-8, for "openai:…". A byte-level token is
        at least one byte, so 8,000 keeps within OpenAI's 8,191 tokens whatever the script.
    model_path: another place of the same model.onnx, for "minilm-l6-v2".
    threads: of one model run, in this process.
    """

    name: str
    dims: int | None = None
    base_url: str = DEFAULT_BASE_URL
    api_key: str | None = field(default=None, repr=False)
    timeout_s: float = 10.0
    max_input_bytes: int = 8_000
    model_path: Path | None = None
    threads: int = 2
