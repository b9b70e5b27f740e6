"""What is learnt from a user's message, by rules alone, in the user's own words."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from operator import itemgetter
from typing import Literal

from treering.rules.levels.claims import claim_of, is_task, is_trouble
from treering.rules.levels.clauses import clauses
from treering.rules.levels.conversation import is_about_here, without_meta
from treering.rules.levels.gist import gist
from treering.rules.levels.injected import is_ours
from treering.rules.levels.lexemes import Lexeme, Role, lexemes
from treering.rules.levels.questions import asks
from treering.rules.levels.requirements import states_requirement
from treering.rules.levels.secrets import holds_secret, masked, secret_spans
from treering.rules.levels.sentences import Passage, passages
from treering.rules.levels.words import LIMITS, PRONOUNS

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

    A statement is a sentence, a list item, a list or a section with the lead-in or the heading that
    qualifies it, or one of two facts of a sentence; one that begins with a pronoun takes the
    sentence before it along, so that it keeps its subject. It states a requirement, a claim whose
    value is identifier-shaped, or says something of a URL. Fenced code and quoted lines state
    nothing.
    """
    if asks(user_message):
        return Capture(learning_skipped="question-turn")
    secrets = secret_spans(user_message)
    spans: list[tuple[int, int]] = []
    rejected: list[Rejected] = []
    before: int | None = None
    for piece in passages(user_message):
        found = _judge(user_message, piece, before, secrets)
        for start, end in found.spans:
            # A statement that took the sentence before it along stands in for that one's own.
            while spans and spans[-1][1] > start:
                spans.pop()
            spans.append((start, end))
        rejected += found.rejected
        # What leans on this one takes along all that its statement stands on.
        before = None if found.rejected else min([piece.start, *(span[0] for span in found.spans)])
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
    message: str, piece: Passage, before: int | None, secrets: Sequence[tuple[int, int]]
) -> _Judgement:
    """What a passage states; `before` is where the one before it begins, if that may be told."""
    text = message[piece.start : piece.end]
    if is_ours(text):
        return _Judgement()
    within = _overlapping(secrets, piece.start, piece.end)
    if within:
        return _rejecting(masked(message, within, piece.start, piece.end), SECRET)
    if len(text) > MAX_CHARACTERS:
        return _rejecting(text, TOO_LONG)
    if is_about_here(text):
        return _rejecting(text, ABOUT_HERE)
    (start, end), removed = ((0, len(text)), []) if piece.is_led else without_meta(text)
    rejected = tuple(Rejected(clause, ABOUT_HERE) for clause in removed)
    body = text[start:end]
    parts = [message[one.start : one.end] for one in piece.parts] if piece.is_led else [body]
    if len(body) < MIN_CHARACTERS or not _states(parts):
        return _Judgement(rejected=rejected)
    if not _leans(parts[0], is_lead=piece.is_led):
        at = piece.start + start
        facts = [(0, len(body))] if piece.is_led else _facts(body)
        return _Judgement(tuple((at + a, at + b) for a, b in facts), rejected)
    if before is None or not piece.follows or piece.end - before > MAX_CHARACTERS:
        return _Judgement(rejected=rejected)
    return _Judgement(((before, piece.end),), rejected)


def _overlapping(spans: Sequence[tuple[int, int]], start: int, end: int) -> list[tuple[int, int]]:
    """Those of the spans, which are in order and apart, that lie in `start` to `end` in part."""
    first = bisect_right(spans, start, key=itemgetter(1))
    return list(spans[first : bisect_left(spans, end, key=itemgetter(0))])


def _rejecting(text: str, reason: str) -> _Judgement:
    return _Judgement(rejected=(Rejected(gist(text) if reason is TOO_LONG else text, reason),))


def _states(parts: Sequence[str]) -> bool:
    """Whether any part of a passage states something, or all of it together (`Always:`, a list)."""
    return any(map(_states_one, parts)) or (len(parts) > 1 and _states_one(" ".join(parts)))


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


def _leans(text: str, *, is_lead: bool) -> bool:
    """Whether a sentence needs the one before it to say what it is about.

    `These hold in staging:` speaks of what comes after it.
    """
    spoken = [
        one.folded for one in lexemes(text) if one.role is not Role.MARK and not one.is_symbol
    ]
    if spoken[:2] == ["it's", "important"] or spoken[:3] == ["it", "is", "important"]:
        return False
    if is_lead and spoken[:1] and spoken[0] in _POINTS_DOWN:
        return False
    if not spoken or spoken[0] in PRONOUNS:
        return True
    return len(spoken) <= 6 and any(word in ("it", "them") for word in spoken[1:4])


_POINTS_DOWN = frozenset("this these those here what which there's here's".split())


def _facts(sentence: str) -> list[tuple[int, int]]:
    """The two or more facts of a sentence, or the sentence.

    It is divided only where each part is a claim with its own subject that ends with its value, and
    nothing qualifies the whole: the first part opens with its subject, which is one word, or has an
    article or a possessive.
    """
    whole = [(0, len(sentence))]
    words = lexemes(sentence)
    if not words or any(one.folded in LIMITS for one in words):
        return whole
    parts = _parts(sentence)
    if len(parts) < 2 or not all(_is_complete(sentence[a:b]) for a, b in parts):
        return whole
    if not _opens_with_subject(lexemes(sentence[slice(*parts[0])])):
        return whole
    parts[-1] = (parts[-1][0], len(sentence))
    return parts


def _opens_with_subject(clause: Sequence[Lexeme]) -> bool:
    claim = claim_of(clause)
    if claim is None:
        return False
    first = claim.subject[0]
    is_possessive = first.folded in _DETERMINERS or first.folded.endswith(("'s", "s'"))
    return is_possessive or len(claim.subject) == 1


_DETERMINERS = frozenset("the a an our my your his her its their".split())


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
