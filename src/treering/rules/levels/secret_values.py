"""Whether what stands behind `password is`, `token=` or `secret:` is the secret itself.

It may be a placeholder, the name of a variable, the place where the secret lies, or a word on it.
Each of these is told by the whole of the value: a password may begin like any of them.
"""

from __future__ import annotations

import re

from treering.rules.levels.words import word_set

_MIN = 6
_SYMBOLS = frozenset("!@#$%^&*+=")
_CLOSING = {"<": ">", "[": "]", "{": "}", "(": ")"}

_reference = re.compile(
    r"(?-i:\$[A-Z_][A-Z0-9_]*|\$[a-z]+(?:_[a-z]+)+)|\$(?:password|passwd|pass|pwd|secret|token|key)"
    r"|\$[{(].*|%\w+%|%[a-z]|%\(\w+\)s|\{\{.*",
    re.IGNORECASE,
)
_masked = re.compile(r"[xX*•.…#_-]+")
_placeholder = re.compile(
    r"(?:your|my)(?:[_-][a-z]+)+|(?:changeme|placeholder|redacted|example|dummy)[a-z_-]*\d{0,3}"
    r"|pass(?:word|wd)?|pwd|secret|token|string|required|optional|hidden|secure|bearer|basic"
    r"|undefined|boolean|default|str(?:ing)?(?:\|\w+)+",
    re.IGNORECASE,
)
_algorithm = re.compile(
    r"base(?:32|58|64)|oauth2|sha\d{1,3}|md5|argon2(?:id|i|d)?|pbkdf2|[hrep]s(?:256|384|512)|x509"
    r"|ed25519|utf-?8",
    re.IGNORECASE,
)
_web = re.compile(r"https?://\S+|arn:[\w:/*.-]+|\[[^\]]*\]\(.*")
_path = re.compile(
    r"(?:[a-z][a-z0-9+.-]{1,15}:/|~|\.{1,2})?(?:/[\w.@%+-]+)+/?|[A-Za-z]:\\[\w\\. -]+"
    r"|[a-z][a-z0-9_-]*(?:/[a-z0-9_.-]+)+"
)
_dotted = re.compile(r"[a-z][\w-]*(?:\.[A-Za-z][\w-]*)+(?:\(\)?|:\d+|\[)?")
_constant = re.compile(r"[A-Z][A-Z0-9]*_[A-Z0-9_]+")
_words = re.compile(r"[A-Za-z0-9]+(?:[_|-][A-Za-z0-9]+)*")
_word = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
_switch = re.compile(r"[A-Za-z](?=\d)|\d(?=[A-Za-z])")
_NAMING = word_set(
    """
    password passwords pass pwd token tokens secret secrets key keys cred creds credential
    credentials auth vault env config file name id user login store manager rotation cert tls ssl
    header cookie session access refresh bearer api account ref path value hash policy
    the a of in on to by for from is not and or at with as every per see ask min max length char
    chars characters minutes hours days only sensitive required optional encoded hashed encrypted
    protected based lived free less case read write time use signed default none null string
    auto generated coded supplied shared known managed rotated defined
    """
)
"""A value with one of these in it names the secret, or says something about it."""


def is_secret_value(label: str, by: str, value: str) -> bool:
    """Whether `value` is a secret, said of a `label` (`api key`, `pwd`) `by` `is`, `=` or space."""
    bare = value.rstrip(".!?)")
    if len(bare) < _MIN or stands_for_secret(value) or _tells_where(bare):
        return False
    is_password = label.casefold().startswith(("pass", "pw"))
    if _words.fullmatch(bare) and not _is_random(bare):
        words = re.split("[_|-]", bare)
        if _says_what_it_is(bare, words):
            return False
        if len(words) > 2:
            return not by.isspace()
        if len(words) == 2 and bare.replace("-", "").islower() and _letters_only(bare):
            return is_password and not by.isspace() and not _is_verb(by)
    return _is_made_up(bare, by, is_password=is_password)


def stands_for_secret(value: str) -> bool:
    """Whether a value holds the place of a secret: `$TOKEN`, `{{ token }}`, `<token>`, `****`."""
    bare = value.rstrip(".,;:!?")
    if _masked.fullmatch(bare) or _placeholder.fullmatch(bare):
        return True
    if _reference.fullmatch(bare):
        return not _is_random(bare)
    closing = _CLOSING.get(value[:1])
    return closing is not None and not _is_random(value[1:].partition(closing)[0])


def _tells_where(value: str) -> bool:
    """Whether it names a place, or something in a program, of which no part looks random."""
    if _web.fullmatch(value) or _algorithm.fullmatch(value):
        return True
    is_name = _path.fullmatch(value) or _dotted.fullmatch(value) or _constant.fullmatch(value)
    return is_name is not None and not _is_random(value)


def _says_what_it_is(value: str, words: list[str]) -> bool:
    """`db-credentials`, `min-length-12`, `base64-encoded`: words about a secret, not a secret."""
    if any(map(_algorithm.fullmatch, words)):
        return True
    if len(words) < 3 and not _letters_only(value):
        return False
    return not _NAMING.isdisjoint(word.casefold() for word in _word.findall(value))


def _is_made_up(value: str, by: str, *, is_password: bool) -> bool:
    """Whether no word of a language is written so: with digits or symbols, as `by` asks for."""
    if by.isspace():
        return len(value) >= 16 and is_dense(value)
    if not any(map(str.isalpha, value)):
        return is_password and value.isdigit()
    has_digit = any(map(str.isdigit, value))
    if _is_verb(by):
        return has_digit or not _SYMBOLS.isdisjoint(value)
    return has_digit or not value.isalpha() or not value.islower()


def is_dense(value: str) -> bool:
    """Mixed letters and digits, as random strings are and words are not."""
    has_upper = any(c.isupper() for c in value)
    has_lower = any(c.islower() for c in value)
    return has_upper and has_lower and any(c.isdigit() for c in value)


def _is_random(value: str) -> bool:
    """Letters and digits in turn, or digits beside symbols: `9f8a7b`, `hunter22!`."""
    if len(_switch.findall(value)) >= 3:
        return True
    has_symbol = any(c in "!@#^&*+=" for c in value)
    return has_symbol and any(map(str.isdigit, value))


def _is_verb(by: str) -> bool:
    return by.casefold() in ("is", "was")


def _letters_only(value: str) -> bool:
    return not any(map(str.isdigit, value))
