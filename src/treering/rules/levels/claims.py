"""What a statement claims: of a subject, by a relation, a value."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from treering.rules.levels.lexemes import Lexeme, Role
from treering.rules.levels.words import PRONOUNS, TASK_VERBS, TROUBLE, word_set

_BE = frozenset({"is", "are", "was", "were", "be", "remains", "stays", "became", "becomes", "="})
_PLACED = word_set(
    """
    listen listens listened run runs ran live lives lived sit sits resides located hosted served
    serves stored found available reachable deployed kept installed mounted bound binds starts
    started exposed
    """
)
_PLACES = frozenset({"on", "at", "in", "under", "behind", "from"})
_DIRECTED = word_set(
    """
    point points pointed resolves redirects connects connect talks deploys deploy defaults logs
    writes reports maps goes go ships publishes sends forwards listens set migrates reads
    """
)
_DIRECTIONS = frozenset({"to", "from", "through", "via", "into"})
_MOVED = frozenset(
    ["moved", "switched", "changed", "migrated", "upgraded", "renamed", "relocated", "bumped"]
)
_NAMED = frozenset({"called", "named"})
_USED = frozenset({"use", "uses", "requires", "used"})
_BETWEEN = frozenset({"now", "currently", "still", "always", "also", "not", "never", "again"})
_MAX_GAP = 5
_POINTERS = word_set(
    """
    the our a an my your where what for their his her this
    """
)
_ABOUT_TROUBLE = word_set(
    """
    tracker tracking log logs report reports reporting page pages template templates board budget
    code codes handler handlers handling rate rates channel level levels format message messages
    boundary middleware label labels database
    """
)
"""`The error tracker` and `the bug board` are no trouble."""
_LEADS = word_set(
    """
    please ok okay so and also then but now fyi btw note remember that actually just sorry
    anyway correction wait oh hi hey today
    """
)
_ANSWERS = frozenset({"well", "no", "yes"})
"""They open a clause where a mark follows: `No commits on Fridays` begins otherwise."""
_NOUNS_TOO = word_set(
    """
    test build search print update upgrade download stop list change copy help delete release
    install display show move
    """
)
"""Of the verbs that give a task those that name things as well."""
_MODALS = frozenset({"must", "mustn't", "should", "shouldn't"})
_PLURAL = frozenset("are were live run go come sit point belong end start".split())
_NO_NOUNS = word_set(
    """
    the a an this that these those it them its my our your their i we you he she they what which who
    how why where when whether if and or so because but all any every each
    """
)
"""What is no part of a compound: `Fix what should work`, `Find files we should delete`."""


@dataclass(frozen=True, slots=True)
class Claim:
    """One claim: pieces `subject`, `relation` (a class of verbs), `gap`, `value`, `rest`.

    `rest` is what of the clause is none of these: its qualifiers.
    """

    subject: tuple[Lexeme, ...]
    relation: str
    verb: tuple[Lexeme, ...]
    gap: tuple[Lexeme, ...]
    value: Lexeme
    rest: tuple[Lexeme, ...]


def claim_of(clause: Sequence[Lexeme]) -> Claim | None:
    """The first claim of a clause whose value is identifier-shaped, code or an amount.

    `auth listens on 5433`, `The docs live at docs.acme.dev`, `Staging URL: https://…`, `The flag is
    called NEW_UI`, `api.acme.dev is the login host`. A relation without a subject, or with one that
    only points (`it`, `there`), claims nothing; nor does the state of the moment (`is failing`).
    """
    clause = clause[:_MAX_CLAUSE]
    body = without_leads(clause)
    for at in range(1, len(body)):
        relation = _relation(body, at)
        if relation is None:
            continue
        name, length = relation
        claim = _claim(body, at, name, length)
        if claim is not None:
            return claim
    return None


_MAX_CLAUSE = 120


def without_leads(clause: Sequence[Lexeme]) -> Sequence[Lexeme]:
    """The clause without the words that only open it (`Please`, `Actually,`, `Remember that`)."""
    at = 0
    while at < len(clause) and (clause[at].is_symbol or _only_opens(clause, at)):
        at += 1
    return clause[at:]


def _only_opens(clause: Sequence[Lexeme], at: int) -> bool:
    word = clause[at].folded
    if word in _ANSWERS:
        return at + 1 == len(clause) or clause[at + 1].role is Role.MARK
    return word in _LEADS or word == ","


def is_task(clause: Sequence[Lexeme]) -> bool:
    """Whether a clause begins with a verb that gives a task (`Fix the bug in …`)."""
    body = without_leads(clause)
    return bool(body) and body[0].folded in TASK_VERBS and not _is_noun(body)


def _is_noun(body: Sequence[Lexeme]) -> bool:
    """Whether what looks like a task's verb is a noun: `Test files must end in _test.go`.

    Then its compound is a subject: plain words of which the last alone may be plural, and a verb.
    """
    is_noun_too = body[0].folded in _NOUNS_TOO
    before: list[str] = []
    for one in body[1:7]:
        word = one.folded
        if word in _MODALS:
            return True
        if is_noun_too and (word == ":" or _is_said_of(word, [body[0].folded, *before])):
            return True
        goes_on = is_noun_too and word in ("for", "of", "in", "on", "to", "from")
        is_plural = bool(before) and before[-1].endswith("s") and not goes_on
        if one.role is not Role.WORD or word in _NO_NOUNS or is_plural:
            return False
        before.append(word)
    return False


def _is_said_of(verb: str, subject: Sequence[str]) -> bool:
    """Whether a verb goes with a compound: `Test files live`, but not `Test auth lives`."""
    if verb in ("always", "never"):
        return len(subject) > 1
    if subject[-1].endswith("s"):
        return verb in _PLURAL
    return subject[0] in ("build", "search") and verb in ("is", "lives", "runs", "goes")


def is_trouble(clause: Sequence[Lexeme]) -> bool:
    """Whether a clause speaks of a bug, an error or a failure of the moment."""
    return any(
        one.folded in TROUBLE
        and not (at + 1 < len(clause) and clause[at + 1].folded in _ABOUT_TROUBLE)
        for at, one in enumerate(clause)
    )


def _relation(body: Sequence[Lexeme], at: int) -> tuple[str, int] | None:
    """The relation that begins at a place, and how many lexemes it takes."""
    word = body[at].folded
    if body[at].role is Role.MARK:
        return _mark_relation(body, at)
    if body[at].role is not Role.WORD:
        return None
    if word in _BE:
        return _after_be(body, at)
    ahead = body[at + 1].folded if at + 1 < len(body) else ""
    if word in _PLACED and ahead in _PLACES:
        return "at", 2
    if word in _MOVED:
        return _moved(body, at)
    if word in _DIRECTED and ahead in _DIRECTIONS:
        return f"{word} {ahead}", 2
    return ("use", 1) if word in _USED else None


def _mark_relation(body: Sequence[Lexeme], at: int) -> tuple[str, int] | None:
    after = next((one for one in body[at + 1 :] if not one.is_symbol), None)
    is_label = body[at].text == ":" and at <= 4 and after is not None and after.is_value
    is_assignment = body[at].text == "=" and at <= 4
    return ("is", 1) if is_label or is_assignment else None


def _moved(body: Sequence[Lexeme], at: int) -> tuple[str, int] | None:
    """`moved to`, `switched over to`, `moved the wiki to`."""
    for distance in range(1, 6):
        if at + distance < len(body) and body[at + distance].folded == "to":
            return "moved", distance + 1
    return None


def _after_be(body: Sequence[Lexeme], at: int) -> tuple[str, int]:
    end = at + 1
    while end < len(body) and body[end].folded in _BETWEEN:
        end += 1
    word = body[end].folded if end < len(body) else ""
    ahead = body[end + 1].folded if end + 1 < len(body) else ""
    if word in _NAMED:
        return "named", end + 1 - at
    if word == "set" and ahead == "to":
        return "is", end + 2 - at
    if word in _PLACED and ahead in _PLACES:
        return "at", end + 2 - at
    if word in _PLACES:
        return "at", end + 1 - at
    return "is", end - at


def _claim(body: Sequence[Lexeme], at: int, name: str, length: int) -> Claim | None:
    subject = tuple(one for one in body[:at] if one.role is not Role.MARK)
    if not subject or subject[0].folded in PRONOUNS or _only_points(subject):
        return None
    verb = tuple(body[at : at + length])
    after = body[at + length :]
    for distance, one in enumerate(after[: _MAX_GAP + 1]):
        if one.is_value:
            if one.role is Role.AMOUNT and not _is_amount_claim(name, after[:distance]):
                return None
            gap, rest = tuple(after[:distance]), tuple(after[distance + 1 :])
            return Claim(subject, name, verb, gap, one, rest)
        if _breaks(one):
            break
    is_name_first = name == "is" and subject[0].is_value and len(subject) == 1
    if is_name_first and after and after[0].folded in _POINTERS:
        return Claim(tuple(after), name, verb, (), subject[0], ())
    return None


def _only_points(subject: Sequence[Lexeme]) -> bool:
    """`… so that it is`, but not `The tracker for this is`."""
    governs = len(subject) > 1 and subject[-2].folded in ("for", "of", "to", "in", "on", "with")
    return subject[-1].folded in PRONOUNS and not governs


def _is_amount_claim(name: str, gap: Sequence[Lexeme]) -> bool:
    said = [one for one in gap if not one.is_symbol]
    return name in ("is", "moved", "defaults to") and len(said) <= 1


def _breaks(one: Lexeme) -> bool:
    """What may not stand between a relation and its value: `is failing with …`, `is, …`."""
    is_participle = len(one.folded) > 5 and one.folded.endswith("ing")
    is_mark = one.role is Role.MARK and one.text not in ":(="
    return is_participle or is_mark or one.folded in ("because", "that", "which", "when", "if")
