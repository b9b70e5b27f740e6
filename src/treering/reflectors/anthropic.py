"""Claude, by Anthropic's `POST /v1/messages`."""

from __future__ import annotations

from pydantic import BaseModel, ValidationError

from treering.errors import InvalidRequest, ModelFailure
from treering.reflectors.model import Rejected
from treering.reflectors.prompt import Prompt
from treering.reflectors.service import ModelService, checked_key

BASE_URL = "https://api.anthropic.com"
_VERSION = "2023-06-01"
_MAX_TOKENS = 8_192


class AnthropicModel:
    """A model behind Anthropic's API or another base URL that speaks it."""

    def __init__(self, model: str, *, base_url: str = BASE_URL, api_key: str) -> None:
        if not api_key:
            raise InvalidRequest("ANTHROPIC_API_KEY: is not set")
        self._model = model
        key = checked_key("ANTHROPIC_API_KEY", api_key)
        self._service = ModelService(
            base_url,
            "/v1/messages",
            key,
            {"x-api-key": key, "anthropic-version": _VERSION},
        )

    def answer(self, prompt: Prompt, rejected: Rejected | None = None) -> str:
        """The text of the answer; raises ModelFailure."""
        messages = [{"role": "user", "content": prompt.memories}]
        # The API refuses a blank turn, and there is nothing to correct in one.
        if rejected is not None and rejected.answer.strip():
            messages += [
                {"role": "assistant", "content": rejected.answer.rstrip()},
                {"role": "user", "content": rejected.correction},
            ]
        body = self._service.post(
            {
                "model": self._model,
                "max_tokens": _MAX_TOKENS,
                "system": prompt.instructions,
                "messages": messages,
            }
        )
        try:
            reply = _Reply.model_validate(body)
        except ValidationError:
            raise ModelFailure(f"{self._service.url} did not answer with a message.") from None
        if reply.stop_reason == "max_tokens":
            raise ModelFailure("The model's answer was cut off; try smaller batches.")
        return "".join(part.text for part in reply.content if part.type == "text")

    def describe(self) -> str:
        """Which model this is, and where."""
        return f"{self._model} at {self._service.url} writes the reflections."


class _Part(BaseModel):
    type: str
    text: str = ""


class _Reply(BaseModel):
    content: list[_Part]
    stop_reason: str | None = None
