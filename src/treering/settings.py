"""Every setting: its name, default and meaning, read once from the environment."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

from platformdirs import user_data_path
from pydantic import Field
from pydantic_settings import BaseSettings, SettingsConfigDict

from treering.errors import InvalidRequest
from treering.retrieval.embedder import Embedder, EmbedderSpec, open_embedder

PREFIX = "TREERING_"
_CLIENT_VARIABLES = frozenset({"TREERING_URL", "TREERING_KEY", "TREERING_VAULT"})
"""Read by the command line as defaults of its options, not settings of a server."""


def _default_data_dir() -> Path:
    return user_data_path("treering", appauthor=False)


class Settings(BaseSettings):
    """What an operator can set, each as `TREERING_<NAME>`."""

    model_config = SettingsConfigDict(env_prefix=PREFIX, frozen=True, extra="forbid")

    data_dir: Path = Field(
        default_factory=_default_data_dir,
        description="Folder that holds control.db and the vaults.",
    )
    host: str = Field(default="127.0.0.1", description="Address the server listens on.")
    port: int = Field(default=8787, ge=0, le=65535, description="Port the server listens on.")
    embedder: str = Field(
        default="minilm-l6-v2",
        description="Embedding model: minilm-l6-v2 (offline), hash-384 (no meaning, for tests), "
        "openai:<model> or fastembed:<model>.",
    )
    embedder_url: str = Field(
        default="https://api.openai.com/v1",
        description="Base URL of the OpenAI-compatible /embeddings for openai:<model>.",
    )
    embedder_api_key: str = Field(default="", description="API key for openai:<model>.", repr=False)
    embedder_dims: int | None = Field(
        default=None,
        ge=8,
        le=4096,
        description="Dimensions of an openai: or fastembed: model's vector; unset: found out.",
    )
    index_memory_mb: int = Field(
        default=2048,
        ge=16,
        description="Ceiling for the indexes of open vaults; the least recently used is dropped.",
    )
    max_body_mb: int = Field(default=32, ge=1, description="Largest request body, in MiB.")
    log_level: str = Field(default="info", description="debug, info, warning or error.")


def unknown_variables(environ: Mapping[str, str] | None = None) -> list[str]:
    """`TREERING_*` variables that no setting reads: most likely misspelt."""
    known = {PREFIX + name.upper() for name in Settings.model_fields} | _CLIENT_VARIABLES
    names = os.environ if environ is None else environ
    return sorted(name for name in names if name.startswith(PREFIX) and name not in known)


def embedder_of(settings: Settings) -> Embedder:
    """The embedder that the settings name; raises InvalidRequest for one that there is not."""
    spec = EmbedderSpec(
        name=settings.embedder,
        dims=settings.embedder_dims,
        base_url=settings.embedder_url,
        api_key=settings.embedder_api_key or None,
    )
    try:
        return open_embedder(spec)
    except ValueError as error:
        raise InvalidRequest(f"TREERING_EMBEDDER: {error}") from None
