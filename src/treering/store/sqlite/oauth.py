"""OAuth clients, connections and tokens in `control.db`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import apsw

from treering.errors import Conflict
from treering.store.oauth import (
    ClientRecord,
    CodeRecord,
    ConnectionRecord,
    ListedConnection,
    NewToken,
    TokenRecord,
)
from treering.store.sqlite.database import Database

_CONNECTION = """
c.id, c.client, c.person, c.vault, v.account, c.scopes, c.resource, c.created,
c.code, c.redirect_uri, c.challenge, c.code_expires, c.redeemed, c.last_used"""
_LISTED = """
SELECT c.id, client.name, c.redirect_uri, person.name, c.vault, v.name, c.scopes, c.created,
       c.last_used
FROM connection c JOIN vault v ON v.id = c.vault JOIN client ON client.id = c.client
    JOIN person ON person.id = c.person
WHERE v.account = ?1 AND EXISTS (
    SELECT * FROM token t
    WHERE t.connection = c.id AND t.kind = 'refresh' AND t.replaced IS NULL AND t.expires > ?2
)
ORDER BY c.created DESC, c.id"""
_OVER = """
DELETE FROM connection WHERE CASE
    WHEN redeemed IS NULL THEN code_expires <= ?1
    ELSE NOT EXISTS (
        SELECT * FROM token t
        WHERE t.connection = connection.id AND t.kind = 'refresh' AND t.expires > ?1
    )
END"""
_TOO_MANY = """
DELETE FROM client WHERE used IS NULL AND id NOT IN (
    SELECT id FROM client WHERE used IS NULL ORDER BY created DESC, rowid DESC LIMIT ?
)"""


class SqliteOAuthStore:
    """Clients, connections and tokens; see `store.oauth.OAuthStore`."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def add_client(self, client: ClientRecord, most_unused: int, unused_before: int) -> None:
        with self._database.writing() as connection:
            sql = "DELETE FROM client WHERE used IS NULL AND created < ?"
            connection.execute(sql, (unused_before,))
            connection.execute(
                "INSERT INTO client (id, name, redirect_uris, created) VALUES (?, ?, ?, ?)",
                (client.id, client.name, " ".join(client.redirect_uris), client.created),
            )
            connection.execute(_TOO_MANY, (most_unused,))

    def client(self, client_id: str) -> ClientRecord | None:
        with self._database.reading() as connection:
            row: tuple[Any, ...] | None = connection.execute(
                "SELECT id, name, redirect_uris, created FROM client WHERE id = ?", (client_id,)
            ).fetchone()
        if row is None:
            return None
        found_id, name, redirect_uris, created = row
        return ClientRecord(found_id, name, tuple(redirect_uris.split(" ")), created)

    def add_connection(self, connection: ConnectionRecord) -> None:
        with self._database.writing() as database:
            _clear(database, connection.created)
            try:
                _insert(database, connection)
            except apsw.ConstraintError as error:
                raise Conflict(
                    "The program or the vault has gone meanwhile; begin anew."
                ) from error
            database.execute(
                "UPDATE client SET used = ifnull(used, ?) WHERE id = ?",
                (connection.created, connection.client_id),
            )

    def connection_of_code(self, hash: bytes) -> ConnectionRecord | None:
        with self._database.reading() as connection:
            row = connection.execute(
                f"SELECT {_CONNECTION} FROM connection c JOIN vault v ON v.id = c.vault "
                "WHERE c.code = ?",
                (hash,),
            ).fetchone()
        return _connection(row) if row else None

    def redeem(self, connection_id: str, tokens: Sequence[NewToken], now: int) -> bool:
        with self._database.writing() as connection:
            connection.execute(
                "UPDATE connection SET redeemed = ? WHERE id = ? AND redeemed IS NULL",
                (now, connection_id),
            )
            if not connection.changes():
                return False
            _insert_tokens(connection, connection_id, tokens)
            return True

    def token(self, hash: bytes) -> TokenRecord | None:
        with self._database.reading() as connection:
            row: tuple[Any, ...] | None = connection.execute(
                f"SELECT t.kind, t.scopes, t.expires, t.replaced, {_CONNECTION} "
                "FROM token t JOIN connection c ON c.id = t.connection "
                "JOIN vault v ON v.id = c.vault WHERE t.hash = ?",
                (hash,),
            ).fetchone()
        if row is None:
            return None
        kind, scopes, expires, replaced, *rest = row
        return TokenRecord(kind, _set(scopes), expires, replaced, _connection(rest))

    def rotate(self, refresh: bytes, tokens: Sequence[NewToken], now: int) -> bool:
        with self._database.writing() as connection:
            row: tuple[Any, ...] | None = connection.execute(
                "UPDATE token SET replaced = ? WHERE hash = ? AND kind = 'refresh' "
                "AND replaced IS NULL RETURNING connection",
                (now, refresh),
            ).fetchone()
            if row is None:
                return False
            sql = "DELETE FROM token WHERE connection = ? AND expires <= ?"
            connection.execute(sql, (row[0], now))
            _insert_tokens(connection, row[0], tokens)
            return True

    def delete_token(self, hash: bytes) -> None:
        with self._database.writing() as connection:
            connection.execute("DELETE FROM token WHERE hash = ?", (hash,))

    def connections(self, account_id: str, now: int) -> list[ListedConnection]:
        with self._database.reading() as connection:
            rows: list[tuple[Any, ...]] = connection.execute(_LISTED, (account_id, now)).fetchall()
        return [_listed(row) for row in rows]

    def delete_connection(self, connection_id: str, account_id: str | None = None) -> bool:
        with self._database.writing() as connection:
            connection.execute(
                "DELETE FROM connection WHERE id = ?1 AND (?2 IS NULL OR vault IN "
                "(SELECT id FROM vault WHERE account = ?2))",
                (connection_id, account_id),
            )
            return connection.changes() > 0

    def used_connection(self, connection_id: str, now: int) -> None:
        with self._database.writing() as connection:
            sql = "UPDATE connection SET last_used = ? WHERE id = ?"
            connection.execute(sql, (now, connection_id))


