"""Secrets in a text: API keys, passwords, tokens and private keys, with few false alarms.

Commit hashes, UUIDs, digests, versions and the names of variables are no secrets.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

_KNOWN = re.compile(
    r"""(?<![A-Za-z0-9_-])(?:
        sk-(?:proj-|ant-|or-)?[A-Za-z0-9_-]{20,200}          # model providers
      | [srp]k_(?:live|test)_[A-Za-z0-9]{10,200} | whsec_[A-Za-z0-9]{16,200}
      | gh[oprsu]_[A-Za-z0-9]{30,255} | github_pat_[A-Za-z0-9_]{30,255} | glpat-[\w-]{18,200}
      | xox[abeoprs]-[A-Za-z0-9-]{10,200} | xapp-[A-Za-z0-9-]{20,200}
      | (?:AKIA|ASIA)[A-Z0-9]{16}(?![A-Za-z0-9])
      | AIza[\w-]{35} | ya29\.[\w-]{20,400} | hf_[A-Za-z0-9]{30,100} | npm_[A-Za-z0-9]{36}
      | pypi-[\w-]{40,400} | SG\.[\w-]{16,64}\.[\w-]{16,64} | dop_v1_[a-f0-9]{64}
      | mk_[\w-]{20,200} | xai-[A-Za-z0-9]{40,200} | AGE-SECRET-KEY-1[A-Z0-9]{50,70}
      | eyJ[\w-]{8,2000}\.eyJ[\w-]{4,4000}\.[\w-]{10,2000}   # a JSON web token
    )""",
    re.VERBOSE,
)
_PRIVATE_KEY = re.compile(r"-----BEGIN [A-Z0-9 ]{0,30}PRIVATE KEY(?: BLOCK)?-----")
_BEARER = re.compile(r"\b(?:Bearer|Basic)\s{1,4}([A-Za-z0-9._~+/=-]{16,4000})")
_USERINFO = re.compile(r"://[^\s/@:]{1,128}:([^\s/@]{3,256})@")
_LABELLED = re.compile(
    r"""(?<![A-Za-z0-9])[A-Za-z0-9_-]{0,40}?
        (?P<label>pass(?:word|wd|phrase)|pwd|secret(?:[ _-]?(?:access[ _-]?)?key)?
          |(?:api|access|auth|private|signing|encryption)[ _-]?(?:key|token)|token|credential)
        ["'`]?\s{0,4}(?P<by>=|:|\bis\b|\bwas\b|\s)(?:\s{0,4}(?:now|set\ to))?\s{0,4}["'`]?
        (?P<value>[^\s"'`,;]{6,400})""",
    re.VERBOSE | re.IGNORECASE,
)
_PLACEHOLDER = re.compile(
    r"(?:<[\w .-]*>?|\[[\w .-]*\]?|\(?\{{1,2}[\w .-]*\}*\)?|\([\w .-]*\)?"  # <key>, {{ key }}
    r"|(?-i:\$[A-Z_][A-Z0-9_]*)|\$\{[\w.:-]*\}?|\$\([^)]*\)?|%\w+%|%\w"  # $KEY, ${key}, %KEY%
    r"|[x*.•…-]{3,}"
    r"|(?:your|my)(?:[_-][a-z]+)+"
    r"|(?:changeme|placeholder|redacted|example|dummy)[a-z_-]*"
    r"|pass(?:word|wd)?|pwd|secret|token|string|required|optional|hidden|secure)\W*$",
    re.IGNORECASE,
)
_NAMES_A_PLACE = re.compile(
    r"[a-z][a-z0-9+.-]{1,15}://|(?:~|\.{1,2})/|/[\w.-]*/|/[a-z]+(?:\.[a-z]{1,5})?\W?$|[A-Z]:\\"
    r"|[A-Z][A-Z0-9]*_[A-Z0-9_]+$|[a-z][\w-]*(?:\.[a-z][\w-]*)+(?:\(\)|:\d+)?\W?$"
)
_HYPHENATED = re.compile(r"[a-z]+(?:[_-][a-z]+)+\W?$")


def secret_spans(text: str) -> list[tuple[int, int]]:
    """Where secrets stand in a text; spans in order, none inside another."""
    spans = [found.span() for found in _KNOWN.finditer(text)]
    spans += _key_blocks(text)
    spans += [found.span(1) for found in _BEARER.finditer(text) if _is_dense(found[1])]
    spans += [f.span(1) for f in _USERINFO.finditer(text) if not _PLACEHOLDER.match(f[1])]
    spans += [f.span("value") for f in _LABELLED.finditer(text) if _is_value(f)]
    spans.sort(key=lambda span: (span[0], -span[1]))
    kept: list[tuple[int, int]] = []
    for span in spans:
        if not kept or span[0] >= kept[-1][1]:
            kept.append(span)
    return kept


def holds_secret(text: str) -> bool:
    """Whether a text holds a secret."""
    return bool(secret_spans(text))


def redacted(text: str) -> str:
    """`text` with each secret as `[secret]`."""
    return masked(text, secret_spans(text), 0, len(text))


def masked(text: str, spans: Sequence[tuple[int, int]], start: int, end: int) -> str:
    """`text[start:end]` with what of the `spans`, which are in order, lies in it as `[secret]`."""
    pieces: list[str] = []
    at = start
    for begin, stop in spans:
        pieces += [text[at : max(begin, at)], "[secret]"]
        at = min(stop, end)
    return "".join([*pieces, text[at:end]])


def _key_blocks(text: str) -> list[tuple[int, int]]:
    """Private keys from their first line to their last, or to the end of what was cut off."""
    blocks: list[tuple[int, int]] = []
    for found in _PRIVATE_KEY.finditer(text):
        if blocks and found.start() < blocks[-1][1]:
            continue
        end = text.find("-----END", found.end())
        close = text.find("-----", end + 8) if end >= 0 else -1
        blocks.append((found.start(), close + 5 if close >= 0 else len(text)))
    return blocks


def _is_value(found: re.Match[str]) -> bool:
    """Whether what follows `password is`, `token=` or `secret:` is a secret itself."""
    by, value = found["by"], found["value"].rstrip(".!?)")
    if len(value) < 6 or _PLACEHOLDER.match(value) or _NAMES_A_PLACE.match(value):
        return False
    if _HYPHENATED.match(value):
        # `password: see-vault` names where it is; words enough are the password itself.
        return found["label"].casefold().startswith("p") and len(re.split("[_-]", value)) > 3
    has_digit = any(c.isdigit() for c in value)
    has_letter = any(c.isalpha() for c in value)
    if by in ("=", ":"):
        return has_letter and (has_digit or not value.isalpha() or not value.islower())
    if by.isspace():
        return len(value) >= 16 and _is_dense(value)
    has_symbol = any(c in "!@#$%^&*+=" for c in value)
    return has_letter and (has_digit or has_symbol)


def _is_dense(value: str) -> bool:
    """Mixed letters and digits, as random strings are and words are not."""
    has_upper = any(c.isupper() for c in value)
    has_lower = any(c.islower() for c in value)
    return has_upper and has_lower and any(c.isdigit() for c in value)
