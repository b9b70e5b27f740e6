"""The control plane's protocol for OAuth: client programs, and what people allow them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

TokenKind = Literal["access", "refresh"]


@dataclass(frozen=True, slots=True)
class ClientRecord:
    """A program that registered itself; all of it is its own word. Times are epoch ms."""

    id: str
    name: str
    redirect_uris: tuple[str, ...]
    created: int


@dataclass(frozen=True, slots=True)
class CodeRecord:
    """An authorization code: the hash of it, and what it is bound to."""

    hash: bytes
    redirect_uri: str
    challenge: str
    expires: int


@dataclass(frozen=True, slots=True)
class ConnectionRecord:
    """What a person allows a client: some scopes of one vault, at one resource.

    It is the family of its code and of all tokens that follow from it; they end with it.
    """

    id: str
    client_id: str
    person_id: str
    vault_id: str
    account_id: str
    scopes: frozenset[str]
    resource: str
    created: int
    code: CodeRecord
    redeemed: int | None = None
    """When the code was exchanged; None as long as it was not."""
    last_used: int | None = None


@dataclass(frozen=True, slots=True)
class NewToken:
    """A token to be stored: its hash, never itself."""

    hash: bytes
    kind: TokenKind
    scopes: frozenset[str]
    created: int
    expires: int


@dataclass(frozen=True, slots=True)
class TokenRecord:
    """A token that there is, and the connection that it belongs to."""

    kind: TokenKind
    scopes: frozenset[str]
    expires: int
    replaced: int | None
    """When a refresh token was exchanged for its successor."""
    connection: ConnectionRecord


@dataclass(frozen=True, slots=True)
class ListedConnection:
    """A connection as a person reads it."""

    id: str
    client: str
    redirect_uri: str
    person: str
    vault_id: str
    vault: str
    scopes: frozenset[str]
    created: int
    last_used: int | None


class OAuthStore(Protocol):
    """Clients, connections and tokens."""

    def add_client(self, client: ClientRecord, most_unused: int, unused_before: int) -> None:
        """Store a client.

        Of those that nobody has allowed anything, what was made before `unused_before` and the
        oldest beyond `most_unused` are forgotten.
        """

    def client(self, client_id: str) -> ClientRecord | None: ...
    def add_connection(self, connection: ConnectionRecord) -> None:
        """Store a connection that waits for its code, and clear away those that are over.

        Raises Conflict when its client, person or vault has gone meanwhile.
        """

    def connection_of_code(self, hash: bytes) -> ConnectionRecord | None: ...
    def redeem(self, connection_id: str, tokens: Sequence[NewToken], now: int) -> bool:
        """Exchange a connection's code for tokens; False when that was done before."""

    def token(self, hash: bytes) -> TokenRecord | None: ...
    def rotate(self, refresh: bytes, tokens: Sequence[NewToken], now: int) -> bool:
        """Replace a refresh token by tokens of the same connection; False when it was before."""

    def delete_token(self, hash: bytes) -> None: ...
    def connections(self, account_id: str, now: int) -> list[ListedConnection]:
        """The account's connections that can be used, newest first."""

    def delete_connection(self, connection_id: str, account_id: str | None = None) -> bool:
        """Delete a connection and its tokens; False when the account has none with this id."""

    def used_connection(self, connection_id: str, now: int) -> None: ...
