"""The control plane's protocol for people: who may sign in, and where they are signed in."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True, slots=True)
class PersonRecord:
    """Someone who signs in with a password. Times are epoch ms."""

    id: str
    account_id: str
    name: str
    """As it was given; `login` is what it is found by."""
    login: str
    password: str
    """Its argon2id hash, parameters and salt included."""
    created: int


@dataclass(frozen=True, slots=True)
class SessionRecord:
    """A browser that a person is signed in with: the hash of its secret, never itself."""

    hash: bytes
    person_id: str
    created: int
    expires: int


class PeopleStore(Protocol):
    """The people of an installation, and their sessions."""

    def add_person(self, person: PersonRecord) -> None:
        """Store a person; raises Conflict when the login is taken."""

    def person(self, login: str) -> PersonRecord | None: ...
    def people(self) -> list[PersonRecord]:
        """Everyone, oldest first."""

    def set_password(self, person_id: str, password: str) -> None:
        """Set the hash of a new password, and end every session that there is."""

    def delete_person(self, person_id: str) -> None:
        """Delete a person with their sessions and the connections that they allowed."""

    def add_session(self, session: SessionRecord, password: str) -> None:
        """Store a session, and clear away those that are over.

        Raises Unauthorized unless `password` is still the hash of the person's password.
        """

    def signed_in(self, hash: bytes, now: int) -> PersonRecord | None:
        """Whose session it is; None when it is over or there never was one."""

    def delete_session(self, hash: bytes) -> None: ...
