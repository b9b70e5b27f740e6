"""Evidence recall over HTTP, before and after consolidation, beside a plain baseline."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from statistics import fmean
from typing import Any

import bm25s
import numpy as np
import Stemmer
from tests.support.worlds import World, running_server

from bench import floor, locomo
from bench.floor import FloorErrors
from bench.locomo import CUTOFFS, Conversation
from bench.memo import MemoEmbedder
from treering import RemoteVault, Verbs
from treering.retrieval.embedder import EmbedderSpec, open_embedder

Recall = dict[int, float]


def measure(path: Path, progress: Callable[[str], None]) -> dict[str, Any]:
    """Recall of every method on the conversations in `path`, averaged over all questions."""
    talks = locomo.conversations(path)
    embedder = MemoEmbedder(open_embedder(EmbedderSpec(name="minilm-l6-v2")))
    weights = [len(talk.questions) for talk in talks]
    rows: dict[str, list[Recall]] = {}
    fewest_raw = 1000
    erred = FloorErrors()
    with (
        tempfile.TemporaryDirectory() as folder,
        running_server(Path(folder), World().system(), embedder) as (url, data_dir),
    ):
        for talk, other in zip(talks, [*talks[1:], talks[0]], strict=True):
            progress(f"{talk.name}: {len(talk.questions)} questions")
            for name, recall in _baselines(talk, embedder).items():
                rows.setdefault(name, []).append(recall)
            with RemoteVault(url, str(data_dir.create_key().key)) as memory:
                turns = _remember_all(memory, talk)
                recall, _ = locomo.recall(memory, talk.questions, turns)
                rows.setdefault("Treering, before consolidation", []).append(recall)
                erred += floor.errors(memory, turns, talk.questions, other.questions)
            with RemoteVault(url, str(data_dir.create_key().key)) as memory:
                turns = _reflect_all(memory, talk)
                recall, _ = locomo.recall(memory, talk.questions, turns)
                rows.setdefault("Treering, consolidated", []).append(recall)
                blended, fewest = locomo.recall(memory, talk.questions, turns, tiers=None, limit=60)
                rows.setdefault("Treering, consolidated, all tiers, limit 60", []).append(blended)
                fewest_raw = min(fewest_raw, fewest)
                _drill_down(memory, talk)
    return {
        "conversations": len(talks),
        "questions": sum(weights),
        "fewest_raw_rows_of_60": fewest_raw,
        "floor": erred.rates,
        "recall": {name: _weighted(recalls, weights) for name, recalls in rows.items()},
    }


def _remember_all(memory: Verbs, talk: Conversation) -> dict[str, str]:
    turns: dict[str, str] = {}
    for session in talk.sessions:
        turns |= locomo.remember(memory, session)
    return turns


def _reflect_all(memory: Verbs, talk: Conversation) -> dict[str, str]:
    turns: dict[str, str] = {}
    for session in talk.sessions:
        turns |= locomo.remember(memory, session)
        locomo.reflect_session(memory, session)
    locomo.reflect_highly(memory, talk.sessions)
    return turns


def _drill_down(memory: Verbs, talk: Conversation) -> None:
    """Raise unless every tier-3 memory that a search finds leads down to verbatim turns."""
    said = {turn.content for session in talk.sessions for turn in session.turns}
    for top in memory.search("what happened", tiers=[3], limit=100).memories:
        reflections = memory.inspect(top.id).sources or []
        verbatim = [
            source.content
            for reflection in reflections[:3]
            for source in memory.inspect(reflection.id).sources or []
        ]
        if not verbatim or not said.issuperset(verbatim):
            raise RuntimeError(f"{top.id} does not lead down to what was said")


def _baselines(talk: Conversation, embedder: MemoEmbedder) -> dict[str, Recall]:
    """Plain numpy cosines, plain bm25s, and the two added by z-score, without any server."""
    turns = [turn for session in talk.sessions for turn in session.turns]
    texts = [turn.content for turn in turns]
    vectors = embedder.embed(texts)
    lexical = bm25s.BM25()
    stemmer = Stemmer.Stemmer("english")
    tokens = bm25s.tokenize(texts, stopwords="en", stemmer=stemmer, show_progress=False)
    lexical.index(tokens, show_progress=False)
    shares: dict[str, dict[int, list[float]]] = {}
    for question in talk.questions:
        cosines = vectors @ embedder.embed([question.text])[0]
        words = bm25s.tokenize(
            [question.text],
            stopwords="en",
            stemmer=stemmer,
            show_progress=False,
            return_ids=False,
        )[0]
        by_words = lexical.get_scores(words) if words else np.zeros(len(turns))
        methods = {
            "numpy cosine": cosines,
            "bm25s": by_words,
            "numpy cosine + bm25s, z-scores added": _z(cosines) + _z(by_words),
        }
        for name, scores in methods.items():
            found = [turns[place].dia_id for place in np.argsort(-scores)[: max(CUTOFFS)]]
            for cutoff in CUTOFFS:
                share = locomo.share_found(question, found[:cutoff])
                shares.setdefault(name, {}).setdefault(cutoff, []).append(share)
    return {
        name: {cutoff: fmean(values) for cutoff, values in by_cutoff.items()}
        for name, by_cutoff in shares.items()
    }


def _z(scores: Any) -> Any:
    return (scores - scores.mean()) / (scores.std() or 1.0)


def _weighted(recalls: Sequence[Recall], weights: Sequence[int]) -> Recall:
    return {
        cutoff: float(np.average([recall[cutoff] for recall in recalls], weights=weights))
        for cutoff in CUTOFFS
    }
