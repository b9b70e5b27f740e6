"""Clients: programs that register themselves, and where they may have people sent back to."""

from __future__ import annotations

import math
from dataclasses import dataclass

from treering.errors import InvalidRequest, RateLimited
from treering.oauth.parameters import Parameters
from treering.oauth.problems import OAuthProblem
from treering.oauth.redirects import matches, problem_of, with_parameters
from treering.rules.instants import DAY_MS
from treering.store.oauth import ClientRecord, OAuthStore
from treering.system import System
from treering.throttle import Throttle

MOST_UNUSED = 200
"""How many registrations that nobody has allowed anything are kept; the oldest go first."""
UNUSED_MS = DAY_MS
"""How long one of those is kept."""
_MOST_URIS = 10
_MOST_NAME_CHARACTERS = 100


@dataclass(frozen=True, slots=True)
class Registration:
    """What a program says of itself; nothing of it is checked by anyone."""

    redirect_uris: list[str]
    name: str = ""


@dataclass(frozen=True, slots=True)
class ReturnAddress:
    """A client that there is, and one of its own redirect URIs: errors may be sent there."""

    client: ClientRecord
    redirect_uri: str
    state: str | None
    issuer: str

    def with_code(self, code: str) -> str:
        """Where the browser goes with an authorization code (RFC 6749, 4.1.2; RFC 9207)."""
        return self._with({"code": code})

    def with_problem(self, problem: OAuthProblem) -> str:
        """Where the browser goes with an error (RFC 6749, 4.1.2.1)."""
        return self._with({"error": problem.code, "error_description": problem.description})

    def _with(self, answer: dict[str, str]) -> str:
        state = {} if self.state is None else {"state": self.state}
        return with_parameters(self.redirect_uri, {**answer, **state, "iss": self.issuer})


class Clients:
    """Registers clients, and knows them again. Safe to use from several threads."""

    def __init__(self, store: OAuthStore, system: System) -> None:
        self._store = store
        self._system = system
        self._by_address = Throttle(burst=20, every_s=60.0)

    def register(self, registration: Registration, address: str) -> ClientRecord:
        """A new client; raises OAuthProblem for one that will not do.

        Raises RateLimited after too many from one address.
        """
        _check(registration)
        wait = self._by_address.take(address, self._system.monotonic())
        if wait:
            seconds = math.ceil(wait)
            raise RateLimited(
                f"too many registrations; try again in {seconds} s", retry_after=seconds
            )
        client = ClientRecord(
            id=self._system.new_id(),
            name=_shown_name(registration.name),
            redirect_uris=tuple(registration.redirect_uris),
            created=self._system.now(),
        )
        self._store.add_client(client, MOST_UNUSED, client.created - UNUSED_MS)
        return client

    def known(self, client_id: str | None) -> ClientRecord:
        """The client of that id; raises OAuthProblem."""
        found = None if client_id is None else self._store.client(client_id)
        if found is None:
            raise OAuthProblem("invalid_client", "there is no such client; register again", 401)
        return found

    def return_address(self, request: Parameters, issuer: str) -> ReturnAddress:
        """Whom an authorization request may be answered to.

        Raises InvalidRequest, which is shown to the person and sent nowhere.
        """
        client = self._store.client(request.need("client_id"))
        if client is None:
            raise InvalidRequest(
                "client_id: this server does not know the program; have it connect anew"
            )
        named = request.get("redirect_uri")
        if named is None and len(client.redirect_uris) == 1:
            named = client.redirect_uris[0]
        if named is None or not any(matches(uri, named) for uri in client.redirect_uris):
            raise InvalidRequest("redirect_uri: is none that the program has registered")
        states = request.all("state")
        return ReturnAddress(client, named, states[0] if len(states) == 1 else None, issuer)


def _check(registration: Registration) -> None:
    uris = registration.redirect_uris
    if not 1 <= len(uris) <= _MOST_URIS:
        raise OAuthProblem("invalid_redirect_uri", f"redirect_uris must be 1 to {_MOST_URIS}")
    for number, uri in enumerate(uris):
        problem = problem_of(uri)
        if problem:
            raise OAuthProblem("invalid_redirect_uri", f"redirect_uris[{number}] {problem}")


def _shown_name(name: str) -> str:
    """A name without what is not seen or turns the reading order around."""
    visible = "".join(each if each.isprintable() else " " for each in name)
    return " ".join(visible.split())[:_MOST_NAME_CHARACTERS]
