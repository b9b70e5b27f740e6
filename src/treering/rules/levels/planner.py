"""The levels block: what enters the prompt this turn, in which order, within which budget."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from treering.model import Level
from treering.rules.levels import shown
from treering.rules.levels.block import Block, Candidate, Entry, Limits, Material, Reason, Tension
from treering.rules.levels.gist import one_line
from treering.rules.levels.selfmodel import weak_domains
from treering.rules.tokens import estimate_tokens

_GAP = "\n"
_MOST_TAUGHT = 20
"""More domains than these are weak at once only where somebody makes them up."""
_IMPACTS = ("critical", "medium", "low")


@dataclass(frozen=True, slots=True)
class _Line:
    """An entry before its place is known: `text` without heading."""

    id: str
    level: Level
    reason: Reason
    gist: str
    body: str | None
    text: str

    @property
    def cost(self) -> int:
        return estimate_tokens(self.text)


def plan(material: Material, limits: Limits) -> Block:
    """The block of a turn. Same material and limits, same block.

    The pinned level (correction notice, weak domains, pinned memories, contradictions) is sent in
    full whatever the budget. What it leaves goes to the hot level first: triggered bodies, then an
    index line for each of the `max_index_items` most recently accessed memories (of those accessed
    at once the first given), until one does not fit; then to recalled bodies, each that fits. A
    triggered body that does not fit is shown as its index line, and left out when that does not
    fit either; both count as truncated. An entry's tokens are those of its own part of the text,
    so that they add up; `total_tokens` is their sum, and at most the larger of the budget and what
    the pinned level takes.
    """
    pinned = _distinct(material.pinned, frozenset())
    seen = frozenset(one.id for one in pinned)
    hot = _distinct(material.hot, seen)
    recalled = _distinct(material.recalled, seen | {one.id for one in hot})

    before = [
        (shown.CORRECTION, _correction(material.is_correction)),
        (shown.WEAK_DOMAINS, _weak(material)),
        (shown.PINNED, [_body(one, Reason.PINNED) for one in pinned]),
    ]
    after = [(shown.CONTRADICTIONS, _tensions(material.tensions))]
    left = limits.max_tokens - _tokens(_laid_out([*before, *after]))
    if after[0][1] and not any(lines for _, lines in before):
        # What comes before the contradictions sets a gap between, which may cost their first line.
        left -= estimate_tokens(_GAP)

    index, truncated = _index(hot, material.triggered, limits.max_index_items, left)
    left -= _section_cost(shown.INDEX, index)
    recall = _recall(recalled, left)
    middle = [(shown.INDEX, index), (shown.RECALLED, recall)]
    entries = _laid_out([*before, *middle, *after])
    text = "".join(entry.text for entry in entries)
    return Block(text, entries, _tokens(entries), truncated)


def _index(
    hot: Sequence[Candidate], triggered: frozenset[str], max_items: int, budget: int
) -> tuple[list[_Line], bool]:
    """The lines of the hot level, most recently accessed first, and whether anything is missing."""
    ordered = sorted(hot, key=lambda one: -one.accessed)
    chosen: dict[str, _Line] = {}
    left = budget - _heading_cost(shown.INDEX)
    is_cut = False
    for one in ordered:
        if one.id not in triggered:
            continue
        body, gist = _body(one, Reason.TRIGGER), _gist(one)
        fitting = next((line for line in (body, gist) if line.cost <= left), None)
        is_cut = is_cut or fitting is not body
        if fitting is not None:
            chosen[one.id] = fitting
            left -= fitting.cost
    for one in ordered[: max(max_items, 0)]:
        if one.id in triggered:
            continue
        line = _gist(one)
        if line.cost > left:
            break
        chosen[one.id] = line
        left -= line.cost
    lines = [chosen[one.id] for one in ordered if one.id in chosen]
    return lines, is_cut or len(lines) < len(ordered)


def _recall(recalled: Sequence[Candidate], budget: int) -> list[_Line]:
    left = budget - _heading_cost(shown.RECALLED)
    lines: list[_Line] = []
    for one in recalled:
        line = _body(one, Reason.RECALL)
        if line.cost <= left:
            lines.append(line)
            left -= line.cost
    return lines


def _correction(is_correction: bool) -> list[_Line]:
    if not is_correction:
        return []
    return [_pinned_line("correction", Reason.CORRECTION, shown.CORRECTION_NOTICE)]


def _weak(material: Material) -> list[_Line]:
    """Every weak domain, the least reliable ones with what they have taught."""
    lines = []
    for rank, name in enumerate(weak_domains(material.weak)):
        domain = material.weak[name]
        if rank >= _MOST_TAUGHT:
            domain = replace(domain, failure_patterns=(), strategies=())
        lines.append(_pinned_line(name, Reason.GUARDRAIL, shown.weak_domain_line(name, domain)))
    return lines


def _tensions(tensions: Sequence[Tension]) -> list[_Line]:
    """The critical ones first, otherwise as given."""
    ordered = sorted(tensions, key=lambda one: _rank(one.impact))
    return [
        _pinned_line(
            one.id,
            Reason.TENSION,
            shown.contradiction_line(one.claim_a, one.claim_b, one.impact, one.question),
        )
        for one in ordered
    ]


def _rank(impact: str) -> int:
    return _IMPACTS.index(impact) if impact in _IMPACTS else len(_IMPACTS)


def _pinned_line(entry_id: str, reason: Reason, text: str) -> _Line:
    return _Line(entry_id, Level.PINNED, reason, text.removeprefix("- "), None, text + "\n")


def _body(one: Candidate, reason: Reason) -> _Line:
    text = shown.item(one.body) + "\n"
    return _Line(one.id, one.level, reason, one_line(one.gist), one.body, text)


def _gist(one: Candidate) -> _Line:
    text = shown.line(one.gist) + "\n"
    return _Line(one.id, one.level, Reason.INDEX, one_line(one.gist), None, text)


def _laid_out(sections: Iterable[tuple[str, Sequence[_Line]]]) -> tuple[Entry, ...]:
    """The entries in order; the first of a section carries its heading and the gap before it."""
    entries: list[Entry] = []
    for heading, lines in sections:
        for at, line in enumerate(lines):
            gap = _GAP if entries else ""
            text = f"{gap}{heading}\n{line.text}" if at == 0 else line.text
            tokens = estimate_tokens(text)
            entries.append(
                Entry(line.id, line.level, line.reason, line.gist, line.body, text, tokens)
            )
    return tuple(entries)


def _heading_cost(heading: str) -> int:
    """At least what a heading adds to its first entry, however that rounds."""
    return estimate_tokens(f"{_GAP}{heading}\n")


def _section_cost(heading: str, lines: Sequence[_Line]) -> int:
    return _heading_cost(heading) + sum(line.cost for line in lines) if lines else 0


def _tokens(entries: Iterable[Entry]) -> int:
    return sum(entry.tokens for entry in entries)


def _distinct(candidates: Sequence[Candidate], seen: frozenset[str]) -> list[Candidate]:
    """Each id once, the first time it stands, without those shown elsewhere."""
    by_id: dict[str, Candidate] = {}
    for one in candidates:
        if one.id not in seen:
            by_id.setdefault(one.id, one)
    return list(by_id.values())
