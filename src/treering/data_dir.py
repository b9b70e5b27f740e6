"""A data directory: `control.db`, and one file a vault under `vaults/`."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from treering import access
from treering.access import Grant, PresentedKey
from treering.errors import InvalidRequest, NotFound, Unauthorized
from treering.replies import KeyReply, KeysReply, RevokedReply
from treering.retrieval.embedder import Embedder
from treering.rules.instants import DAY_MS, to_iso
from treering.store.control import KeyRecord, VaultRecord
from treering.store.sqlite.control import SqliteControlStore
from treering.system import System
from treering.vault import Vault
from treering.vault.background import Background

_LAST_USED_STEP_MS = 60_000
_MAX_KEY_DAYS = 3650
_MAX_OPEN_VAULTS = 128
_MAX_NAME_CHARACTERS = 200


@dataclass(frozen=True, slots=True)
class Health:
    """What is wrong with the vaults, and how many passages wait for their vectors."""

    problems: list[str]
    pending_vectors: int


@dataclass(slots=True)
class _Held:
    """An open vault, and how many use it now."""

    vault: Vault
    users: int = 0


class DataDir:
    """Opens vaults by key or name, and keeps their indexes under a memory ceiling.

    Several processes may use one data directory at once. Safe to use from several threads.
    """

    def __init__(
        self, path: Path, embedder: Embedder, system: System, index_bytes: int = 2 << 30
    ) -> None:
        self.path = path
        self._embedder = embedder
        self._system = system
        self._index_bytes = index_bytes
        self._control = SqliteControlStore(path / "control.db")
        self._lock = threading.Lock()
        self._vaults: OrderedDict[str, _Held] = OrderedDict()
        self._unvisited: list[str] | None = None
        self._resuming = Background("treering-resume", self._visit_next)

    def grant_for(self, presented: str) -> Grant:
        """What a key allows; raises Unauthorized when it is unknown, expired or revoked."""
        key = PresentedKey.parse(presented)
        record = self._control.key_by_hash(access.hash_of(key.secret))
        now = self._system.now()
        if record is None or record.status(now) != "active":
            raise Unauthorized
        if record.last_used is None or now - record.last_used >= _LAST_USED_STEP_MS:
            self._control.used_key(record.id, now)
        grant = Grant(record.id, record.vault_id, record.account_id, record.scopes)
        return grant.narrowed(key.suffix)

    def create_key(
        self,
        *,
        name: str = "",
        vault_id: str | None = None,
        scopes: list[str] | None = None,
        expires_in_days: int | None = None,
        secret: str | None = None,
        granted_by: Grant | None = None,
    ) -> KeyReply:
        """A new key, its secret shown this once; of a new vault unless one is named.

        `granted_by` is the key that asks, None for the operator. `secret` sets the key by hand.
        """
        if len(name) > _MAX_NAME_CHARACTERS or not name.isprintable():
            raise InvalidRequest(
                f"name: must be at most {_MAX_NAME_CHARACTERS} printable characters"
            )
        if expires_in_days is not None and not 1 <= expires_in_days <= _MAX_KEY_DAYS:
            raise InvalidRequest(f"expires_in_days: must be 1 to {_MAX_KEY_DAYS}")
        if secret is not None and not access.is_key(secret):
            raise InvalidRequest("key: must be mk_ and printable ASCII characters without ':'")
        held = granted_by.scopes if granted_by else None
        granted = access.checked_scopes(scopes, held)
        now = self._system.now()
        vault = self._vault_for_key(vault_id, name, granted_by, now)
        secret = secret or access.new_key(self._system)
        record = KeyRecord(
            id=self._system.new_id(),
            account_id=vault.account_id,
            vault_id=vault.id,
            name=name,
            prefix=access.shown_prefix(secret),
            hash=access.hash_of(secret),
            scopes=granted,
            created=now,
            expires=None if expires_in_days is None else now + expires_in_days * DAY_MS,
        )
        self._control.add_key(record)
        return replace(_reply(record), key=secret)

    def keys(self, account_id: str | None = None) -> KeysReply:
        """Keys, oldest first; of one account when it is given."""
        now = self._system.now()
        return KeysReply(
            [
                replace(
                    _reply(record),
                    status=record.status(now),
                    last_used_at=None if record.last_used is None else to_iso(record.last_used),
                )
                for record in self._control.keys(account_id)
            ]
        )

    def revoke_key(self, key_id: str, account_id: str | None = None) -> RevokedReply:
        """Revoke a key at once; raises NotFound."""
        if not self._control.revoke_key(key_id, account_id, self._system.now()):
            raise NotFound("key", key_id)
        return RevokedReply(key_id, "revoked")

    def vaults(self, account_id: str | None = None) -> list[VaultRecord]:
        """Vaults, oldest first; of one account when it is given."""
        return self._control.vaults(account_id)

    def vault_named(self, name_or_id: str | None) -> VaultRecord:
        """The vault with that id or name, or the only one there is.

        Without a name the vault `default` is meant, made when there is no vault at all. Raises
        NotFound, or InvalidRequest when the name is not enough to tell.
        """
        vaults = self._control.vaults()
        if name_or_id is None:
            if not vaults:
                return self._new_vault("default", self._system.now())
            if len(vaults) == 1:
                return vaults[0]
        matching = [vault for vault in vaults if name_or_id in (vault.id, vault.name)]
        if len(matching) == 1:
            return matching[0]
        if name_or_id is not None and not matching:
            raise NotFound("vault", name_or_id)
        choices = ", ".join(f"{vault.id} ({vault.name})" for vault in matching or vaults)
        raise InvalidRequest(f"vault: name one of {choices}")

    def file_of(self, vault_id: str) -> Path:
        """The file of the vault with that id."""
        return self.path / "vaults" / f"{vault_id}.db"

    @contextmanager
    def using(self, vault_id: str) -> Iterator[Vault]:
        """The vault with that id, open as long as the block runs."""
        with self._lock:
            held = self._vaults.get(vault_id)
            if held is None:
                held = self._vaults[vault_id] = _Held(self._open(vault_id))
            held.users += 1
            self._vaults.move_to_end(vault_id)
        try:
            yield held.vault
        finally:
            with self._lock:
                held.users -= 1
                self._keep_under_ceilings()

    def resume(self) -> None:
        """Open, one after the other and behind the requests, the vaults that have work pending."""
        self._resuming.start()

    def health(self) -> Health:
        """What the vaults report."""
        with self._lock:
            vaults = [held.vault for held in self._vaults.values()]
        failing = [vault.id for vault in vaults if vault.failures and vault.pending_vectors]
        return Health(
            problems=[f"vault {vault_id}: vectors cannot be computed" for vault_id in failing],
            pending_vectors=sum(vault.pending_vectors for vault in vaults),
        )

    def close(self) -> None:
        """Close every vault and the control plane."""
        self._resuming.stop()
        with self._lock:
            for held in self._vaults.values():
                held.vault.close()
            self._vaults.clear()
        self._control.close()

    def _vault_for_key(
        self, vault_id: str | None, name: str, granted_by: Grant | None, now: int
    ) -> VaultRecord:
        if vault_id is None:
            return self._new_vault(name, now, granted_by.account_id if granted_by else None)
        account_id = granted_by.account_id if granted_by else None
        for vault in self._control.vaults(account_id):
            if vault.id == vault_id:
                return vault
        raise NotFound("vault", vault_id)

    def _new_vault(self, name: str, now: int, account_id: str | None = None) -> VaultRecord:
        if account_id is None:
            account_id = self._control.ensure_account(self._system.new_id(), "default", now)
        vault = VaultRecord(self._system.new_id(), account_id, name, now)
        self._control.add_vault(vault)
        return vault

    def _visit_next(self) -> bool:
        """Open the next vault that no request has opened yet; True when all were visited."""
        if self._unvisited is None:
            self._unvisited = [record.id for record in self._control.vaults()]
        if not self._unvisited:
            return True
        with self.using(self._unvisited.pop()):
            return False

    def _open(self, vault_id: str) -> Vault:
        path = self.file_of(vault_id)
        return Vault.open(path, embedder=self._embedder, system=self._system, vault_id=vault_id)

    def _keep_under_ceilings(self) -> None:
        """Drop indexes, then close vaults, least recently used first, while there are too many.

        A vault that is in use, or has vectors pending, stays open.
        """
        total = sum(held.vault.index_bytes for held in self._vaults.values())
        for vault_id, held in list(self._vaults.items())[:-1]:
            if total > self._index_bytes:
                total -= held.vault.index_bytes
                held.vault.drop_index()
            too_many = len(self._vaults) > _MAX_OPEN_VAULTS
            if too_many and not held.users and not held.vault.pending_vectors:
                del self._vaults[vault_id]
                held.vault.close()


def _reply(record: KeyRecord) -> KeyReply:
    return KeyReply(
        id=record.id,
        name=record.name,
        prefix=record.prefix,
        vault_id=record.vault_id,
        scopes=sorted(record.scopes),
        created_at=to_iso(record.created),
        expires_at=None if record.expires is None else to_iso(record.expires),
    )
