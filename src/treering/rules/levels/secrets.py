"""Secrets in a text: API keys, passwords, tokens and private keys, with few false alarms.

Commit hashes, UUIDs, digests, versions and the names of variables are no secrets.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from treering.rules.levels.secret_values import is_dense, is_secret_value, stands_for_secret

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
        (?P<label>pass(?:word|wd|phrase|code)|pwd|(?<![A-Za-z])(?:pass|pw)(?=\s?[:=])
          |secret(?:[ _-]?(?:access[ _-]?)?key)?
          |(?:api|access|auth|private|signing|encryption)[ _-]?(?:key|token)|token|credential)
        ["'`]?(?:\s(?:for|of|on|to)\s[\w.-]{1,30}(?:\s(?!is\b|was\b)[\w.-]{1,30})?|\s?\([^()\n]{1,30}\))?\s{0,4}
        (?P<by>[:=]{1,3}>?|->|\u2192|\b(?:is|was)\b:?|'s\b|\s)(?:\s{0,4}(?:now|set\ to))?\s{0,4}
        (?P<quote>["'`]?)(?P<value>[^\s"'`,;]{6,400})""",
    re.VERBOSE | re.IGNORECASE,
)


def secret_spans(text: str) -> list[tuple[int, int]]:
    """Where secrets stand in a text; spans in order, none inside another."""
    spans = [found.span() for found in _KNOWN.finditer(text)]
    spans += _key_blocks(text)
    spans += [found.span(1) for found in _BEARER.finditer(text) if is_dense(found[1])]
    spans += [f.span(1) for f in _USERINFO.finditer(text) if not stands_for_secret(f[1])]
    spans += [f.span("value") for f in _LABELLED.finditer(text) if _is_secret(f)]
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


def _is_secret(found: re.Match[str]) -> bool:
    """Whether what follows `password is`, `token=` or `secret:` is a secret itself."""
    by = found["by"]
    if by == "'s" or (by.isspace() and found["quote"]):
        by = "is"
    return is_secret_value(found["label"], by.rstrip(":") or by, found["value"])
