"""Every setting: its name, default and meaning, read once from the environment."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any
from urllib.parse import urlsplit

from platformdirs import user_data_path
from pydantic import AfterValidator, AliasChoices, BeforeValidator, Field, ValidationError
from pydantic_settings import BaseSettings, SettingsConfigDict

from treering.errors import InvalidRequest
from treering.level_settings import DEFAULTS, over
from treering.logs import LogLevel
from treering.replies import LevelSettings
from treering.requests import issues_of
from treering.requests.levels import MAX_BUDGET, MAX_INDEX_ITEMS, MAX_RECALLED
from treering.retrieval.embedder import Embedder, EmbedderSpec, open_embedder

PREFIX = "TREERING_"
ALIAS_PREFIX = "COGNITIVE_MEMORY_"
"""The second seed's own, read for the values of the levels."""
_CLIENT_VARIABLES = frozenset({"TREERING_URL", "TREERING_KEY", "TREERING_VAULT"})
"""Read by the command line as defaults of its options, not settings of a server."""


_LEVEL_RANGES = {
    "max_total_tokens": (0, MAX_BUDGET),
    "max_index_items": (0, MAX_INDEX_ITEMS),
    "default_recall_limit": (1, MAX_RECALLED),
}
_SHOWN_CHARACTERS = 40


_LOOPBACK = re.compile(r"(localhost|127\.0\.0\.1|\[::1\])(:[0-9]{1,5})?", re.IGNORECASE)


def is_loopback(host: str) -> bool:
    """Whether the `host:port` of a URL or of a Host header is of this computer itself."""
    return _LOOPBACK.fullmatch(host) is not None


def _level_value(name: str, description: str) -> Any:
    """A field that any value fits: one that can't be used is reported and never stops a start."""
    return Field(
        default=getattr(DEFAULTS, name),
        validation_alias=AliasChoices(PREFIX.lower() + name, ALIAS_PREFIX.lower() + name),
        description=description,
        union_mode="left_to_right",
    )


def _default_data_dir() -> Path:
    return user_data_path("treering", appauthor=False)


def _lower(value: object) -> object:
    return value.lower() if isinstance(value, str) else value


def _checked_origin(url: str) -> str:
    """An origin without its last slash, or nothing; raises ValueError."""
    if not url:
        return ""
    parts = urlsplit(url)
    secure = parts.scheme == "https" or (parts.scheme == "http" and is_loopback(parts.netloc))
    if not secure or not parts.hostname or parts.username is not None:
        raise ValueError("must be https://, or http:// on localhost")
    if parts.path not in ("", "/") or parts.query or parts.fragment:
        raise ValueError("must be an address without a path, such as https://memory.example.com")
    return f"{parts.scheme}://{parts.netloc}".lower()


class Settings(BaseSettings):
    """What an operator can set, each as `TREERING_<NAME>`; one set to nothing counts as not set."""

    model_config = SettingsConfigDict(
        env_prefix=PREFIX, env_ignore_empty=True, frozen=True, extra="forbid", validate_by_name=True
    )

    data_dir: Path = Field(
        default_factory=_default_data_dir,
        description="Folder that holds control.db and the vaults.",
    )
    host: str = Field(default="127.0.0.1", description="Address the server listens on.")
    port: int = Field(default=8787, ge=0, le=65535, description="Port the server listens on.")
    public_url: Annotated[str, AfterValidator(_checked_origin)] = Field(
        default="",
        description="Where others reach the server, as https://memory.example.com; remote programs "
        "sign in by it. Unset, they can on this computer alone.",
    )
    trusted_proxies: str = Field(
        default="",
        description="Addresses of reverse proxies, comma-separated, whose X-Forwarded-For says who "
        "calls; unset, the caller is whoever connects.",
    )
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
    log_level: Annotated[LogLevel, BeforeValidator(_lower)] = Field(
        default="info", description="debug, info, warning or error."
    )
    max_total_tokens: int | str = _level_value(
        "max_total_tokens", "Budget of the levels block in tokens; what is pinned is sent whatever."
    )
    max_index_items: int | str = _level_value(
        "max_index_items", "How many memories of L1 the levels block lists at the most."
    )
    default_recall_limit: int | str = _level_value(
        "default_recall_limit", "How many memories /recall returns unless asked for more or fewer."
    )


def load_settings(**changes: Any) -> Settings:
    """The settings of the environment with `changes`; raises InvalidRequest for unusable values."""
    try:
        return Settings(**changes)
    except ValidationError as error:
        raise InvalidRequest(*(PREFIX + _upper_name(issue) for issue in issues_of(error))) from None


def _upper_name(issue: str) -> str:
    name, colon, problem = issue.partition(":")
    return name.upper() + colon + problem


def unknown_variables(environ: Mapping[str, str] | None = None) -> list[str]:
    """`TREERING_*` and `COGNITIVE_MEMORY_*` variables that no setting reads: perhaps misspelt."""
    known = {PREFIX + name.upper() for name in Settings.model_fields} | _CLIENT_VARIABLES
    known |= {ALIAS_PREFIX + name.upper() for name in _LEVEL_RANGES}
    names = os.environ if environ is None else environ
    prefixes = (PREFIX, ALIAS_PREFIX)
    return sorted(
        name
        for name, value in names.items()
        if value and name.startswith(prefixes) and name not in known
    )


def level_settings_of(settings: Settings) -> tuple[LevelSettings, list[str]]:
    """What the deployment sets for the levels, and which values can't be used.

    The default stands in for such a value, and the server runs on.
    """
    usable: dict[str, int] = {}
    problems: list[str] = []
    for name, (least, most) in _LEVEL_RANGES.items():
        given = getattr(settings, name)
        if isinstance(given, int) and least <= given <= most:
            usable[name] = given
            continue
        problems.append(
            f"{PREFIX}{name.upper()}: {str(given)[:_SHOWN_CHARACTERS]!r} is no whole number from "
            f"{least:,} to {most:,}; {getattr(DEFAULTS, name):,} is used instead"
        )
    return over(DEFAULTS, usable), problems


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
