"""Connections: what people allow clients, and the codes and tokens that follow from it."""

from __future__ import annotations

import base64
import hashlib
import hmac
import re
from dataclasses import dataclass

from treering.access import Grant, hash_of, new_secret
from treering.errors import InvalidRequest, NotFound, Unauthorized
from treering.key_uses import KeyUses
from treering.oauth.asked import Asked, check_resource
from treering.oauth.parameters import Parameters
from treering.oauth.problems import OAuthProblem
from treering.people import Person
from treering.rules.instants import DAY_MS
from treering.store.control import ControlStore, VaultRecord
from treering.store.oauth import (
    CodeRecord,
    ConnectionRecord,
    ListedConnection,
    NewToken,
    TokenRecord,
)
from treering.system import System

CODE_MS = 60_000
ACCESS_TOKEN_MS = 3_600_000
REFRESH_TOKEN_MS = 30 * DAY_MS

_ACCESS, _REFRESH = "mo_", "mr_"
_VERIFIER = re.compile(r"[A-Za-z0-9\-._~]{43,128}")
_MOST_NAME_CHARACTERS = 200
_OVER = "The access token is unknown, expired or was ended; sign in again."


@dataclass(frozen=True, slots=True)
class Tokens:
    """What a client is given; the secrets are shown this once."""

    access: str
    refresh: str
    scopes: frozenset[str]


@dataclass(frozen=True, slots=True)
class Choice:
    """What a person allows: some of the scopes asked for, in a vault or, for None, a new one."""

    vault_id: str | None
    new_vault: str
    scopes: frozenset[str]


class Connections:
    """Makes, renews, resolves and ends connections. Safe to use from several threads.

    The code and every token of a connection are one family: when a code or a refresh token comes a
    second time, somebody has a copy, and the whole family ends (OAuth 2.1, 4.1.3 and 4.3.1).
    """

    def __init__(self, control: ControlStore, system: System) -> None:
        self._control = control
        self._store = control.oauth
        self._system = system
        self._uses = KeyUses(self._store.used_connection, "treering-connection-uses")

    def allow(self, person: Person, asked: Asked, choice: Choice) -> str:
        """The authorization code for what a person allows; raises InvalidRequest."""
        scopes = choice.scopes & frozenset(asked.scopes)
        if not scopes:
            raise InvalidRequest("scopes: choose at least one thing to allow, or deny")
        now = self._system.now()
        vault = self._vault(person, choice, now)
        secret = new_secret(self._system)
        connection = ConnectionRecord(
            id=self._system.new_id(),
            client_id=asked.to.client.id,
            person_id=person.id,
            vault_id=vault.id,
            account_id=vault.account_id,
            scopes=scopes,
            resource=asked.resource,
            created=now,
            code=CodeRecord(hash_of(secret), asked.to.redirect_uri, asked.challenge, now + CODE_MS),
        )
        self._store.add_connection(connection)
        return secret

    def exchange(self, client_id: str, form: Parameters, resource: str) -> Tokens:
        """The tokens for a code; raises OAuthProblem."""
        connection = self._store.connection_of_code(hash_of(_needed(form, "code")))
        now = self._system.now()
        if connection is None or connection.client_id != client_id:
            raise _no_grant("the code is none of this client's")
        if connection.redeemed is not None:
            raise self._used_twice(connection.id, "the code")
        if connection.code.expires <= now:
            raise _no_grant("the code has expired")
        _check_exchange(connection, form, resource)
        tokens = self._new_tokens(connection.scopes)
        if not self._store.redeem(connection.id, self._stored(tokens, connection.scopes, now), now):
            raise self._used_twice(connection.id, "the code")
        return tokens

    def refresh(self, client_id: str, form: Parameters, resource: str) -> Tokens:
        """New tokens for a refresh token, which is used up by that; raises OAuthProblem."""
        presented = hash_of(_needed(form, "refresh_token"))
        token = self._store.token(presented)
        now = self._system.now()
        if token is None or token.kind != "refresh" or token.connection.client_id != client_id:
            raise _no_grant("the refresh token is none of this client's")
        connection = token.connection
        if token.replaced is not None:
            raise self._used_twice(connection.id, "the refresh token")
        if token.expires <= now:
            raise _no_grant("the refresh token has expired")
        _check_audience(connection, form, resource)
        tokens = self._new_tokens(_narrowed(connection.scopes, form))
        if not self._store.rotate(presented, self._stored(tokens, connection.scopes, now), now):
            raise self._used_twice(connection.id, "the refresh token")
        return tokens

    def end(self, client_id: str, secret: str) -> None:
        """End a token at its client's wish: an access token alone, a refresh token with its family.

        Says nothing of what was there (RFC 7009, 2.2).
        """
        token = self._store.token(hash_of(secret))
        if token is None or token.connection.client_id != client_id:
            return
        if token.kind == "access":
            self._store.delete_token(hash_of(secret))
        else:
            self._store.delete_connection(token.connection.id)

    def grant_for(self, secret: str, audience: str) -> Grant:
        """What an access token allows where it is presented.

        Raises Unauthorized when it is unknown, over, or was made for another place.
        """
        token = self._store.token(hash_of(secret))
        now = self._system.now()
        if token is None or not _opens(token, audience, now):
            raise Unauthorized(_OVER)
        connection = token.connection
        self._uses.note(connection.id, connection.last_used, now)
        return Grant(
            key_id=connection.id,
            vault_id=connection.vault_id,
            account_id=connection.account_id,
            scopes=token.scopes,
            expires=token.expires,
            is_connection=True,
        )

    def listed(self, account_id: str) -> list[ListedConnection]:
        """An account's connections that can be used, newest first."""
        return self._store.connections(account_id, self._system.now())

    def last_used(self, connection: ListedConnection) -> int | None:
        """When a connection was last used, whether that is stored yet or not."""
        return self._uses.last(connection.id, connection.last_used)

    def revoke(self, connection_id: str, account_id: str) -> None:
        """End a connection at once; raises NotFound."""
        if not self._store.delete_connection(connection_id, account_id):
            raise NotFound("connection", connection_id)

    def close(self) -> None:
        """Give what is pending a moment, and stop."""
        self._uses.close()

    def _vault(self, person: Person, choice: Choice, now: int) -> VaultRecord:
        if choice.vault_id is not None:
            for vault in self._control.vaults(person.account_id):
                if vault.id == choice.vault_id:
                    return vault
            raise InvalidRequest("vault: choose one of yours, or a new one")
        name = choice.new_vault.strip()
        if not 1 <= len(name) <= _MOST_NAME_CHARACTERS or not name.isprintable():
            raise InvalidRequest(
                f"new_vault: must be 1 to {_MOST_NAME_CHARACTERS} printable characters"
            )
        if name in {vault.name for vault in self._control.vaults(person.account_id)}:
            raise InvalidRequest(
                "new_vault: you have a vault of that name; choose it, or name the new one otherwise"
            )
        made = VaultRecord(self._system.new_id(), person.account_id, name, now)
        self._control.add_vault(made)
        return made

    def _new_tokens(self, scopes: frozenset[str]) -> Tokens:
        access, refresh = (new_secret(self._system, prefix) for prefix in (_ACCESS, _REFRESH))
        return Tokens(access, refresh, scopes)

    def _stored(self, tokens: Tokens, held: frozenset[str], now: int) -> tuple[NewToken, NewToken]:
        """Tokens as they are kept; the refresh token holds all that the person allowed."""
        access, refresh = hash_of(tokens.access), hash_of(tokens.refresh)
        return (
            NewToken(access, "access", tokens.scopes, now, now + ACCESS_TOKEN_MS),
            NewToken(refresh, "refresh", held, now, now + REFRESH_TOKEN_MS),
        )

    def _used_twice(self, connection_id: str, what: str) -> OAuthProblem:
        self._store.delete_connection(connection_id)
        return _no_grant(f"{what} was used before; the connection has been ended")


