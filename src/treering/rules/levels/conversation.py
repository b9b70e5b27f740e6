"""Text that is about this conversation only: bare acknowledgements, and how to answer just now."""

from __future__ import annotations

import re

from treering.rules.levels.clauses import clauses
from treering.rules.levels.words import word_set

_ACKNOWLEDGING = word_set(
    """
    ok okay k thanks thank you thx ty so much very great perfect nice cool awesome good got it
    sounds yes yep yeah yup sure no nope please understood alright all right fine done will do
    makes sense excellent wonderful cheers noted roger copy that lol haha hi hello hey morning
    afternoon evening bye well then again a lot exactly correct agreed indeed amazing super
    """
)
_TALK = r"(?:conversation|chat|discussion)"
_HERE = (
    r"(?:conversation|chat|discussion|session|thread|exchange|turn|message|reply|answer|response)"
)
_IN = r"(?:for|in|during|within|throughout)"
_THIS = r"(?:this|our|the current|our current)"
_surely_here = re.compile(
    rf"\b{_IN} {_THIS} {_TALK}\b"
    rf"|\bonly {_IN} {_THIS} {_HERE}\b|\b{_IN} {_THIS} {_HERE} only\b"
    rf"|\bin your (?:next|last|following) {_HERE}\b"
    rf"|\bfor the rest of (?:this|the|our) {_TALK}\b"
    r"|\bjust (?:this once|for now|for today)\b",
    re.IGNORECASE,
)
_perhaps_here = re.compile(
    rf"\b{_IN} {_THIS} {_HERE}\b|\bin the (?:next|last|following) {_HERE}\b"
    rf"|\bfor the rest of (?:this|the|our) {_HERE}\b",
    re.IGNORECASE,
)
"""Programs have sessions, threads, messages and responses of their own."""
_opener = re.compile(
    r"[^\w]*(?:(?:please|and|but|so|also|ok|okay|just|only)[,]?\s)*", re.IGNORECASE
)
_how_to_answer = re.compile(
    r"\b(?:answer\w*|repl(?:y|ies|ying)|respond\w*|speak|talk|say|call me|write|explain\w*|emojis?"
    r"|bullets?|markdown|tone|brief\w*|concise\w*|short\w*|terse\w*|verbose|formal|informal|polite"
    r"|language|english|french|german|spanish)\b",
    re.IGNORECASE,
)
_OBJECT = (
    r"(?:this|that|it|these|them|anything|any\ of\ (?:this|that|it)"
    r"|the\ (?:repo|code|codebase|files?))"
)
_DO_NOT = (
    r"(?:do\ not|don't|dont|no\ need\ to|without"
    r"|you\ (?:do\ not|don't|need\ not)(?:\ (?:need|have)\ to)?)"
)
_VERIFY = r"(?:verify|verifying|check|checking|confirm|validate|look\ up|double-check|cross-check)"
_AGAINST = r"(?:against|in|with|for|on|from)\s(?:the\s|this\s|that\s|it\s|our\s)?\w{0,20}"
_SAID = r"(?:message|question|request|instruction|reply|answer|part|mistake|typo|comment)s?"
_meta = re.compile(
    rf"""(?:(?:and|but|so|also|ok|okay|please|just|only|for\ now)[,]?\s)*(?:
        (?:remember|keep|hold|note|store|save|memori[sz]e|take)\s{_OBJECT}
            (?:\s(?:for\ (?:now|later)|in\ (?:mind|memory)|down))*
      | {_DO_NOT}\s(?:try\ to\s)?{_VERIFY}(?:\s{_OBJECT}(?:\s{_AGAINST})?)?
      | (?:do\ not|don't|dont)\s(?:answer|reply|respond|say|act|worry)
            (?:\s(?:yet|now|anything|this|that|it|(?:about|on)\ (?:it|this|that)))*
      | (?:do\ not|don't|dont)\s(?:do|change|run|start)\s(?:(?:anything|this|that|it)\s)?(?:yet|now)
      | (?:just\s)?(?:acknowledge|confirm|reply|respond|answer|say)
            (?:\s(?:this|that|it|with|receipt|ok|okay|yes|only|briefly|"\w{{1,12}}"))*
      | (?:ignore|disregard|forget)\s(?:that|this|it|what\si\s(?:just\s)?said
            |(?:my|the|that|this)\s(?:last\s|previous\s|earlier\s|first\s)?{_SAID})(?:\sabove)?
      | never\s?mind(?:\s(?:that|this|it|the\ \w{{1,20}}))?
      | i\ will\ (?:paste|send|explain|tell\ you)(?:\s\w{{1,20}}){{1,6}}
    )(?:[,]?\s(?:please|for\ now|right\ now|yet|thanks))*""",
    re.IGNORECASE | re.VERBOSE,
)
_hint = re.compile(
    r"\b(?:remember|keep|hold|note|store|save|memori[sz]e|take|do\s*n[o']t|don\u2019t|dont|need|without"
    r"|acknowledge|confirm|reply|respond|answer|say|ignore|disregard|forget|never\s?mind|i\swill)\b",
    re.IGNORECASE,
)
"""A word of each kind of `_meta`: most sentences have none, and need not be looked at closer."""
_stop = re.compile(r"(?<=[.!?。！？])\s+")
_lead = re.compile(r"[:：][ \t]*\n")
_first_word = re.compile(r"[\w']+")


