"""A reflector that asks a model: prompt out, answer in, one more chance when it can't be used."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from treering.errors import ModelFailure
from treering.reflectors.answer import UnusableAnswer, parse_answer
from treering.reflectors.base import ReflectionEntry
from treering.reflectors.prompt import Prompt, correction, prompt_of
from treering.replies import Batch


@dataclass(frozen=True, slots=True)
class Rejected:
    """An answer that could not be used, and what the model is told about it."""

    answer: str
    correction: str


class Model(Protocol):
    """Anything that answers a prompt with text."""

    def answer(self, prompt: Prompt, rejected: Rejected | None = None) -> str:
        """The model's answer, to `rejected` when it is given; raises ModelFailure."""
        ...

    def describe(self) -> str:
        """One sentence for a person: which model this is, and where."""
        ...


class ModelReflector:
    """Reflections written by a model."""

    def __init__(self, model: Model) -> None:
        self._model = model

    def reflect(self, batch: Batch) -> list[ReflectionEntry]:
        """The model's entries for `batch`.

        An answer that can't be used is asked for once more, with its problem named. Raises
        ModelFailure after that; then nothing is committed and the batch's lease lapses.
        """
        prompt = prompt_of(batch)
        answer = self._model.answer(prompt)
        try:
            return parse_answer(answer)
        except UnusableAnswer as problem:
            rejected = Rejected(answer, correction(str(problem)))
        try:
            return parse_answer(self._model.answer(prompt, rejected))
        except UnusableAnswer as problem:
            raise ModelFailure(
                f"The model's answer could not be used twice in a row: {problem}. Nothing was "
                "stored; the batch can be checked out again when its lease lapses, within 15 "
                "minutes. Try another model or smaller batches."
            ) from problem

    def describe(self) -> str:
        """One sentence for a person: which model writes the reflections."""
        return self._model.describe()
