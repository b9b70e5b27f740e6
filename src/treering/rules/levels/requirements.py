"""Whether a sentence states a requirement: always, never, must, should, make sure to, prefer."""

from __future__ import annotations

from collections.abc import Sequence

from treering.rules.levels.claims import is_task, is_trouble, without_leads
from treering.rules.levels.lexemes import Lexeme, Role, lexemes
from treering.rules.levels.quotations import without_quotations
from treering.rules.levels.words import word_set

_VAGUE = word_set(
    """
    it this that these those they everything something what which there
    """
)
_PERSONS = frozenset("i we you he she they it".split())
_HAPPENED = word_set(
    """
    said got saw know knew went had did thought told understood wanted was were heard met found made
    felt liked loved been seen forget forgets wonder get gets seem seems end ends feel feels
    love hate wondered mind a an the so
    """
)
_EPISTEMIC = word_set(
    """
    be have work works do help fix suffice pass compile now also probably
    """
)
_PLANNING = word_set(
    """
    get grab catch talk meet discuss look probably maybe go try think start see
    """
)
_IDLE = word_set(
    """
    worry mind know think care bother forget hesitate panic wait stop answer reply verify see
    feel understand like want have need get believe remember
    """
)
_BLURRED = frozenset("it this that me anything yet now them".split())
_NO_RULE_BEFORE = frozenset({"as", "almost", "is", "are", "was", "were", "would"})
_CUES = word_set(
    """
    always never must mustn't should shouldn't make be ensure ensures prefer prefers preferred do
    don't dont
    """
)
_MAX_SUBJECT = 60
_NOT = frozenset({"don't", "dont"})


def states_requirement(sentence: str) -> bool:
    """Whether a sentence states a requirement, in whatever words of the six kinds.

    `Never force-push to main`, `When the build fails, always page …`, `I prefer short answers`, `Do
    not deploy on Fridays`. Guesses (`that should work`), habits (`I always forget`), past tense (`I
    never said that`), tasks and what stands in quotation marks state none.
    """
    words = lexemes(without_quotations(sentence))
    if is_task(words) and not _asks_for_it(words):
        return False
    return any(_is_cue(words, at) for at, one in enumerate(words) if one.role is Role.WORD)


def _is_cue(words: Sequence[Lexeme], at: int) -> bool:
    word = words[at].folded
    if word not in _CUES:
        return False
    subject = _subject(words, at)
    after = [one.folded for one in words[at + 1 : at + 4]]
    if not after:
        return False
    if word in ("always", "never"):
        return _always(words, subject, after)
    if word in ("must", "mustn't"):
        return _must(subject, after)
    if word in ("should", "shouldn't"):
        return _should(subject, after)
    if word in ("make", "be", "ensure", "ensures"):
        return _making_sure(word, subject, after)
    if word in ("prefer", "prefers", "preferred"):
        return _prefers(subject, after)
    if word in _NOT or (word == "do" and after[0] == "not"):
        return _prohibits(subject, after[1:] if word == "do" else after)
    return False


def _subject(words: Sequence[Lexeme], at: int) -> list[str]:
    """The words of the cue's clause that stand before it."""
    start = at
    while start > max(at - _MAX_SUBJECT, 0) and words[start - 1].text not in (
        ",",
        ";",
        ":",
        "(",
        "—",
    ):
        start -= 1
    return [one.folded for one in without_leads(words[start:at])]


def _always(words: Sequence[Lexeme], subject: list[str], after: list[str]) -> bool:
    if after[0] in _HAPPENED or (subject and subject[-1] in _NO_RULE_BEFORE):
        return False
    if not subject:
        return True
    is_past = after[0].endswith("ed") and subject[0] in _PERSONS
    return not is_past and not is_trouble(words) and subject[0] not in _VAGUE - {"it", "they"}


def _must(subject: list[str], after: list[str]) -> bool:
    if not subject:
        return after[0] != "have"
    is_guess = after[0] == "be" and (subject[0] in _PERSONS or subject[0] in _VAGUE)
    return not is_guess and subject[0] != "i" and after[:2] != ["have", "been"]


def _should(subject: list[str], after: list[str]) -> bool:
    if not subject:
        return True
    if subject[0] in ("i", "if") or after[:2] == ["have", "been"]:
        return False
    if subject[-1] in _PERSONS and (after[0] == "see" or _is_regret(after)):
        return False
    if subject[0] in _VAGUE and after[0] in _EPISTEMIC:
        return False
    return not (subject[-1] == "we" and after[0] in _PLANNING)


def _is_regret(after: list[str]) -> bool:
    """`should have told`, but not `should have a`."""
    return after[0] == "have" and len(after) > 1 and after[1] not in ("a", "an", "the", "at", "no")


def _making_sure(word: str, subject: list[str], after: list[str]) -> bool:
    is_open = not subject or subject[-1] in (
        "we",
        "you",
        "always",
        "must",
        "should",
        "please",
        "to",
    )
    if subject and subject[-1] == "to" and len(subject) > 1:
        return False
    return is_open and (word.startswith("ensure") or after[0] == "sure")


def _asks_for_it(words: Sequence[Lexeme]) -> bool:
    """`Make sure to …`, `Could you please always …`, `Let's never …`: a task of every time."""
    body = [one.folded for one in without_leads(words)[:6]]
    if body[:1] == ["let's"]:
        del body[0]
    elif body[1:2] == ["you"]:
        body = [word for word in body[2:] if word != "please"]
    return body[:2] in (["make", "sure"], ["be", "sure"]) or body[:1] in (["always"], ["never"])


def _prefers(subject: list[str], after: list[str]) -> bool:
    if subject and (
        subject[0] in ("if", "as", "let", "do", "whatever", "which") or "you" in subject
    ):
        return False
    return after[:2] != ["not", "to"]


def _prohibits(subject: list[str], after: list[str]) -> bool:
    if subject or len(after) < 2 or (after[0] == "ever" and len(after) < 3):
        return False
    return after[0] not in _IDLE and not _BLURRED.intersection(after[:3])
