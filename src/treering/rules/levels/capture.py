"""What is learnt from a user's message, by rules alone, in the user's own words."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from treering.rules.levels.claims import claim_of, is_task, is_trouble
from treering.rules.levels.conversation import (
    clauses,
    is_about_here,
    without_meta,
)
from treering.rules.levels.gist import gist
from treering.rules.levels.lexemes import Lexeme, Role, lexemes
from treering.rules.levels.questions import asks
from treering.rules.levels.requirements import states_requirement
from treering.rules.levels.secrets import holds_secret, masked, secret_spans
from treering.rules.levels.sentences import Sentence, sentences
from treering.rules.levels.words import LIMITS, PRONOUNS, word_set

MIN_CHARACTERS, MAX_CHARACTERS = 3, 4_000

ABOUT_HERE = "about this conversation only"
SECRET = "holds a secret"
TOO_SHORT = f"shorter than {MIN_CHARACTERS} characters"
TOO_LONG = f"longer than {MAX_CHARACTERS:,} characters"


@dataclass(frozen=True, slots=True)
class Rejected:
    """What was not made a statement, and why.

    Secrets in `content` are replaced by `[secret]`, and what is too long is cut to a gist.
    """

    content: str
    reason: str


@dataclass(frozen=True, slots=True)
class Capture:
    """The statements of a message in order, each verbatim in it, and what was refused."""

    statements: tuple[str, ...] = ()
    rejected: tuple[Rejected, ...] = ()
    learning_skipped: Literal["question-turn"] | None = None


def capture(user_message: str) -> Capture:
    """The statements that a user's message makes.

    A statement is a sentence, a list item, a list with the lead-in that qualifies it, or one of two
    facts of a sentence; one that begins with a pronoun takes the sentence before it along, so that
    it keeps its subject. It states a requirement, a claim whose value is identifier-shaped, or says
    something of a URL. Fenced code and quoted lines state nothing.
    """
    if asks(user_message):
        return Capture(learning_skipped="question-turn")
    secrets = secret_spans(user_message)
    spans: list[tuple[int, int]] = []
    rejected: list[Rejected] = []
    before: Sentence | None = None
    for piece in sentences(user_message):
        found = _judge(user_message, piece, before, secrets)
        for start, end in found.spans:
            # A statement that took the sentence before it along stands in for that one's own.
            while spans and spans[-1][1] > start:
                spans.pop()
            spans.append((start, end))
        rejected += found.rejected
        before = None if found.rejected else _reaching(piece, found.spans)
    statements = dict.fromkeys(user_message[start:end] for start, end in spans)
    return Capture(tuple(statements), tuple(dict.fromkeys(rejected)))


def refusal(text: str) -> str | None:
    """Why a text may not be a statement, be it captured or stored outright; None if it may."""
    stripped = text.strip()
    if len(stripped) > MAX_CHARACTERS:
        return TOO_LONG
    if holds_secret(stripped):
        return SECRET
    if is_about_here(stripped):
        return ABOUT_HERE
    return TOO_SHORT if len(stripped) < MIN_CHARACTERS else None


@dataclass(frozen=True, slots=True)
class _Judgement:
    """The statements that a sentence makes, as spans of the message, and what of it is refused."""

    spans: tuple[tuple[int, int], ...] = ()
    rejected: tuple[Rejected, ...] = ()


def _judge(
    message: str, piece: Sentence, before: Sentence | None, secrets: Sequence[tuple[int, int]]
) -> _Judgement:
    within = [span for span in secrets if span[0] < piece.end and span[1] > piece.start]
    if within:
        return _rejecting(masked(message, within, piece.start, piece.end), SECRET)
    sentence = message[piece.start : piece.end]
    if len(sentence) > MAX_CHARACTERS:
        return _rejecting(sentence, TOO_LONG)
    if is_about_here(sentence):
        return _rejecting(sentence, ABOUT_HERE)
    (start, end), removed = without_meta(sentence)
    rejected = tuple(Rejected(clause, ABOUT_HERE) for clause in removed)
    body = sentence[start:end]
    if len(body) < MIN_CHARACTERS or not _states(body, piece.is_list):
        return _Judgement(rejected=rejected)
    if not _leans(body):
        at = piece.start + start
        return _Judgement(tuple((at + a, at + b) for a, b in _facts(body)), rejected)
    if before is None or not piece.follows or piece.end - before.start > MAX_CHARACTERS:
        return _Judgement(rejected=rejected)
    return _Judgement(((before.start, piece.end),), rejected)


def _rejecting(text: str, reason: str) -> _Judgement:
    return _Judgement(rejected=(Rejected(gist(text) if reason is TOO_LONG else text, reason),))


def _reaching(piece: Sentence, spans: Sequence[tuple[int, int]]) -> Sentence:
    """The piece, from where its statement begins: what leans on it takes all of that along."""
    start = min((span[0] for span in spans), default=piece.start)
    return Sentence(min(start, piece.start), piece.end)


def _states(text: str, is_list: bool) -> bool:
    if is_list:
        lines = text.splitlines()
        return any(_states_one(line.lstrip(" \t-*+•")) for line in lines) or _states_one(text)
    return _states_one(text)


def _states_one(text: str) -> bool:
    if states_requirement(text):
        return True
    words = lexemes(text)
    if not any(one.is_value for one in words):
        return False
    if is_task(words) or is_trouble(words):
        return False
    return claim_of(words) is not None or _tells_of_url(words) or _names_in_other_script(words)


def _tells_of_url(words: Sequence[Lexeme]) -> bool:
    """A sentence about a URL, but no bare one and no tale (`I found this on https://…`)."""
    if not any(one.kind == "url" for one in words):
        return False
    spoken = [one.folded for one in words if one.role is Role.WORD]
    if len(spoken) < 2 or spoken[0].split("'")[0] in ("i", "im", "ive"):
        return False
    return spoken[0] != "see" or "for" in spoken


def _names_in_other_script(words: Sequence[Lexeme]) -> bool:
    """A sentence in another script that carries an identifier: kept whole, for want of rules."""
    letters = "".join(one.text for one in words if one.role is Role.WORD)
    foreign = sum(c.isalpha() and c > "\u036f" for c in letters)
    return foreign * 2 > len(letters) and any(one.role is Role.IDENTIFIER for one in words)


def _leans(text: str) -> bool:
    """Whether a sentence needs the one before it to say what it is about."""
    spoken = [one.folded for one in lexemes(text) if one.role is not Role.MARK]
    if spoken[:2] == ["it's", "important"] or spoken[:3] == ["it", "is", "important"]:
        return False
    if not spoken or spoken[0] in PRONOUNS | {"he", "she"}:
        return True
    return len(spoken) <= 6 and any(word in ("it", "them") for word in spoken[1:4])


def _facts(sentence: str) -> list[tuple[int, int]]:
    """The two or more facts of a sentence, or the sentence.

    It is divided only where each part is a claim with its own subject that ends with its value, and
    nothing qualifies the whole.
    """
    whole = [(0, len(sentence))]
    words = lexemes(sentence)
    if not words or words[0].folded in _OPENING or any(one.folded in LIMITS for one in words):
        return whole
    parts = _parts(sentence)
    if len(parts) < 2 or not all(_is_complete(sentence[a:b]) for a, b in parts):
        return whole
    parts[-1] = (parts[-1][0], len(sentence))
    return parts


_OPENING = word_set(
    """
    in on for at during from after before with under as since within to by both all inside outside
    via behind through using per over across throughout given externally internally publicly
    """
)


def _parts(sentence: str) -> list[tuple[int, int]]:
    return [span for a, b in clauses(sentence) for span in _trimmed(sentence, a, b)]


def _trimmed(sentence: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    while start < end and sentence[start].isspace():
        start += 1
    lead = sentence[start:end].casefold()
    if lead.startswith("and "):
        start += 4
    while end > start and sentence[end - 1].isspace():
        end -= 1
    if start < end:
        yield start, end


def _is_complete(clause: str) -> bool:
    claim = claim_of(lexemes(clause))
    return claim is not None and not any(one.role is not Role.MARK for one in claim.rest)
