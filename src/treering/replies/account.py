"""What keys, usage and health answer."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from treering.replies.fields import OMIT_NONE


@dataclass(frozen=True, slots=True)
class Metered:
    """Calls and the tokens that they metered."""

    calls: int = 0
    tokens: int = 0

    def __add__(self, other: Metered) -> Metered:
        return Metered(self.calls + other.calls, self.tokens + other.tokens)


@dataclass(frozen=True, slots=True)
class UsageReply:
    """Metered usage from `start` to `end`; calls without a session or key are under `""`.

    `by_key` and `by_vault` are there for who manages keys, `unreadable` where the files of those
    vaults cannot be read, so that their usage is missing.
    """

    start: str
    end: str
    total: Metered
    by_endpoint: dict[str, Metered]
    by_session: dict[str, Metered]
    by_day: dict[str, Metered]
    by_key: Annotated[dict[str, Metered] | None, OMIT_NONE] = None
    by_vault: Annotated[dict[str, Metered] | None, OMIT_NONE] = None
    unreadable: Annotated[list[str] | None, OMIT_NONE] = None


@dataclass(frozen=True, slots=True)
class KeyReply:
    """A new memory key. `key`, the secret itself, is shown this once."""

    id: str
    key: str
    name: str
    prefix: str
    vault_id: str
    scopes: list[str]
    created_at: str
    expires_at: str | None


@dataclass(frozen=True, slots=True)
class ListedKey:
    """A memory key as it is listed: `active`, `expired` or `revoked`."""

    id: str
    name: str
    prefix: str
    vault_id: str
    scopes: list[str]
    created_at: str
    expires_at: str | None
    status: str
    last_used_at: str | None


@dataclass(frozen=True, slots=True)
class KeysReply:
    """The keys of an account."""

    keys: list[ListedKey]


@dataclass(frozen=True, slots=True)
class RevokedReply:
    """A key that works no more."""

    id: str
    status: str


@dataclass(frozen=True, slots=True)
class PersonReply:
    """Someone who signs in with a password."""

    id: str
    name: str
    created_at: str


@dataclass(frozen=True, slots=True)
class PeopleReply:
    """Everyone who signs in with a password."""

    people: list[PersonReply]


@dataclass(frozen=True, slots=True)
class HealthReply:
    """Whether the server is well; `problems` say what is not and what to do."""

    ok: bool
    service: str
    version: str
    extractor: str
    limits: dict[str, int]
    problems: list[str]
    pending_vectors: int
