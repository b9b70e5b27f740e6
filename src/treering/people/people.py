"""The people of an installation: made by the operator, signed in by name and password."""

from __future__ import annotations

import math
import unicodedata
from dataclasses import dataclass

from treering.access import hash_of, new_secret
from treering.errors import InvalidRequest, NotFound, RateLimited, Unauthorized
from treering.people.passwords import Passwords
from treering.replies import PeopleReply, PersonReply
from treering.rules.instants import DAY_MS, to_iso
from treering.store.control import ControlStore
from treering.store.people import PersonRecord, SessionRecord
from treering.system import System
from treering.throttle import Throttle

SESSION_MS = DAY_MS
"""How long a browser stays signed in."""
_MAX_NAME_CHARACTERS = 200
_WRONG = "The name or the password is wrong."


@dataclass(frozen=True, slots=True)
class Person:
    """Someone who is signed in."""

    id: str
    account_id: str
    name: str


class People:
    """Makes people, and signs them in and out. Safe to use from several threads."""

    def __init__(self, control: ControlStore, system: System) -> None:
        self._control = control
        self._store = control.people
        self._system = system
        self._passwords = Passwords(system)
        # A wrong password costs a try of its name and one of where it came from.
        self._by_name = Throttle(burst=10, every_s=30.0)
        self._by_address = Throttle(burst=30, every_s=10.0)

    def create(self, name: str, password: str) -> PersonReply:
        """Make a person of the first account, which is made when there is none.

        Raises Conflict when the name is taken, InvalidRequest for one that is none.
        """
        now = self._system.now()
        login = _login(_checked_name(name))
        hashed = self._passwords.hashed(password)
        account_id = self._control.ensure_account(self._system.new_id(), "default", now)
        person = PersonRecord(self._system.new_id(), account_id, name, login, hashed, now)
        self._store.add_person(person)
        return _reply(person)

    def set_password(self, name: str, password: str) -> PersonReply:
        """Set a person's password and sign them out everywhere; raises NotFound."""
        person = self._named(name)
        self._store.set_password(person.id, self._passwords.hashed(password))
        return _reply(person)

    def delete(self, name: str) -> PersonReply:
        """Delete a person, their sessions and the connections they allowed; raises NotFound."""
        person = self._named(name)
        self._store.delete_person(person.id)
        return _reply(person)

    def named(self, name: str) -> PersonReply:
        """The person who signs in by a name; raises NotFound."""
        return _reply(self._named(name))

    def all(self) -> PeopleReply:
        """Everyone, oldest first."""
        return PeopleReply([_reply(person) for person in self._store.people()])

    def sign_in(self, name: str, password: str, address: str) -> str:
        """A new session's secret.

        Raises Unauthorized where name or password is wrong, without saying which, and RateLimited
        after too many of those for the name or from the address.
        """
        login = _login(name[:_MAX_NAME_CHARACTERS])
        self._take(login, address)
        person = self._store.person(login)
        known = None if person is None else person.password
        if not self._passwords.match(known, password) or person is None:
            raise Unauthorized(_WRONG)
        now = self._system.now()
        secret = new_secret(self._system)
        session = SessionRecord(hash_of(secret), person.id, now, now + SESSION_MS)
        self._store.add_session(session, person.password)
        self._by_name.give_back(login)
        self._by_address.give_back(address)
        return secret

    def signed_in(self, secret: str) -> Person | None:
        """Whose session it is; None when it is over or there never was one."""
        found = self._store.signed_in(hash_of(secret), self._system.now())
        return None if found is None else Person(found.id, found.account_id, found.name)

    def sign_out(self, secret: str) -> None:
        """End a session at once."""
        self._store.delete_session(hash_of(secret))

    def new_visit(self) -> str:
        """A secret for the browser of someone who is not signed in."""
        return new_secret(self._system)

    def _take(self, login: str, address: str) -> None:
        now = self._system.monotonic()
        wait = self._by_address.take(address, now) or self._by_name.take(login, now)
        if wait:
            seconds = math.ceil(wait)
            raise RateLimited(
                f"Too many wrong passwords; try again in {seconds} s.", retry_after=seconds
            )

    def _named(self, name: str) -> PersonRecord:
        person = self._store.person(_login(name))
        if person is None:
            raise NotFound("person", name)
        return person


def _login(name: str) -> str:
    """What a name is found by: case and width do not count."""
    return unicodedata.normalize("NFKC", name).casefold().strip()


def _checked_name(name: str) -> str:
    if not name.strip() or len(name) > _MAX_NAME_CHARACTERS or not name.isprintable():
        raise InvalidRequest(f"name: must be 1 to {_MAX_NAME_CHARACTERS} printable characters")
    return name


def _reply(person: PersonRecord) -> PersonReply:
    return PersonReply(person.id, person.name, to_iso(person.created))