def is_access_token(presented: str) -> bool:
    """Whether a text has the form of an access token, as against a memory key's."""
    return presented.startswith(_ACCESS)


def _opens(token: TokenRecord, audience: str, now: int) -> bool:
    is_for_here = token.connection.resource == audience
    return token.kind == "access" and now < token.expires and is_for_here


def _check_exchange(connection: ConnectionRecord, form: Parameters, resource: str) -> None:
    """Raise OAuthProblem unless the code's bounds are kept: address, resource and proof."""
    redirect_uri = form.get("redirect_uri")
    # OAuth 2.1 leaves it out here, where PKCE does the same; 2.0 sends it, and then it is compared.
    if redirect_uri is not None and redirect_uri != connection.code.redirect_uri:
        raise _no_grant("redirect_uri is another than the code was sent to")
    _check_audience(connection, form, resource)
    verifier = _needed(form, "code_verifier")
    digest = hashlib.sha256(verifier.encode()).digest()
    challenge = base64.urlsafe_b64encode(digest).rstrip(b"=")
    proven = hmac.compare_digest(challenge, connection.code.challenge.encode())
    if not (_VERIFIER.fullmatch(verifier) and proven):
        raise _no_grant("code_verifier does not prove the code_challenge")


def _check_audience(connection: ConnectionRecord, form: Parameters, resource: str) -> None:
    check_resource(form, resource)
    if connection.resource != resource:
        raise OAuthProblem("invalid_target", "this was allowed for another address of the server")


def _narrowed(held: frozenset[str], form: Parameters) -> frozenset[str]:
    wanted = frozenset((form.get("scope") or "").split())
    if not wanted <= held:
        raise OAuthProblem("invalid_scope", "more than the person allowed is asked for")
    return wanted or held


def _needed(form: Parameters, name: str) -> str:
    value = form.get(name)
    if value is None:
        raise OAuthProblem("invalid_request", f"{name} is missing")
    return value


def _no_grant(description: str) -> OAuthProblem:
    return OAuthProblem("invalid_grant", description)
