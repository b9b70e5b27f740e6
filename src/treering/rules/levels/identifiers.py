"""The identifiers in a text: the short, exact names that a memory is often kept for."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from treering.rules.levels.shapes import MAX_LENGTH, Shape, shape_of
from treering.rules.scripts import UNSPACED

# An ASCII name ends where such a script or its punctuation begins: `認証はauth.jpです`.
_UNSPACED = f"{UNSPACED}\u3000-\u303f\uff00-\uffef"
_WORD = rf"[^\W{_UNSPACED}]"
_STOPS = (
    r"\s<>\"`|{}\u00ab\u00bb\u2018-\u201f\u3001\u3002\u300c-\u3011\uff01\uff08\uff09\uff0c\uff1f"
)

_found = re.compile(
    rf"""
    (?P<url>(?<![^\W_])[A-Za-z][A-Za-z0-9+.-]{{1,15}}://
        (?:\[[0-9A-Fa-f:.]{{2,45}}\]|[^{_STOPS}/?\#\[\]{_UNSPACED}]{{1,512}})?
        (?:[:/?\#][^{_STOPS}]{{0,2000}})?)
  | (?P<unc>(?<![\w\\])\\\\{_WORD}[\w.$-]{{0,62}}(?:\\[^\s\\/:*?"<>|]{{1,255}}){{1,40}}\\?)
  | (?P<drive>(?<!\w)[A-Za-z]:[\\/]
        (?:[^\s\\/:*?"<>|](?:[^\\/:*?"<>|\r\n]{{0,80}}[^\s\\/:*?"<>|])?[\\/]){{0,40}}
        [^\s\\/:*?"<>|]{{0,255}})
  | (?P<rooted>(?<![\w/.~:-])(?:~|\.{{1,2}})?/[^{_STOPS}()\[\],;!?*]{{1,2000}})
  | (?P<run>(?:{_WORD}|[.@:\#-])(?:{_WORD}|[.\-+/:@~%\#=&$])*)
    """,
    re.VERBOSE,
)
_port = re.compile(
    r"\bports?(?:[ \t]{1,4}(?:is|was|to|number|now|not|no\.?)){0,3}[ \t]{0,4}[:=]?[ \t]{0,4}#?"
    r"(?P<port>\d{2,5})(?![\w-]|[.,:]\d)"
    r"|\b(?:listen|run|bind|serv|expos|bound|switch|mov)\w{0,6}[ \t]{1,4}on[ \t]{1,4}"
    r"(?P<bound>\d{2,5})(?![\w%-]|[.,:]\d)",
    re.IGNORECASE,
)
_version = re.compile(
    r"\b(?:version|release|(?!(?:The|An?|It|In|At|Of|Or|And|About|By|For|Is|Was|To|Only|Over)\b)"
    r"[A-Z][A-Za-z]{1,30})[ \t]{1,4}(?P<version>\d{1,4}\.\d{1,5})(?![\w%]|[.,]\d)"
)
_separator = re.compile(r"[:=&+@/#~%$]+")
_TRAILING = ".,;:!?'\"*-+=&\u2026"
_PAIRS = {")": "(", "]": "[", "}": "{", ">": "<"}


@dataclass(frozen=True, slots=True)
class Identifier:
    """One identifier and where it stands; `text[start:end]` is it."""

    text: str
    shape: Shape
    start: int
    end: int


def identifiers(text: str) -> tuple[Identifier, ...]:
    """Every identifier of a text, whole, in order; none overlaps another.

    URLs with query and fragment, dotted hosts (`db.acme.dev:5432`), IPv4 and IPv6, paths (POSIX,
    `C:\\ci\\x.ps1`, `\\\\nas\\share`), e-mail addresses, versions (`v1.2.3-rc.1`), ports (`port
    5433`), ISO dates, commit hashes, codes (`SR-2023-052`), SCREAMING_SNAKE, camelCase, snake_case
    and long kebab-case. Punctuation that ends a sentence is no part of one.
    """
    found = list(_plain(text))
    for match in (*_port.finditer(text), *_version.finditer(text)):
        group = match.lastgroup or ""
        shape = Shape.VERSION if group == "version" else Shape.PORT
        found.append(Identifier(match[group], shape, match.start(group), match.end(group)))
    found.sort(key=lambda one: (one.start, -one.end))
    kept: list[Identifier] = []
    for one in found:
        if not kept or one.start >= kept[-1].end:
            kept.append(one)
    return tuple(kept)


def identifier_keys(text: str) -> frozenset[str]:
    """What a store indexes of a text: each identifier folded, and each one that it holds whole.

    `https://auth.acme.dev:8443/x` also holds `auth.acme.dev:8443`, `auth.acme.dev` and `8443`;
    `src/auth/login.py` holds `login.py`.
    """
    keys: set[str] = set()
    for one in identifiers(text):
        keys.add(folded(one.text))
        keys.update(_parts(one))
    return frozenset(keys)


def folded(identifier: str) -> str:
    """The form in which identifiers are compared: case and a closing slash aside."""
    return identifier.casefold().rstrip("/\\") or identifier


def _plain(text: str) -> Iterator[Identifier]:
    for match in _found.finditer(text):
        start, end = _trimmed(text, match.start(), match.end())
        run = text[start:end]
        if not run:
            continue
        match match.lastgroup:
            case "url":
                yield Identifier(run, Shape.URL, start, end)
            case "unc" | "drive":
                yield Identifier(run, Shape.PATH, start, end)
            case _:
                yield from _in_run(run, start)


def _in_run(run: str, start: int) -> Iterator[Identifier]:
    """The run as a whole, or else the identifiers between its joints (`KEY=value`)."""
    shape = shape_of(run)
    if shape is not None:
        yield Identifier(run, shape, start, start + len(run))
        return
    if len(run) > MAX_LENGTH or not _separator.search(run):
        return
    at = 0
    for part in _separator.split(run):
        begin = run.index(part, at)
        at = begin + len(part)
        left, right = _trimmed(run, begin, at)
        shape = shape_of(run[left:right])
        if shape is not None:
            yield Identifier(run[left:right], shape, start + left, start + right)


def _trimmed(text: str, start: int, end: int) -> tuple[int, int]:
    """The span without sentence punctuation and without a bracket that opened outside it."""
    while end > start:
        last = text[end - 1]
        opening = _PAIRS.get(last)
        if (
            opening and text.count(opening, start, end) < text.count(last, start, end)
        ) or last in _TRAILING:
            end -= 1
        else:
            break
    while start < end and text[start] in ".:-@" and not _may_begin(text[start : start + 2]):
        start += 1
    return start, end


def _may_begin(pair: str) -> bool:
    return pair in ("--", "::", "./", "..") or (pair[0] == "@" and pair[1:].isalpha())


def _parts(one: Identifier) -> Iterator[str]:
    pieces = re.split(r"[/\\?&=#@:]+", one.text)
    if one.shape is Shape.VERSION:
        yield one.text.casefold().removeprefix("v")
    if one.shape in (Shape.URL, Shape.HOST, Shape.IP):
        authority = one.text.partition("://")[2] or one.text
        authority = re.split(r"[/?#\\]", authority, maxsplit=1)[0].rpartition("@")[2]
        yield authority.casefold()
        port = re.search(r":(\d{2,5})$", authority)
        if port and not authority.count(":") > 1:
            yield port[1]
    for piece in pieces:
        if shape_of(piece) is not None:
            yield folded(piece)
        for label in piece.split("."):
            if shape_of(label) in (Shape.NAME, Shape.CODE):
                yield folded(label)