def _clear(database: apsw.Connection, now: int) -> None:
    """Clear away what is over: codes that nobody fetched, tokens, and connections without any."""
    database.execute(_OVER, (now,))
    database.execute("DELETE FROM token WHERE expires <= ?", (now,))


def _insert(database: apsw.Connection, connection: ConnectionRecord) -> None:
    code = connection.code
    database.execute(
        "INSERT INTO connection (id, client, person, vault, scopes, resource, created, code, "
        "redirect_uri, challenge, code_expires) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (
            connection.id,
            connection.client_id,
            connection.person_id,
            connection.vault_id,
            " ".join(sorted(connection.scopes)),
            connection.resource,
            connection.created,
            code.hash,
            code.redirect_uri,
            code.challenge,
            code.expires,
        ),
    )


def _insert_tokens(
    database: apsw.Connection, connection_id: str, tokens: Sequence[NewToken]
) -> None:
    database.executemany(
        "INSERT INTO token (hash, connection, kind, scopes, created, expires) "
        "VALUES (?, ?, ?, ?, ?, ?)",
        [
            (
                token.hash,
                connection_id,
                token.kind,
                " ".join(sorted(token.scopes)),
                token.created,
                token.expires,
            )
            for token in tokens
        ],
    )


def _listed(row: tuple[Any, ...]) -> ListedConnection:
    found_id, client, redirect_uri, person, vault_id, vault, scopes, created, last_used = row
    return ListedConnection(
        found_id, client, redirect_uri, person, vault_id, vault, _set(scopes), created, last_used
    )


def _connection(row: Sequence[Any]) -> ConnectionRecord:
    connection_id, client_id, person_id, vault_id, account_id, scopes, resource, created = row[:8]
    return ConnectionRecord(
        connection_id,
        client_id,
        person_id,
        vault_id,
        account_id,
        _set(scopes),
        resource,
        created,
        code=CodeRecord(*row[8:12]),
        redeemed=row[12],
        last_used=row[13],
    )


def _set(scopes: str) -> frozenset[str]:
    return frozenset(scopes.split())
