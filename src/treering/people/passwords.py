"""Passwords: argon2id hashes, and what a password must be."""

from __future__ import annotations

import unicodedata
from functools import cached_property

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerifyMismatchError

from treering.errors import InvalidRequest
from treering.system import System

_LEAST_CHARACTERS, _MOST_CHARACTERS = 12, 1_000
_SALT_BYTES = 16


class Passwords:
    """Hashes and compares passwords at the cost that RFC 9106, section 4, names second.

    One hash takes 64 MiB and about a sixth of a second, so callers bound how many run at once.
    """

    def __init__(self, system: System) -> None:
        self._system = system
        self._hasher = PasswordHasher()

    def hashed(self, password: str) -> str:
        """What is stored of a password; raises InvalidRequest for one that will not do."""
        return self._hash(_checked(password))

    def match(self, hashed: str | None, password: str) -> bool:
        """Whether a password is the one; as slow for nobody's hash, None, which none matches."""
        try:
            self._hasher.verify(hashed or self._of_nobody, _normalised(password))
        except (VerifyMismatchError, InvalidHashError):
            return False
        return hashed is not None

    @cached_property
    def _of_nobody(self) -> str:
        return self._hash(self._system.random(_SALT_BYTES).hex())

    def _hash(self, password: str) -> str:
        return self._hasher.hash(password, salt=self._system.random(_SALT_BYTES))


def _checked(password: str) -> str:
    try:
        password.encode("utf-8")
    except UnicodeEncodeError:
        raise InvalidRequest("password: is not text in UTF-8") from None
    if not _LEAST_CHARACTERS <= len(password) <= _MOST_CHARACTERS:
        raise InvalidRequest(
            f"password: must have {_LEAST_CHARACTERS} to {_MOST_CHARACTERS:,} characters"
        )
    return _normalised(password)


def _normalised(password: str) -> str:
    """The same password, however a keyboard composes it (NIST SP 800-63B, section 5.1.1.2)."""
    return unicodedata.normalize("NFKC", password)
