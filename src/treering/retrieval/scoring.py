"""Every memory's score for one question: the signals of `signals.py`, computed and added up."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from treering.retrieval.contents import Contents
from treering.retrieval.signals import (
    Flags,
    Floats,
    Weights,
    around,
    best_of_conversation,
    inverse_document_frequency,
    neighbours,
    relative,
    saturation,
    spread,
)
from treering.retrieval.vectors import cosines

_MOST_TERMS = 64
_UNKNOWN = -2.0


@dataclass(frozen=True, slots=True)
class Question:
    """What is scored for: hashed terms, a unit vector [dims], the session it is asked in."""

    terms: NDArray[np.uint32]
    vector: Floats | None
    session: int | None


@dataclass(frozen=True, slots=True)
class Scored:
    """Scores of all memories: `fused` [slots] is the sum of the signals.

    `by_slot` holds signals [slots] and `by_place` signals [places of `Turns`]. `passages`
    [passages] tells a memory's own passages apart.
    """

    fused: Floats
    matched: Flags
    passages: Floats
    by_slot: Mapping[str, Floats]
    by_place: Mapping[str, Floats]

    def signals(self, slots: NDArray[np.intp], places: NDArray[np.intp]) -> dict[str, Floats]:
        """Return each signal of the memories at these slots, which are at these places."""
        signals = {name: signal[slots] for name, signal in self.by_slot.items()}
        return signals | {name: signal[places] for name, signal in self.by_place.items()}


@dataclass(frozen=True, slots=True)
class _Words:
    """BM25 of passages, telling terms around places, and whose speaker is named."""

    passages: Floats
    window: Floats
    speaker: Flags


@dataclass(frozen=True, slots=True)
class _Meaning:
    """Standardised cosines (of a passage without a vector: far below all), and which memories'
    cosines are above the floor."""

    passages: Floats
    memories: Floats
    close: Flags


def score(contents: Contents, question: Question, weights: Weights) -> Scored:
    """Score every memory for a question."""
    memories, turns = contents.memories, contents.turns
    words = _match_words(contents, question.terms)
    meaning = _match_meaning(contents, question.vector, weights.cosine_floor)
    by_word = words.passages * relative(weights.words, words.passages.max(initial=0))
    worded = contents.best_passages(by_word)
    spoken = words.speaker * np.float32(weights.speaker)
    alone = meaning.memories + worded

    window = words.window * relative(weights.window, words.window.max(initial=0))
    scores = (alone + spoken).take(turns.slots)
    scores += window
    lifted = neighbours(scores, turns, weights)
    scores += lifted
    prior = best_of_conversation(scores, turns) * np.float32(weights.conversation)
    scores += prior
    fused = np.zeros(len(memories), np.float32)
    fused[turns.slots] = scores

    by_slot = {"vector": meaning.memories, "words": worded, "speaker": spoken}
    by_place = {"window": window, "neighbours": lifted, "conversation": prior}
    for name, lift in (
        ("session", _session_lift(contents, question.session, weights)),
        ("lineage", _lineage_lift(contents, alone, weights)),
        ("reflection", _reflection_lift(contents, weights)),
    ):
        if lift is not None:
            by_slot[name] = lift
            fused += lift
    matched = meaning.close | (worded > 0)
    if len(contents.statements):
        by_slot["statement"] = _fold_statements(contents, fused, matched)
    return Scored(fused, matched, by_word + meaning.passages, by_slot, by_place)


def _match_words(contents: Contents, terms: NDArray[np.uint32]) -> _Words:
    """Match terms against passages, and against every memory with the turns beside it.

    Of a query of very many terms only the most telling are looked at.
    """
    memories, memory, turns = contents.memories, contents.passages["memory"], contents.turns
    scores = np.zeros(len(memory), np.float32)
    window = np.zeros(len(turns.slots), np.float32)
    named = np.zeros(len(memories), np.bool_)
    found = sorted(_held(contents, terms), key=lambda each: each[0], reverse=True)
    for weight, term, held, counts in found[:_MOST_TERMS]:
        idf = np.float32(weight)
        scores[held] += saturation(counts, contents.norms.take(held)) * idf
        holders = held if contents.one_passage_each else memory[held]
        here = np.zeros(len(window), np.bool_)
        here[turns.places.take(holders)] = True
        window += around(here, turns) * idf
        named |= memories["speaker"] == term
    return _Words(scores, window, named)


def _held(
    contents: Contents, terms: NDArray[np.uint32]
) -> Iterator[tuple[float, np.uint32, NDArray[np.intp], Floats]]:
    """Yield (idf, term, passages, counts) of the terms that living passages hold."""
    for term in terms:
        held, counts = contents.postings.find(term)
        if contents.documents < len(contents.live):
            alive = np.flatnonzero(contents.live.take(held))
            held, counts = held[alive], counts[alive]
        if len(held):
            yield inverse_document_frequency(len(held), contents.documents), term, held, counts


def _match_meaning(contents: Contents, vector: Floats | None, floor: float) -> _Meaning:
    """Compare passages and memories, in deviations from the mean cosine of raw memories.

    What has no vector is neither near nor far: 0.
    """
    memories, passages = contents.memories, contents.passages
    if vector is None:
        nothing = np.zeros(len(memories), np.float32)
        return _Meaning(np.zeros(len(passages), np.float32), nothing, nothing > 0)
    near = cosines(vector, passages["vector"], passages["inverse_norm"])
    near[contents.unknown] = _UNKNOWN
    nearest = contents.best_passages(near)
    mean, deviation = spread(nearest, contents.raw)
    unknown = np.flatnonzero(nearest == _UNKNOWN)
    standard = (nearest - mean) / deviation
    standard[unknown] = 0
    return _Meaning((near - mean) / deviation, standard, nearest > floor)


def _session_lift(contents: Contents, session: int | None, weights: Weights) -> Floats | None:
    """Return what the memories of the session that is asked in gain."""
    if session is None:
        return None
    here: Flags = contents.memories["session"] == session
    return here * np.float32(weights.session)


def _lineage_lift(contents: Contents, scores: Floats, weights: Weights) -> Floats | None:
    """Return the most that a reflection that stands out passes on to each of its sources."""
    links = contents.links
    if not len(links):
        return None
    excess = scores.take(links["reflection"]) - np.float32(weights.lineage_floor)
    giving = np.flatnonzero((excess > 0) & contents.memories["alive"].take(links["reflection"]))
    lifted = np.zeros(len(scores), np.float32)
    given = excess[giving] * links["support"][giving] * np.float32(weights.lineage)
    np.maximum.at(lifted, links["source"][giving], given)
    return lifted


def _reflection_lift(contents: Contents, weights: Weights) -> Floats | None:
    """Return what makes up to reflections for having no turns beside them."""
    reflections: Flags = contents.memories["tier"] > 1
    return reflections * np.float32(weights.reflection) if reflections.any() else None


def _fold_statements(contents: Contents, fused: Floats, matched: Flags) -> Floats:
    """Raise messages to the score of the best statement captured from them; return by how much."""
    statements, messages = contents.statements, contents.messages
    before = fused.copy()
    np.maximum.at(fused, messages, before[statements])
    matched[messages[matched[statements]]] = True
    return fused - before