def is_scoped_here(sentence: str) -> bool:
    """Whether a sentence says of itself that it holds in this conversation only.

    `In this session, …` does, and so does `answer in French in this session`; `never allocate
    memory in this thread` speaks of a program.
    """
    if _surely_here.search(sentence):
        return True
    found = _perhaps_here.search(sentence)
    if found is None:
        return False
    opener = _opener.match(sentence)
    if opener is not None and found.start() == opener.end():
        return True
    before, after = sentence[: found.start()], sentence[found.end() :]
    return bool(_how_to_answer.search(before) or _how_to_answer.search(after))


def is_about_here(text: str) -> bool:
    """Whether all of a text is about this conversation only.

    `ok, thanks!`, `Just remember this for now, do not verify this against the repo.`, `For this
    conversation only:` with a list.
    """
    parts = _stop.split(text.strip())
    for part in parts:
        if is_scoped_here(_lead.split(part, maxsplit=1)[0]) and _lead.search(part):
            return True
        if not is_scoped_here(part) and not _is_talk(part):
            return False
    return True


def _is_talk(sentence: str) -> bool:
    if len(sentence) > _LONGEST or not _opens_so(sentence):
        return False
    pieces = clauses(sentence)
    return bool(pieces) and all(
        _is_acknowledging(sentence[a:b]) or is_meta(sentence[a:b]) for a, b in pieces
    )


_LONGEST = 300
"""No acknowledgement is longer."""


def without_meta(sentence: str) -> tuple[tuple[int, int], list[str]]:
    """The span of a sentence without clauses at its ends that are about the conversation; those.

    `Just remember this for now: the port is 5433` leaves `the port is 5433`.
    """
    if not _hint.search(sentence):
        return (0, len(sentence)), []
    pieces = clauses(sentence)
    removed: list[str] = []
    while len(pieces) > 1 and is_meta(sentence[slice(*pieces[0])]):
        start, end = pieces.pop(0)
        removed.append(sentence[start:end])
    while len(pieces) > 1 and is_meta(sentence[slice(*pieces[-1])]):
        start, end = pieces.pop()
        removed.append(sentence[start:end])
    if not removed:
        return (0, len(sentence)), []
    return (pieces[0][0], pieces[-1][1]), removed


def _opens_so(text: str) -> bool:
    first = _first_word.search(text)
    return first is not None and (first[0].casefold() in _ACKNOWLEDGING or bool(_hint.search(text)))


def _is_acknowledging(clause: str) -> bool:
    words = re.findall(r"[\w']+", clause.casefold())
    return len(words) <= 8 and all(word in _ACKNOWLEDGING for word in words)


def is_meta(clause: str) -> bool:
    """Whether a clause speaks about the conversation itself: `remember this for now`."""
    return bool(_meta.fullmatch(clause.strip(" .!\t\n\"'").replace("\u2019", "'")))
