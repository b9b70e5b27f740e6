"""Which embedder a name stands for."""

import re
import time
from collections.abc import Callable

from treering.retrieval.embedder.base import Embedder, EmbedderSpec

# A kind's libraries take 0.05 to 0.4 s to import, so each is imported where it is opened: a
# process pays for the one it uses.

CHOICES = ("minilm-l6-v2", "hash-<dims>", "openai:<model>", "fastembed:<model>")

_HASH_NAME = re.compile(r"hash-(\d{1,5})", re.ASCII)


def open_embedder(spec: EmbedderSpec, sleep: Callable[[float], None] = time.sleep) -> Embedder:
    """The embedder of that name; a model is loaded when first used, not here.

    sleep: how to wait before a service is tried again, in seconds.
    Raises ValueError for an unknown name or values it can't have; EmbedderError for a package
    that is not installed or a service that must be asked for its dimensions and can't be.
    """
    embedder = _opened(spec, sleep)
    if spec.dims is not None and embedder.dims != spec.dims:
        embedder.close()
        raise ValueError(f"{spec.name} has {embedder.dims} dimensions, not {spec.dims}")
    return embedder


def _opened(spec: EmbedderSpec, sleep: Callable[[float], None]) -> Embedder:
    kind, _, model = spec.name.partition(":")
    hashed = _HASH_NAME.fullmatch(spec.name)
    if spec.name == "minilm-l6-v2":
        # Only the embedder that is used is imported: each needs packages that others do without.
        from treering.retrieval.embedder.minilm import MiniLmEmbedder  # noqa: PLC0415

        return MiniLmEmbedder(spec.model_path, spec.threads)
    if hashed is not None:
        from treering.retrieval.embedder.hashing import HashEmbedder  # noqa: PLC0415

        return HashEmbedder(int(hashed[1]))
    if kind == "openai" and model:
        from treering.retrieval.embedder.openai import OpenAIEmbedder  # noqa: PLC0415

        return OpenAIEmbedder(model, spec, sleep)
    if kind == "fastembed" and model:
        from treering.retrieval.embedder.fastembed import FastEmbedEmbedder  # noqa: PLC0415

        return FastEmbedEmbedder(model, spec.threads)
    raise ValueError(f"unknown embedder {spec.name!r}; choose one of {', '.join(CHOICES)}")
