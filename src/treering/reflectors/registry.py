"""Which reflector a name stands for."""

from __future__ import annotations

from collections.abc import Mapping

from treering.errors import InvalidRequest
from treering.reflectors import anthropic, openai
from treering.reflectors.base import Reflector
from treering.reflectors.command import CommandModel
from treering.reflectors.extractive import ExtractiveReflector
from treering.reflectors.model import ModelReflector
from treering.settings import Settings, embedder_of

_OFFLINE = {"embedder": "minilm-l6-v2", "embedder_dims": None}
CHOICES = ("extractive", "openai", "anthropic", "command:<program> <arguments>")


def open_reflector(
    name: str, *, model: str | None, environ: Mapping[str, str], settings: Settings
) -> Reflector:
    """The reflector of that name; raises InvalidRequest for an unknown one, or what it lacks.

    environ: read for OPENAI_BASE_URL, OPENAI_API_KEY, ANTHROPIC_BASE_URL, ANTHROPIC_API_KEY.
    settings: name the embedder that compares sentences for "extractive". The offline model stands
        in for one behind a URL, so that no text leaves the machine.
    """
    kind, _, command = name.partition(":")
    if name == "extractive":
        if settings.embedder.startswith("openai:"):
            settings = settings.model_copy(update=_OFFLINE)
        return ExtractiveReflector(embedder_of(settings))
    if kind == "command":
        return ModelReflector(CommandModel(command))
    if name not in ("openai", "anthropic"):
        raise InvalidRequest(f"with: is {name}; choose one of {', '.join(CHOICES)}")
    if not model:
        raise InvalidRequest(f"model: name the model that {name} is to use")
    if name == "openai":
        return ModelReflector(
            openai.OpenAIModel(
                model,
                base_url=environ.get("OPENAI_BASE_URL") or openai.BASE_URL,
                api_key=environ.get("OPENAI_API_KEY", ""),
            )
        )
    return ModelReflector(
        anthropic.AnthropicModel(
            model,
            base_url=environ.get("ANTHROPIC_BASE_URL") or anthropic.BASE_URL,
            api_key=environ.get("ANTHROPIC_API_KEY", ""),
        )
    )
