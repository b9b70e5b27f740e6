"""Embedders: texts to unit vectors."""

from treering.retrieval.embedder.base import Embedder, EmbedderError, EmbedderSpec
from treering.retrieval.embedder.registry import open_embedder

__all__ = ["Embedder", "EmbedderError", "EmbedderSpec", "open_embedder"]
