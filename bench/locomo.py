"""Conversations with questions and evidence, in LoCoMo's format, and evidence recall over them."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from statistics import fmean
from typing import Any

from treering import Verbs
from treering.replies import Batch

CUTOFFS = (5, 10, 20, 50)
_EVIDENCE = re.compile(r"D\d+:\d+")
_MINUTE_MS = 60_000


@dataclass(frozen=True)
class Turn:
    """One turn: its id in the data, and the message that it becomes."""

    dia_id: str
    role: str
    content: str
    timestamp: int


@dataclass(frozen=True)
class Session:
    """One session, with what a language model once wrote about it."""

    name: str
    start: int
    turns: Sequence[Turn]
    observations: Sequence[str]
    summary: str


@dataclass(frozen=True)
class Question:
    """A question and the turns that hold its answer."""

    text: str
    evidence: frozenset[str]


@dataclass(frozen=True)
class Conversation:
    """One conversation over many sessions."""

    name: str
    sessions: Sequence[Session]
    questions: Sequence[Question]


def conversations(path: Path) -> list[Conversation]:
    """The conversations of a file; questions without any evidence that exists are left out."""
    return [_conversation(item) for item in json.loads(path.read_text("utf-8"))]


def remember(memory: Verbs, session: Session) -> dict[str, str]:
    """Store a session; which memory each turn became."""
    messages = [
        {"role": turn.role, "content": turn.content, "timestamp": turn.timestamp}
        for turn in session.turns
    ]
    stored = memory.ingest(messages, session_id=session.name)
    return {
        str(memory_id): turn.dia_id
        for memory_id, turn in zip(stored.ids, session.turns, strict=True)
    }


def reflect_session(memory: Verbs, session: Session) -> None:
    """Consolidate one session, just stored, with what was recorded about it."""
    texts = session.observations or [session.summary]
    batch = memory.checkout(1)
    if not isinstance(batch, Batch) or batch.count != len(session.turns):
        raise RuntimeError(f"{session.name}: the batch is not the session")
    memory.commit(batch.batch_id, [{"text": text, "importance": 5} for text in texts])


def reflect_highly(memory: Verbs, sessions: Sequence[Session]) -> list[str]:
    """Consolidate every reflection with the summaries of the sessions covered; the new ids."""
    created: list[str] = []
    while isinstance(batch := memory.checkout(2), Batch):
        start, end = _ms(batch.covers.from_), _ms(batch.covers.to)
        entries = [
            {"text": session.summary, "importance": 8}
            for session in sessions
            if start <= session.start <= end
        ]
        created += [row.id for row in memory.commit(batch.batch_id, entries).created]
    return created


def recall(
    memory: Verbs,
    questions: Sequence[Question],
    turns: dict[str, str],
    *,
    tiers: Sequence[int] | None = (1,),
    limit: int = 50,
) -> tuple[dict[int, float], int]:
    """Evidence recall at each cutoff over the raw memories returned, and the fewest of those."""
    shares: dict[int, list[float]] = {cutoff: [] for cutoff in CUTOFFS}
    fewest = limit
    for question in questions:
        found = memory.search(question.text, tiers=tiers, limit=limit).memories
        raw = [turns[row.id] for row in found if row.tier == 1]
        fewest = min(fewest, len(raw))
        for cutoff, values in shares.items():
            values.append(share_found(question, raw[:cutoff]))
    return {cutoff: fmean(values) for cutoff, values in shares.items()}, fewest


def share_found(question: Question, found: Sequence[str]) -> float:
    """The share of a question's evidence that was found."""
    return len(question.evidence.intersection(found)) / len(question.evidence)


def _conversation(item: dict[str, Any]) -> Conversation:
    talk = item["conversation"]
    speakers = {talk["speaker_a"]: "user", talk["speaker_b"]: "assistant"}
    numbers = sorted(
        int(key.removeprefix("session_"))
        for key, value in talk.items()
        if key.removeprefix("session_").isdigit() and isinstance(value, list) and value
    )
    sessions = [_session(item, talk, number, speakers) for number in numbers]
    existing = {turn.dia_id for session in sessions for turn in session.turns}
    questions = []
    for entry in item["qa"]:
        named = _EVIDENCE.findall(" ".join(entry.get("evidence", [])))
        evidence = existing.intersection(named)
        if evidence:
            questions.append(Question(entry["question"], frozenset(evidence)))
    return Conversation(item["sample_id"], sessions, questions)


def _session(
    item: dict[str, Any], talk: dict[str, Any], number: int, speakers: dict[str, str]
) -> Session:
    said_at = f"{talk[f'session_{number}_date_time']} +0000"
    start = int(datetime.strptime(said_at, "%I:%M %p on %d %B, %Y %z").timestamp() * 1000)
    turns = [
        Turn(
            turn["dia_id"],
            speakers[turn["speaker"]],
            _content(turn),
            start + place * _MINUTE_MS,
        )
        for place, turn in enumerate(talk[f"session_{number}"])
    ]
    return Session(
        name=f"session_{number}",
        start=start,
        turns=turns,
        observations=list(_observations(item, number)),
        summary=item["session_summary"][f"session_{number}_summary"],
    )


def _content(turn: dict[str, Any]) -> str:
    shared = f" [shares {turn['blip_caption']}]" if turn.get("blip_caption") else ""
    return f"{turn['speaker']}: {turn['text']}{shared}"


def _observations(item: dict[str, Any], number: int) -> Iterator[str]:
    by_speaker = item["observation"].get(f"session_{number}_observation", {})
    for observations in by_speaker.values():
        for observation in observations:
            yield observation[0] if isinstance(observation, list) else observation


def _ms(iso: str | None) -> int:
    if iso is None:
        raise ValueError("a batch covers something")
    return int(datetime.fromisoformat(iso).timestamp() * 1000)
