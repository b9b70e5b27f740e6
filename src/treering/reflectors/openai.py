"""Any service that speaks OpenAI's `POST /chat/completions`, a local Ollama included."""

from __future__ import annotations

from pydantic import BaseModel, Field, ValidationError

from treering.errors import ModelFailure
from treering.reflectors.model import Rejected
from treering.reflectors.prompt import Prompt
from treering.reflectors.service import ModelService, checked_key

BASE_URL = "https://api.openai.com/v1"


class OpenAIModel:
    """A model behind an OpenAI-compatible base URL, which ends where `/chat/completions` begins."""

    def __init__(self, model: str, *, base_url: str = BASE_URL, api_key: str = "") -> None:
        self._model = model
        key = checked_key("OPENAI_API_KEY", api_key)
        self._service = ModelService(
            base_url,
            "/chat/completions",
            key,
            {"Authorization": f"Bearer {key}"} if key else {},
        )

    def answer(self, prompt: Prompt, rejected: Rejected | None = None) -> str:
        """The text of the first choice; raises ModelFailure."""
        messages = [
            {"role": "system", "content": prompt.instructions},
            {"role": "user", "content": prompt.memories},
        ]
        if rejected is not None:
            messages += [
                {"role": "assistant", "content": rejected.answer},
                {"role": "user", "content": rejected.correction},
            ]
        body = self._service.post({"model": self._model, "messages": messages})
        try:
            choice = _Completion.model_validate(body).choices[0]
        except ValidationError:
            raise ModelFailure(f"{self._service.url} did not answer with a choice.") from None
        if choice.finish_reason == "length":
            raise ModelFailure("The model's answer was cut off; try smaller batches.")
        return choice.message.content or ""

    def describe(self) -> str:
        """Which model this is, and where."""
        return f"{self._model} at {self._service.url} writes the reflections."


class _Message(BaseModel):
    content: str | None = None


class _Choice(BaseModel):
    message: _Message
    finish_reason: str | None = None


class _Completion(BaseModel):
    choices: list[_Choice] = Field(min_length=1)
