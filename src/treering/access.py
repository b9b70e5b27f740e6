"""Keys and scopes: who may do what. One table, read by every face."""

from __future__ import annotations

import base64
import hashlib
from dataclasses import dataclass, replace
from typing import Any

from treering import requests
from treering.errors import Forbidden, InvalidRequest, Unauthorized
from treering.requests import Request
from treering.system import System

READ = "memories:read"
WRITE = "memories:write"
REFLECT = "memories:reflect"
DELETE = "memories:delete"
STATS = "stats:read"
KEYS = "keys:manage"
PROVIDERS = "providers:use"

SCOPES = (READ, WRITE, REFLECT, DELETE, STATS, KEYS, PROVIDERS)
DEFAULT_SCOPES = frozenset(SCOPES[:5])
OAUTH_SCOPES = SCOPES[:5]
"""What a program that signs in by OAuth can be given: never keys, nor the operator's money."""

SCOPES_OF: dict[type[Request[Any]], tuple[str, ...]] = {
    requests.IngestRequest: (WRITE,),
    requests.UploadRequest: (WRITE,),
    requests.SearchRequest: (READ,),
    requests.PrepareRequest: (READ,),
    requests.DateSearchRequest: (READ,),
    requests.InspectRequest: (READ,),
    requests.WarmupRequest: (READ,),
    requests.CheckoutRequest: (REFLECT,),
    requests.CommitRequest: (REFLECT,),
    requests.RevertRequest: (REFLECT, DELETE),
    requests.DeleteRequest: (DELETE,),
    requests.WipeRequest: (DELETE,),
    requests.StatsRequest: (STATS,),
    requests.UsageRequest: (STATS,),
    requests.DebtRequest: (STATS,),
    requests.ContextRequest: (READ,),
    requests.RecallRequest: (READ,),
    requests.TurnRequest: (WRITE,),
    requests.StoreRequest: (WRITE,),
    requests.MemoriesRequest: (READ,),
    requests.MemoryRequest: (READ,),
    requests.EditRequest: (WRITE,),
    requests.ForgetRequest: (DELETE,),
    requests.TensionsRequest: (READ,),
    requests.OpenTensionRequest: (WRITE,),
    requests.ChangeTensionRequest: (WRITE,),
    requests.DropTensionRequest: (WRITE,),
    requests.SelfModelRequest: (READ,),
    requests.OutcomeRequest: (WRITE,),
    requests.LevelStatsRequest: (STATS,),
    requests.AnalyticsRequest: (STATS,),
    requests.BuildsRequest: (READ,),
    requests.BuildRequest: (READ,),
    requests.SettingsRequest: (KEYS,),
    requests.ChangeSettingsRequest: (KEYS,),
}
"""The scopes that each verb needs, whichever face it is called through."""

_NARROWED_TO = {
    "read": frozenset({READ, STATS}),
    "write": frozenset({WRITE}),
    "off": frozenset[str](),
}
_SUFFIXES = ", ".join(f":{suffix}" for suffix in _NARROWED_TO)
_KEY_PREFIX = "mk_"
_SECRET_BYTES = 32
_SHOWN_CHARACTERS, _SHOWN_SHARE = 9, 4
_LEAST_PARTLY_SHOWN = 20
_MAX_KEY_CHARACTERS = 512


@dataclass(frozen=True, slots=True)
class Grant:
    """What a presented key allows: one vault, some scopes, until `expires` (epoch ms).

    With `is_connection` it is no key but an access token's, and `key_id` its connection's.
    """

    key_id: str
    vault_id: str
    account_id: str
    scopes: frozenset[str]
    expires: int | None = None
    is_connection: bool = False

    def require(self, scope: str) -> None:
        """Raise Forbidden unless the grant holds the scope."""
        if scope not in self.scopes:
            raise Forbidden(scope, connection=self.is_connection)

    def allow(self, verb: type[Request[Any]]) -> None:
        """Raise Forbidden unless the grant holds the verb's scopes."""
        for scope in SCOPES_OF[verb]:
            self.require(scope)

    def narrowed(self, suffix: str | None) -> Grant:
        """The grant under a key's suffix, which only ever takes away."""
        if suffix is None:
            return self
        return replace(self, scopes=self.scopes & _NARROWED_TO[suffix])


@dataclass(frozen=True, slots=True)
class PresentedKey:
    """A key as it was sent, its suffix apart."""

    secret: str
    suffix: str | None

    @classmethod
    def parse(cls, text: str) -> PresentedKey:
        """The key in `text`; raises Unauthorized for what can be none."""
        secret, colon, suffix = text.partition(":")
        if not is_key(secret):
            raise Unauthorized
        if colon and suffix not in _NARROWED_TO:
            # Said of any key, so that it tells nothing of whether there is one.
            raise Unauthorized(f"A key's suffix must be one of {_SUFFIXES}; or leave it out.")
        return cls(secret, suffix or None)


def is_key(secret: str) -> bool:
    """Whether a text has the form of a memory key: `mk_` and printable ASCII without spaces."""
    return (
        secret.startswith(_KEY_PREFIX)
        and len(_KEY_PREFIX) < len(secret) <= _MAX_KEY_CHARACTERS
        and all("!" <= character <= "~" and character != ":" for character in secret)
    )


def new_key(system: System) -> str:
    """A new key of 256 random bits."""
    return new_secret(system, _KEY_PREFIX)


def new_secret(system: System, prefix: str = "") -> str:
    """256 random bits as text that is safe in URLs, headers and cookies."""
    random = system.random(_SECRET_BYTES)
    return prefix + base64.urlsafe_b64encode(random).rstrip(b"=").decode("ascii")


def hash_of(secret: str) -> bytes:
    """What is stored of a key, or of any other secret."""
    return hashlib.sha256(secret.encode("utf-8", "surrogatepass")).digest()


def shown_prefix(secret: str) -> str:
    """The start of a key, for telling keys apart in a list: at most a quarter of it.

    Of a short key, which can only be set by hand, no more than that it is one.
    """
    if len(secret) < _LEAST_PARTLY_SHOWN:
        return f"{_KEY_PREFIX}…"
    return secret[: min(_SHOWN_CHARACTERS, len(secret) // _SHOWN_SHARE)]


def checked_scopes(scopes: list[str] | None, held: frozenset[str] | None) -> frozenset[str]:
    """The scopes of a new key; raises InvalidRequest for unknown ones, Forbidden for ones not held.

    `held` are the scopes of the key that asks, None for the operator at the command line.
    """
    if scopes is None:
        return DEFAULT_SCOPES if held is None else DEFAULT_SCOPES & held
    unknown = [scope for scope in scopes if scope not in SCOPES]
    if unknown or not scopes:
        raise InvalidRequest(f"scopes: must be some of {', '.join(SCOPES)}")
    for scope in scopes:
        if held is not None and scope not in held:
            raise Forbidden(scope)
    return frozenset(scopes)
