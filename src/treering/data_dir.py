"""A data directory: `control.db`, and one file a vault under `vaults/`."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path

from treering import access
from treering.access import Grant, PresentedKey
from treering.errors import InvalidRequest, NotFound, TreeringError, Unauthorized
from treering.health import Health
from treering.key_uses import KeyUses
from treering.level_settings import DEFAULTS, Inherited, over, settings_reply
from treering.logs import get_logger
from treering.oauth import Clients, Connections, is_access_token
from treering.people import People
from treering.replies import (
    KeyReply,
    KeysReply,
    LevelSettings,
    Metered,
    RevokedReply,
    SettingsReply,
    UsageReply,
)
from treering.requests import ChangeSettingsRequest, SettingsRequest, UsageRequest
from treering.retrieval.embedder import Embedder
from treering.rules.instants import DAY_MS, to_iso
from treering.store.control import KeyRecord, VaultRecord
from treering.store.sqlite.control import SqliteControlStore
from treering.system import System
from treering.vault import Vault
from treering.vault.background import Background
from treering.vault.usage import grouped, metered, usage_reply, usage_window

_MAX_KEY_DAYS = 3650
_MAX_OPEN_VAULTS, _MAX_WITH_PENDING = 64, 96
"""Idle vaults beyond the first number are closed, those with vectors pending beyond the second:
each holds up to seven file descriptors."""
_MAX_NAME_CHARACTERS = 200

log = get_logger(__name__)


@dataclass(slots=True)
class _Held:
    """A vault, None until it is open, and how many use it now."""

    vault: Vault | None = None
    users: int = 0
    opening: threading.Lock = field(default_factory=threading.Lock)


class DataDir:
    """Opens vaults by key or name, and keeps their indexes under a memory ceiling.

    Several processes may use one data directory at once. Safe to use from several threads.
    """

    def __init__(
        self,
        path: Path,
        embedder: Embedder,
        system: System,
        index_bytes: int = 2 << 30,
        levels: LevelSettings = DEFAULTS,
        open_vaults: int | None = None,
    ) -> None:
        self.path = path
        self._embedder = embedder
        self._system = system
        self._index_bytes = index_bytes
        self._levels = levels
        self._open_vaults = open_vaults or _MAX_OPEN_VAULTS
        self._control = SqliteControlStore(path / "control.db")
        self.people = People(self._control, system)
        self.clients = Clients(self._control.oauth, system)
        self.connections = Connections(self._control, system)
        self._uses = KeyUses(self._control.used_key, "treering-key-uses")
        self._lock = threading.Lock()
        self._vaults: OrderedDict[str, _Held] = OrderedDict()
        self._unusable: set[str] = set()
        self._unvisited: list[str] | None = None
        self._resuming = Background("treering-resume", self._visit_next)

    def grant_for(self, presented: str, audience: str | None = None) -> Grant:
        """What a key allows; raises Unauthorized when it is unknown, expired or revoked.

        `audience` is where it is presented, if that is a place where OAuth's access tokens hold.
        """
        if audience is not None and is_access_token(presented):
            return self.connections.grant_for(presented, audience)
        key = PresentedKey.parse(presented)
        record = self._control.key_by_hash(access.hash_of(key.secret))
        now = self._system.now()
        if record is None or record.status(now) != "active":
            raise Unauthorized
        self._uses.note(record.id, record.last_used, now)
        grant = Grant(record.id, record.vault_id, record.account_id, record.scopes, record.expires)
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

        `granted_by` is the key that asks, None for the operator; what it makes expires and is
        revoked with it. `secret` sets the key by hand.
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
            expires=_earlier(
                None if expires_in_days is None else now + expires_in_days * DAY_MS,
                granted_by.expires if granted_by else None,
            ),
            parent=granted_by.key_id if granted_by else None,
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
                    last_used_at=None if used is None else to_iso(used),
                )
                for record in self._control.keys(account_id)
                for used in (self._uses.last(record.id, record.last_used),)
            ]
        )

    def revoke_key(self, key_id: str, account_id: str | None = None) -> RevokedReply:
        """Revoke a key, and all that were made with it, at once; raises NotFound."""
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
                first = self._vault_record("default", self._system.now())
                return self._control.ensure_vault(first)
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
            held = self._vaults.setdefault(vault_id, _Held())
            held.users += 1
            self._vaults.move_to_end(vault_id)
        try:
            with held.opening:
                if held.vault is None:
                    held.vault = self._open(vault_id)
            yield held.vault
        finally:
            with self._lock:
                held.users -= 1
                if held.vault is None and not held.users:
                    self._vaults.pop(vault_id, None)
                closing = self._beyond_ceilings()
            for vault in closing:
                vault.close()

    def account_usage(self, account_id: str, request: UsageRequest) -> UsageReply:
        """The usage of all vaults of an account, also by key and by vault."""
        window = usage_window(request, self._system.now())
        totals = []
        by_vault = {}
        for record in self._control.vaults(account_id):
            with self.using(record.id) as vault:
                used = vault.usage_totals(window)
            totals += used
            by_vault[record.id] = sum(map(metered, used), Metered())
        return replace(
            usage_reply(window, totals),
            by_key=grouped(totals, lambda total: total.key_id or ""),
            by_vault=by_vault,
        )

    def account_settings(
        self, account_id: str, request: SettingsRequest | ChangeSettingsRequest
    ) -> SettingsReply:
        """What an account sets for its vaults, after the changes that the request asks for."""
        if isinstance(request, ChangeSettingsRequest):
            for name, value in request.changes().items():
                self._control.set_setting(account_id, name, value)
        return settings_reply("account", self._control.settings(account_id), self._levels)

    def resume(self) -> None:
        """Open, one after the other and behind the requests, the vaults that have work pending."""
        self._resuming.start()

    def health(self) -> Health:
        """What the vaults report."""
        with self._lock:
            unusable, failing = sorted(self._unusable), []
            held = [each for each in self._vaults.values() if each.vault is not None]
            for each in held:
                each.users += 1
        try:
            total = 0
            for vault in (each.vault for each in held if each.vault is not None):
                pending = vault.pending_vectors
                total += pending
                if pending and vault.failures:
                    failing.append(vault.id)
        finally:
            with self._lock:
                for each in held:
                    each.users -= 1
        return Health(unusable, failing, total)

    def close(self) -> None:
        """Close every vault and the control plane."""
        self._resuming.stop()
        with self._lock:
            vaults = [held.vault for held in self._vaults.values() if held.vault is not None]
            self._vaults.clear()
        for vault in vaults:
            vault.close()
        self._uses.close()
        self.connections.close()
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
        vault = self._vault_record(name, now, account_id)
        self._control.add_vault(vault)
        return vault

    def _vault_record(self, name: str, now: int, account_id: str | None = None) -> VaultRecord:
        if account_id is None:
            account_id = self._control.ensure_account(self._system.new_id(), "default", now)
        return VaultRecord(self._system.new_id(), account_id, name, now)

    def _visit_next(self) -> bool:
        """Open the next vault that no request has opened yet; True when all were visited."""
        if self._unvisited is None:
            self._unvisited = [record.id for record in self._control.vaults()]
        if not self._unvisited:
            return True
        try:
            with self.using(self._unvisited.pop()):
                return False
        except TreeringError as error:
            log.error("a vault cannot be opened", error=str(error))
            return False

    def _open(self, vault_id: str) -> Vault:
        path, embedder = self.file_of(vault_id), self._embedder
        try:
            vault = Vault.open(
                path,
                embedder=embedder,
                system=self._system,
                vault_id=vault_id,
                inherited=self._inherited(vault_id),
            )
        except TreeringError:
            self._unusable.add(vault_id)
            raise
        self._unusable.discard(vault_id)
        return vault

    def _inherited(self, vault_id: str) -> Inherited:
        account_id = self._control.account_of(vault_id)

        def inherited() -> LevelSettings:
            return over(self._levels, self._control.settings(account_id) if account_id else {})

        return inherited

    def _beyond_ceilings(self) -> list[Vault]:
        """Drop indexes, and take out vaults that are to be closed, least recently used first.

        A vault that is in use stays as it is, and so does the one used last.
        """
        index_bytes = sum(held.vault.index_bytes for held in self._vaults.values() if held.vault)
        closing: list[Vault] = []
        idle, pending = _ceilings(self._open_vaults)
        for vault_id, held in list(self._vaults.items())[:-1]:
            vault, count = held.vault, len(self._vaults)
            if index_bytes <= self._index_bytes and count <= idle:
                break
            if vault is None or held.users:
                continue
            if index_bytes > self._index_bytes:
                index_bytes -= vault.index_bytes
                vault.drop_index()
            if count > pending or (count > idle and not vault.pending_vectors):
                del self._vaults[vault_id]
                closing.append(vault)
        return closing


def _earlier(expires: int | None, other: int | None) -> int | None:
    return min((each for each in (expires, other) if each is not None), default=None)


def _ceilings(open_vaults: int) -> tuple[int, int]:
    """How many vaults are left open, idle ones and those with vectors pending."""
    idle = min(open_vaults, _MAX_OPEN_VAULTS)
    return idle, min(idle * 3 // 2, _MAX_WITH_PENDING)


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
