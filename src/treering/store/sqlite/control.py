"""The control plane in one SQLite file, `control.db`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import apsw

from treering.errors import Conflict, Unauthorized
from treering.store.control import KeyRecord, VaultRecord
from treering.store.sqlite.database import Database
from treering.store.sqlite.oauth import SqliteOAuthStore
from treering.store.sqlite.people import SqlitePeopleStore

_KEY = """
SELECT k.id, v.account, k.vault, k.name, k.prefix, k.hash, k.scopes, k.created, k.expires,
       k.revoked, k.last_used, k.parent
FROM key k JOIN vault v ON v.id = k.vault"""
_REVOKE = """
WITH RECURSIVE made (id) AS (
    SELECT ?2 UNION SELECT key.id FROM key JOIN made ON key.parent = made.id
)
UPDATE key SET revoked = ifnull(revoked, ?1) WHERE id IN made AND EXISTS (
    SELECT * FROM key JOIN vault ON vault.id = key.vault
    WHERE key.id = ?2 AND (?3 IS NULL OR vault.account = ?3)
)"""


class SqliteControlStore:
    """Accounts, vaults and keys; see `store.control.ControlStore`."""

    def __init__(self, path: Path) -> None:
        self._database = Database(path, "control")
        self.people = SqlitePeopleStore(self._database)
        self.oauth = SqliteOAuthStore(self._database)

    def ensure_account(self, account_id: str, name: str, now: int) -> str:
        with self._database.writing() as connection:
            sql = "SELECT id FROM account ORDER BY created, id LIMIT 1"
            row = connection.execute(sql).fetchone()
            if row:
                return str(row[0])
            connection.execute("INSERT INTO account VALUES (?, ?, ?)", (account_id, name, now))
            return account_id

    def add_vault(self, vault: VaultRecord) -> None:
        with self._database.writing() as connection:
            _insert_vault(connection, vault)

    def ensure_vault(self, vault: VaultRecord) -> VaultRecord:
        with self._database.writing() as connection:
            row: tuple[Any, ...] | None = connection.execute(
                "SELECT id, account, name, created FROM vault ORDER BY created, id LIMIT 1"
            ).fetchone()
            if row:
                return VaultRecord(*row)
            _insert_vault(connection, vault)
            return vault

    def vaults(self, account_id: str | None = None) -> list[VaultRecord]:
        with self._database.reading() as connection:
            rows: list[tuple[Any, ...]] = connection.execute(
                "SELECT id, account, name, created FROM vault "
                "WHERE ?1 IS NULL OR account = ?1 ORDER BY created, id",
                (account_id,),
            ).fetchall()
        return [VaultRecord(*row) for row in rows]

    def add_key(self, key: KeyRecord, vault: VaultRecord | None = None) -> None:
        with self._database.writing() as connection:
            if vault is not None:
                _insert_vault(connection, vault)
            sql = "SELECT * FROM key WHERE id = ? AND revoked IS NOT NULL"
            if connection.execute(sql, (key.parent,)).fetchone():
                raise Unauthorized
            try:
                connection.execute(
                    "INSERT INTO key "
                    "(id, vault, name, prefix, hash, scopes, created, expires, parent) "
                    "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
                    (
                        key.id,
                        key.vault_id,
                        key.name,
                        key.prefix,
                        key.hash,
                        " ".join(sorted(key.scopes)),
                        key.created,
                        key.expires,
                        key.parent,
                    ),
                )
            except apsw.ConstraintError as error:
                raise Conflict("This key exists already; choose another one.") from error

    def key_by_hash(self, hash: bytes) -> KeyRecord | None:
        with self._database.reading() as connection:
            row = connection.execute(f"{_KEY} WHERE k.hash = ?", (hash,)).fetchone()
        return _key(row) if row else None

    def keys(self, account_id: str | None = None) -> list[KeyRecord]:
        with self._database.reading() as connection:
            rows = connection.execute(
                f"{_KEY} WHERE ?1 IS NULL OR v.account = ?1 ORDER BY k.created, k.id",
                (account_id,),
            ).fetchall()
        return [_key(row) for row in rows]

    def revoke_key(self, key_id: str, account_id: str | None, now: int) -> bool:
        with self._database.writing() as connection:
            connection.execute(_REVOKE, (now, key_id, account_id))
            return connection.changes() > 0

    def used_key(self, key_id: str, now: int) -> None:
        with self._database.writing() as connection:
            connection.execute("UPDATE key SET last_used = ? WHERE id = ?", (now, key_id))

    def account_of(self, vault_id: str) -> str | None:
        with self._database.reading() as connection:
            sql = "SELECT account FROM vault WHERE id = ?"
            row: tuple[Any, ...] | None = connection.execute(sql, (vault_id,)).fetchone()
        return str(row[0]) if row else None

    def settings(self, account_id: str) -> dict[str, int]:
        with self._database.reading() as connection:
            sql = "SELECT name, value FROM account_setting WHERE account = ?"
            rows: list[tuple[Any, ...]] = connection.execute(sql, (account_id,)).fetchall()
        return dict(rows)

    def set_setting(self, account_id: str, name: str, value: int | None) -> None:
        with self._database.writing() as connection:
            if value is None:
                sql = "DELETE FROM account_setting WHERE account = ? AND name = ?"
                connection.execute(sql, (account_id, name))
            else:
                sql = "INSERT OR REPLACE INTO account_setting VALUES (?, ?, ?)"
                connection.execute(sql, (account_id, name, value))

    def close(self) -> None:
        self._database.close()


def _insert_vault(connection: apsw.Connection, vault: VaultRecord) -> None:
    connection.execute(
        "INSERT INTO vault (id, account, name, created) VALUES (?, ?, ?, ?)",
        (vault.id, vault.account_id, vault.name, vault.created),
    )


def _key(row: tuple[Any, ...]) -> KeyRecord:
    key_id, account_id, vault_id, name, prefix, digest, scopes, *times = row
    held = frozenset(scopes.split())
    return KeyRecord(key_id, account_id, vault_id, name, prefix, digest, held, *times)
