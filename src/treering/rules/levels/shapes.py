"""The shapes of identifiers: what kind of identifier a run of characters is, if any."""

from __future__ import annotations

import ipaddress
import re
from enum import StrEnum

from treering.rules.levels.words import BRANDS, LINK_WORDS, UNITS, word_set

MAX_LENGTH = 2_048
"""A longer run is data, not a name for something."""


class Shape(StrEnum):
    """The kinds of identifiers."""

    URL = "url"
    HOST = "host"
    IP = "ip"
    PATH = "path"
    EMAIL = "email"
    VERSION = "version"
    PORT = "port"
    DATE = "date"
    NAME = "name"
    CODE = "code"


_LABEL = r"[^\W_](?:[\w-]{0,62}\w)?"
_HOST = rf"{_LABEL}(?:\.{_LABEL})+"
_host = re.compile(rf"_?{_HOST}(?::\d{{1,5}})?")
_local_port = re.compile(r"localhost(?::\d{1,5})?|[a-z][a-z0-9-]{0,62}:\d{4,5}")
_email = re.compile(rf"[\w.+%-]{{1,64}}@{_HOST}")
_ssh = re.compile(rf"[\w.-]{{1,64}}@{_HOST}:[\w./~-]+")
_uuid = re.compile(r"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")
_date = re.compile(
    r"\d{4}-\d{2}-\d{2}(?:T[\d:.]+(?:Z|[+-]\d\d:?\d\d)?)?|\d{1,2}([/.])\d{1,2}\1\d{4}"
)
_ipv4 = re.compile(r"(\d{1,3}(?:\.\d{1,3}){3})(?:/\d{1,2})?(?::\d{1,5})?")
_ipv6 = re.compile(r"([0-9a-fA-F:.]{3,45})(?:/\d{1,3})?")
_version = re.compile(
    r"v?\d{1,9}(?:\.\d{1,9}){2,4}(?:[-+.]?[A-Za-z][\w.+-]*|[-+][\w.+-]+)?"
    r"|v\d{1,9}(?:\.\d{1,9}){0,4}(?:[-+][\w.+-]+)?"
)
_digest = re.compile(r"sha\d{1,3}[:-][\w+/=-]{8,}")
_flag = re.compile(r"--[a-z][a-z0-9]*(?:-[a-z0-9]+)*")
_dunder = re.compile(r"__[a-z]+__")
_word = re.compile(r"\w+")
_camel = re.compile(r"[a-z]+[0-9]*[A-Z]\w*|[A-Z][a-z0-9]+[A-Z]\w*|[A-Z]{2,}[a-z]{2}\w*")
_hex = re.compile(r"0x[0-9a-fA-F]+|[0-9a-f]{7,64}|[0-9A-F]{7,64}")
_number = re.compile(r"\d{6,40}|#\d{1,9}")
_kebab = re.compile(r"[a-z][a-z0-9]*(?:-[a-z0-9]+){2,}")
_mixed = re.compile(r"[A-Za-z0-9]+(?:[-_.][A-Za-z0-9]+)*")
_measure = re.compile(r"\d[\d.,]*[-]?([A-Za-zµ%]+)\d?(?:/[a-z]+)?")
_path_root = re.compile(r"(?:~|\.{1,2})?/|@[\w-]+/")
_TOP_FOLDERS = word_set(
    """
    src lib app apps bin cmd pkg docs doc test tests spec scripts tools packages services infra
    config configs assets public static migrations internal modules vendor build dist out
    feature fix hotfix bugfix release origin upstream refs
    """
)


def shape_of(run: str) -> Shape | None:
    """The kind of identifier that `run`, a run of characters without space, is as a whole."""
    if not 2 <= len(run) <= MAX_LENGTH or _is_plain(run):
        return None
    if "@" in run and (_email.fullmatch(run) or _ssh.fullmatch(run)):
        return Shape.EMAIL if ":" not in run else Shape.PATH
    if "/" in run:
        return _slashed(run)
    if ":" in run:
        return _coloned(run)
    if run[0].isdigit() or run[-1].isdigit() or "." in run:
        return _numbered(run) or _dotted(run) or _name(run)
    return _name(run)


def _is_plain(run: str) -> bool:
    """Most words of any text, told apart before a dozen patterns are tried on them."""
    return len(run) < 40 and run.isalpha() and run.islower() and run != "localhost"


