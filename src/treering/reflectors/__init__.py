"""Reflectors: what writes the reflections, on the side of whoever holds the model.

The server hands out batches and instructions and never calls a model. `consolidate` drives the loop
with any `Reflector`: a provider's model, a program, or no model at all.
"""

from treering.reflectors.answer import UnusableAnswer, parse_answer
from treering.reflectors.base import ReflectionEntry, Reflector
from treering.reflectors.extractive import ExtractiveReflector
from treering.reflectors.loop import ConsolidationSummary, Progress, consolidate
from treering.reflectors.model import Model, ModelReflector, Rejected
from treering.reflectors.prompt import Prompt, prompt_of
from treering.reflectors.registry import CHOICES, open_reflector

__all__ = [
    "CHOICES",
    "ConsolidationSummary",
    "ExtractiveReflector",
    "Model",
    "ModelReflector",
    "Progress",
    "Prompt",
    "ReflectionEntry",
    "Reflector",
    "Rejected",
    "UnusableAnswer",
    "consolidate",
    "open_reflector",
    "parse_answer",
    "prompt_of",
]
