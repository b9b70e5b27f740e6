"""Contradictions between two statements, found conservatively: a doubt is no contradiction."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

from treering.rules.levels.claims import Claim, claim_of, without_leads
from treering.rules.levels.clauses import clauses
from treering.rules.levels.lexemes import Lexeme, Role, lexemes
from treering.rules.levels.tokens import is_negation, restatement_key
from treering.rules.levels.words import HEDGES, NEUTRAL, PAST, PRONOUNS, word_set

Impact = Literal["low", "medium", "critical"]

_HIGH_STAKES = word_set(
    """
    production prod live payment payments billing security secret secrets password passwords
    credential credentials backup backups delete deletes deploy deploys customer customers
    private personal legal
    """
)
_DUTY = frozenset("must mustn't never always".split())
_WISH = frozenset("should shouldn't prefer prefers".split())
_DUMMY_VERBS = frozenset("do does did can always ever please".split())
_PARTIAL = word_set(
    """
    always all every everyone everything necessarily only just yet entirely
    """
)
_KIND_NOUNS = {
    "port": frozenset({"port"}),
    "url": frozenset({"url", "address", "link", "endpoint"}),
    "host": frozenset({"host", "hostname", "address"}),
    "ip": frozenset({"ip", "address", "host"}),
    "version": frozenset({"version"}),
    "date": frozenset({"date"}),
}
_ONE_OF_MANY = word_set(
    """
    a an one another each every any some other both all
    """
)
_EXCLUSIVE = frozenset(
    {"is", "named", "moved", "points to", "resolves to", "redirects to", "defaults to"}
)
_ARTICLES = frozenset({"a", "an"})
_NEGATES = "not"
_BE = ("is", "are", "be")
_FORBIDDEN = frozenset({"forbidden", "prohibited", "disallowed", "banned"})
_PERMITTED = frozenset({"allowed", "permitted"})
_answer = re.compile(r"\s*(?:no|nope|yes|yep|well)[.!]+\s+", re.IGNORECASE)
"""A sentence of its own that says nothing of what follows it."""
_MAX_CHARACTERS = 1_000
"""A longer text says too much to be set against another by rules."""


@dataclass(frozen=True, slots=True)
class Contradiction:
    """Two statements that cannot both hold, how much hangs on it, and what to ask a person."""

    held: str
    new: str
    impact: Impact
    question: str


@dataclass(frozen=True, slots=True)
class _Position:
    """What a text holds under a key: a polarity, or a value within a scope."""

    value: str
    scope: frozenset[str] = frozenset()
    shown: str = ""
    about: str = ""
    is_rule: bool = False


def contradiction(new: str, held: str) -> Contradiction | None:
    """The contradiction between a new statement and a held one, if there is one.

    Either one is the other's explicit negation (`Always squash`, `Never squash`), or both give the
    same subject and attribute another identifier-shaped value within the same scope (`auth listens
    on 5433`, `auth listens on 6000`). What is past, planned, hedged, compared (`< 30 ms`), marked
    by a symbol or one of several values contradicts nothing.
    """
    if restatement_key(new) == restatement_key(held):
        return None
    ours, theirs = _positions(new), _positions(held)
    for key in sorted(ours.keys() & theirs.keys()):
        mine, other = ours[key], theirs[key]
        if mine.value == other.value or mine.scope != other.scope:
            continue
        impact = _impact(new, held, is_rule=mine.is_rule)
        return Contradiction(held, new, impact, _question(new, held, mine, other))
    return None


def contradiction_keys(text: str) -> frozenset[str]:
    """What a store indexes of a statement: two contradict only if they share one of these."""
    return frozenset(_positions(text))


def _positions(text: str) -> dict[str, _Position]:
    if len(text) > _MAX_CHARACTERS:
        return {}
    if answered := _answer.match(text):
        text = text[answered.end() :]
    words = lexemes(text)
    if not words or words[-1].text in "?？؟" or any(one.is_symbol for one in words):
        return {}
    found = _polarity(words)
    spans = clauses(text)
    if len(spans) > 1 and all(claim_of(lexemes(text[a:b])) for a, b in spans):
        for a, b in spans:
            found.update(_value(lexemes(text[a:b])))
    else:
        found.update(_value(words))
    return found


def _polarity(words: tuple[Lexeme, ...]) -> dict[str, _Position]:
    """The statement without its negation, and whether it has one."""
    body = [one.folded for one in without_leads(words) if one.role is not Role.MARK]
    body = [_NEGATES if _forbids(body, at) else word for at, word in enumerate(body)]
    negated = [at for at, word in enumerate(body) if is_negation(word)]
    if len(negated) > 1 or PAST.intersection(body) or (body and body[0] in PRONOUNS):
        return {}
    if negated and _PARTIAL.intersection(body[negated[0] + 1 : negated[0] + 2]):
        return {}
    said = [
        _stem(word)
        for at, word in enumerate(body)
        if not is_negation(word)
        and not _permits(body, at)
        and word not in _DUMMY_VERBS
        and word not in _ARTICLES
        and word not in ("the", "now", "currently", "actually", "also")
    ]
    if len(said) < 2:
        return {}
    return {f"says {' '.join(said)}": _Position("not" if negated else "so", is_rule=True)}


def _forbids(body: list[str], at: int) -> bool:
    """`… are forbidden` negates; `banned users` does not."""
    return body[at] in _FORBIDDEN and at > 0 and body[at - 1] in _BE


def _permits(body: list[str], at: int) -> bool:
    return body[at] in _PERMITTED and at > 0 and body[at - 1] in (*_BE, "not")


def _value(words: tuple[Lexeme, ...]) -> dict[str, _Position]:
    """The subject and attribute of the claim, with its value and scope."""
    claim = claim_of(words)
    spoken = {one.folded for one in without_leads(words) if one.role is Role.WORD}
    if claim is None or spoken & PAST or spoken & HEDGES or any(map(is_negation, spoken)):
        return {}
    if any(one.is_value for one in claim.rest) or claim.subject[0].folded in _ONE_OF_MANY:
        return {}
    if not _has_one_value(claim):
        return {}
    kind = claim.value.kind
    subject = [word for word in _subject(claim) if word not in _KIND_NOUNS.get(kind, ())]
    if not subject and kind not in _KIND_NOUNS:
        return {}
    scope = frozenset(one.folded for one in claim.rest if _qualifies(one))
    key = f"{' '.join(subject)} | {_attribute(claim)} | {kind}"
    about = " ".join(one.text for one in claim.subject)
    return {key: _Position(_exact(claim), scope, claim.value.text, about)}


def _has_one_value(claim: Claim) -> bool:
    """Whether another value takes the place of this one: one may deploy to many regions."""
    if claim.relation == "use":
        return claim.value.kind == "version"
    if claim.relation == "at":
        return claim.value.kind not in ("date", "amount")
    return claim.relation in _EXCLUSIVE


def _subject(claim: Claim) -> list[str]:
    words = [one.folded for one in claim.subject if one.folded not in NEUTRAL]
    return [word for word in words if word != "service"]


def _attribute(claim: Claim) -> str:
    """The class of the relation: a port is a port however it is bound, a move leads to a place."""
    kind = claim.value.kind
    if kind in ("port", "url", "host", "ip") and claim.relation in ("at", "is", "moved"):
        return "at"
    nouns = _KIND_NOUNS.get(kind, frozenset())
    gap = [g.folded for g in claim.gap if g.folded not in NEUTRAL and g.folded not in nouns]
    relation = "is" if claim.relation == "moved" else claim.relation
    return " ".join([relation, *gap])


def _exact(claim: Claim) -> str:
    return (
        claim.value.folded.removeprefix("v")
        if claim.value.kind == "version"
        else claim.value.folded
    )


def _qualifies(one: Lexeme) -> bool:
    return one.role is not Role.MARK and one.folded not in NEUTRAL


def _stem(word: str) -> str:
    """`uses` → `use`, `touches` → `touch`; what is no plain word stays."""
    if not word.isalpha() or len(word) < 4 or word.endswith("ss"):
        return word
    if word.endswith(("ches", "shes", "xes", "sses")):
        return word[:-2]
    return word[:-1] if word.endswith("s") else word


def _impact(new: str, held: str, *, is_rule: bool) -> Impact:
    words = {one.folded for one in (*lexemes(new), *lexemes(held))}
    if words & _HIGH_STAKES or (is_rule and words & _DUTY):
        return "critical"
    return "low" if is_rule and words & _WISH else "medium"


def _question(new: str, held: str, mine: _Position, other: _Position) -> str:
    if mine.is_rule:
        return "Which of the two holds?"
    return f"Which is right for {mine.about}: {other.shown} or {mine.shown}?"