def _slashed(run: str) -> Shape | None:
    if _date.fullmatch(run):
        return Shape.DATE
    if _is_ipv4(run) or _is_ipv6(run):
        return Shape.IP
    segments = [segment for segment in run.split("/") if segment]
    if not segments or _measure.fullmatch(run):
        return None
    if _path_root.match(run):
        return Shape.PATH if any(c.isalpha() for c in run) else None
    # An alternation of words (`yes/no/maybe`, `CI/CD`) looks like a path without a telling segment.
    tells = any(shape_of(segment) is not None for segment in segments)
    is_foldered = segments[0] in _TOP_FOLDERS and len(segments) > 1
    return Shape.PATH if tells or is_foldered else None


def _coloned(run: str) -> Shape | None:
    if _is_ipv4(run) or _is_ipv6(run):
        return Shape.IP
    if _digest.fullmatch(run) or re.fullmatch(r"arn:[\w:*.-]+", run):
        return Shape.CODE
    if _date.fullmatch(run):
        return Shape.DATE
    host, _, port = run.rpartition(":")
    if port.isdigit() and (_local_port.fullmatch(run) or _dotted(host) is Shape.HOST):
        return Shape.HOST
    return None


def _numbered(run: str) -> Shape | None:
    if _uuid.fullmatch(run):
        return Shape.CODE
    if _date.fullmatch(run):
        return Shape.DATE
    if _is_ipv4(run):
        return Shape.IP
    if _version.fullmatch(run):
        return Shape.VERSION
    return None


def _dotted(run: str) -> Shape | None:
    if "." not in run or not _host.fullmatch(run):
        return None
    labels = run.split(".")
    is_abbreviation = all(len(label) <= 2 and label.isalpha() for label in labels)
    is_sentence_end = labels[-1][0].isupper() and labels[-2][-1].islower() and len(labels) == 2
    is_number = _measure.fullmatch(run) or all(label.isdigit() for label in labels)
    if is_abbreviation or is_sentence_end or is_number or not any(c.isalpha() for c in labels[-1]):
        return None
    return Shape.HOST


def _name(run: str) -> Shape | None:
    if run == "localhost":
        return Shape.HOST
    if _is_snake(run) or _flag.fullmatch(run):
        return Shape.NAME
    if _camel.fullmatch(run) and run not in BRANDS and not _is_plural_acronym(run):
        return Shape.NAME
    if _is_code(run):
        return Shape.CODE
    if _kebab.fullmatch(run) and len(run) >= 10 and not LINK_WORDS.intersection(run.split("-")):
        return Shape.NAME
    return None


def _is_snake(run: str) -> bool:
    if "_" not in run.strip("_"):
        return _dunder.fullmatch(run) is not None
    return _word.fullmatch(run) is not None


def _is_code(run: str) -> bool:
    has_letter = any(c.isalpha() for c in run)
    has_digit = any(c.isdigit() for c in run)
    if not has_digit:
        return bool(re.fullmatch(r"[0-9a-f]{40}|[0-9a-f]{64}", run))
    if not has_letter:
        return bool(_number.fullmatch(run) or re.fullmatch(r"\d{2,}(?:-\d{2,})+", run))
    if _uuid.fullmatch(run) or _hex.fullmatch(run) or _digest.fullmatch(run):
        return True
    return len(run) >= 3 and bool(_mixed.fullmatch(run)) and not _is_measure(run)


def _is_measure(run: str) -> bool:
    """`30ms`, `1st`, `5pm`, `100MB`, `3x`: a number with its unit."""
    found = _measure.fullmatch(run)
    return found is not None and (found[1].lower() in UNITS or len(found[1]) == 1)


def _is_plural_acronym(run: str) -> bool:
    return run.endswith("s") and run[:-1].isupper()


def _is_ipv4(run: str) -> bool:
    found = _ipv4.fullmatch(run)
    return found is not None and all(int(octet) < 256 for octet in found[1].split("."))


def _is_ipv6(run: str) -> bool:
    found = _ipv6.fullmatch(run)
    if found is None or found[1].count(":") < 2:
        return False
    try:
        ipaddress.IPv6Address(found[1])
    except ValueError:
        return False
    return True
