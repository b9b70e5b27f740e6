"""People and their sessions in `control.db`."""

from __future__ import annotations

from typing import Any

import apsw

from treering.errors import Conflict, Unauthorized
from treering.store.people import PersonRecord, SessionRecord
from treering.store.sqlite.database import Database

_PERSON = "SELECT p.id, p.account, p.name, p.login, p.password, p.created FROM person p"


class SqlitePeopleStore:
    """People and sessions; see `store.people.PeopleStore`."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def add_person(self, person: PersonRecord) -> None:
        with self._database.writing() as connection:
            try:
                connection.execute(
                    "INSERT INTO person (id, account, name, login, password, created) "
                    "VALUES (?, ?, ?, ?, ?, ?)",
                    (
                        person.id,
                        person.account_id,
                        person.name,
                        person.login,
                        person.password,
                        person.created,
                    ),
                )
            except apsw.ConstraintError as error:
                raise Conflict(
                    "Someone signs in by this name already; `treering admin password` sets their "
                    "password."
                ) from error

    def person(self, login: str) -> PersonRecord | None:
        with self._database.reading() as connection:
            row: tuple[Any, ...] | None = connection.execute(
                f"{_PERSON} WHERE p.login = ?", (login,)
            ).fetchone()
        return PersonRecord(*row) if row else None

    def people(self) -> list[PersonRecord]:
        with self._database.reading() as connection:
            rows: list[tuple[Any, ...]] = connection.execute(
                f"{_PERSON} ORDER BY p.created, p.id"
            ).fetchall()
        return [PersonRecord(*row) for row in rows]

    def set_password(self, person_id: str, password: str) -> None:
        with self._database.writing() as connection:
            connection.execute("UPDATE person SET password = ? WHERE id = ?", (password, person_id))
            connection.execute("DELETE FROM session WHERE person = ?", (person_id,))

    def delete_person(self, person_id: str) -> None:
        with self._database.writing() as connection:
            connection.execute("DELETE FROM person WHERE id = ?", (person_id,))

    def add_session(self, session: SessionRecord, password: str) -> None:
        with self._database.writing() as connection:
            connection.execute("DELETE FROM session WHERE expires <= ?", (session.created,))
            connection.execute(
                "INSERT INTO session (hash, person, created, expires) "
                "SELECT ?, id, ?, ? FROM person WHERE id = ? AND password = ?",
                (session.hash, session.created, session.expires, session.person_id, password),
            )
            if not connection.changes():
                raise Unauthorized

    def signed_in(self, hash: bytes, now: int) -> PersonRecord | None:
        with self._database.reading() as connection:
            row: tuple[Any, ...] | None = connection.execute(
                f"{_PERSON} JOIN session s ON s.person = p.id WHERE s.hash = ? AND s.expires > ?",
                (hash, now),
            ).fetchone()
        return PersonRecord(*row) if row else None

    def delete_session(self, hash: bytes) -> None:
        with self._database.writing() as connection:
            connection.execute("DELETE FROM session WHERE hash = ?", (hash,))
