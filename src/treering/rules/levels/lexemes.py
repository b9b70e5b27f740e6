"""A text as words, identifiers, code spans, amounts, signs and the punctuation that joins them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache

from treering.rules.levels.identifiers import folded, identifiers
from treering.rules.levels.words import UNITS

_REREAD = 8
"""Each rule reads a sentence anew, so that the last few are kept as they were read."""


class Role(StrEnum):
    """What a lexeme is, beyond the shape of an identifier."""

    WORD = "word"
    IDENTIFIER = "identifier"
    CODE = "code"
    NUMBER = "number"
    AMOUNT = "amount"
    SIGN = "sign"
    MARK = "mark"


@dataclass(frozen=True, slots=True)
class Lexeme:
    """One piece of a text: `text[start:end]`; `folded` is what comparisons see.

    `kind` names what a value is: an identifier's shape, `code`, or `amount`; empty otherwise.
    """

    text: str
    folded: str
    role: Role
    kind: str
    start: int
    end: int

    @property
    def is_value(self) -> bool:
        """Whether it is identifier-shaped, quoted as code, or an amount."""
        return self.role in (Role.IDENTIFIER, Role.CODE, Role.AMOUNT)

    @property
    def is_symbol(self) -> bool:
        """Whether it is no word but a sign: `<`, `->`, `&`, `❌`."""
        if self.role is Role.WORD:
            return not any(map(str.isalnum, self.text))
        return self.role is Role.SIGN


_code_span = re.compile(r"`([^`\n]{1,500})`")
_MARKS = ":;,=()\\[\\]?!\u2014\u2013\u3001\u3002\uff0c\uff1f\uff01\uff1a\uff1b\u061f\u060c"
_COMPARING = "<>\u2264\u2265\u2260\u2248"
_CURRENCY = "$\u20ac\u00a3\u00a5\u20b9"
_SIGN = (
    rf"[-=!~]{{0,3}}[{_COMPARING}][-=!~{_COMPARING}]{{0,4}}"  # < >= <=> -> =>
    r"|[!=]==?|[=!]~|~~"  # != == === =~, struck out
    rf"|(?<!\w)[-~^](?=[{_CURRENCY}v]?\d|\Z)"  # -5ms -$5 ~30 ^1.2
    r"|(?<!\S)!(?=[\w.*/]|\Z)"  # !keep.log
    r"|\[[ xX]\]"  # what is ticked, and what is not
)
_piece = re.compile(
    rf"(?P<amount>[{_CURRENCY}]\s?\d[\d.,]*(?:[kKmM]\b)?|\d[\d.,]*\s?[{_CURRENCY}%])"
    r"|(?P<number>[+-]?\d(?:[\d.,]*\d)?+(?![^\W\d_]))"
    rf"|(?P<sign>{_SIGN})"
    rf"|(?P<mark>[{_MARKS}])"
    rf"|(?P<word>(?:[^\s{_MARKS}{_COMPARING}~-]+|(?![-~]{{1,3}}[{_COMPARING}]|~~)[-~])+)"
)
_bracketed = re.compile(r"<([^\s<>=\d-][^\s<>]{0,200})>")
"""`<b>`, `List<int>`, `<db.acme.dev>`: what stands in angle brackets compares nothing."""
_EDGES = "\"'`.*_~<>{}|\u2018\u2019\u201c\u201d\u00ab\u00bb\u2026\u300c\u300d-"


@lru_cache(maxsize=_REREAD)
def lexemes(text: str) -> tuple[Lexeme, ...]:
    """The pieces of a text in order; white space and ornament are left out."""
    return tuple(_with_units(list(_pieces(text))))


def opaque_spans(text: str) -> list[tuple[int, int]]:
    """Where identifiers and code spans stand: punctuation inside them means nothing."""
    return [(start, end) for start, end, _ in _solids(text)]


@lru_cache(maxsize=_REREAD)
def _solids(text: str) -> tuple[tuple[int, int, str], ...]:
    spans = [(m.start(), m.end(), "code") for m in _code_span.finditer(text)]
    spans += [(one.start, one.end, one.shape.value) for one in identifiers(text)]
    spans.sort(key=lambda span: (span[0], -span[1]))
    kept: list[tuple[int, int, str]] = []
    for span in spans:
        if not kept or span[0] >= kept[-1][1]:
            kept.append(span)
    return tuple(kept)


def _pieces(text: str) -> Iterator[Lexeme]:
    at = 0
    loose = _bracketed.sub(r" \1 ", text)
    for start, end, kind in _solids(text):
        yield from _loose(loose, at, start)
        yield _solid(text[start:end], kind, start, end)
        at = end
    yield from _loose(loose, at, len(text))


def _solid(run: str, kind: str, start: int, end: int) -> Lexeme:
    if kind == "code":
        return Lexeme(run, run.strip("`").strip().casefold(), Role.CODE, kind, start, end)
    return Lexeme(run, folded(run), Role.IDENTIFIER, kind, start, end)


def _loose(text: str, start: int, end: int) -> Iterator[Lexeme]:
    for match in _piece.finditer(text, start, end):
        role = Role(match.lastgroup or "word")
        run = match[0]
        if role is Role.WORD:
            run = run.strip(_EDGES)
            if not run:
                continue
        if role is Role.SIGN and match.end() == end and not _counts(run, text[end : end + 2]):
            continue
        kind = "amount" if role is Role.AMOUNT else ""
        shown = run.casefold().replace("\u2019", "'").replace(" ", "")
        yield Lexeme(run, shown, role, kind, match.start(), match.end())


def _counts(sign: str, after: str) -> bool:
    """Whether a sign that an identifier follows says something of it, as a hyphen does not."""
    if sign not in ("-", "~", "^"):
        return True
    return after.removeprefix("v")[:1].isdigit()


def _with_units(pieces: list[Lexeme]) -> Iterator[Lexeme]:
    """Numbers with the unit that follows them, or that they carry (`30 seconds`, `50ms`)."""
    at = 0
    while at < len(pieces):
        one = pieces[at]
        after = pieces[at + 1] if at + 1 < len(pieces) else None
        if one.role is Role.NUMBER and after is not None and after.folded in UNITS:
            text = f"{one.text} {after.text}"
            measured = f"{one.folded}{after.folded}"
            yield Lexeme(text, measured, Role.AMOUNT, "amount", one.start, after.end)
            at += 2
            continue
        if one.role is Role.WORD and _carries_unit(one.folded):
            yield Lexeme(one.text, one.folded, Role.AMOUNT, "amount", one.start, one.end)
        else:
            yield one
        at += 1


def _carries_unit(word: str) -> bool:
    digits = len(word) - len(word.lstrip("0123456789.,"))
    return digits > 0 and word[digits:] in UNITS
