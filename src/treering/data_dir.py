"""A data directory: `control.db`, and one file a vault under `vaults/`."""

from __future__ import annotations

from contextlib import AbstractContextManager
from dataclasses import replace
from pathlib import Path

from treering import access
from treering.access import Grant, PresentedKey
from treering.errors import (
    InvalidRequest,
    NotFound,
    StorageFailure,
    StorageUnusable,
    Unauthorized,
)
from treering.health import Health
from treering.key_replies import listed_key, made_key
from treering.key_uses import KeyUses
from treering.level_settings import DEFAULTS, Inherited, over, settings_reply
from treering.logs import get_logger
from treering.oauth import Clients, Connections, is_access_token
from treering.open_vaults import OpenVaults
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
from treering.rules.instants import DAY_MS
from treering.store.base import UsageTotal
from treering.store.control import KeyRecord, VaultRecord
from treering.store.sqlite.control import SqliteControlStore
from treering.system import System
from treering.vault import Vault
from treering.vault.usage import grouped, metered, usage_reply, usage_window

_MAX_KEY_DAYS = 3650
_MAX_NAME_CHARACTERS = 200
_SHOWN_OF_ID = 8
"""So much of a vault's id, which lists show, is enough to name it."""
_TOKEN_ELSEWHERE = (
    "An access token, mo_…, holds at /mcp alone, under the address that it was made for; here use "
    "a memory key, mk_…."
)

log = get_logger(__name__)


class DataDir:
    """Accounts, keys and settings, and the vaults that keys and names open.

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
        self._levels = levels
        self._control = SqliteControlStore(path / "control.db")
        self.people = People(self._control, system)
        self.clients = Clients(self._control.oauth, system)
        self.connections = Connections(self._control, system)
        self._uses = KeyUses(self._control.used_key, "treering-key-uses")
        self._vaults = OpenVaults(
            self._open, lambda: [vault.id for vault in self.vaults()], index_bytes, open_vaults
        )

    def grant_for(self, presented: str, audience: str | None = None) -> Grant:
        """What a key allows; raises Unauthorized when it is unknown, expired or revoked.

        `audience` is where it is presented, if that is a place where OAuth's access tokens hold.
        """
        if is_access_token(presented):
            if audience is None:
                raise Unauthorized(_TOKEN_ELSEWHERE)
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
        self._control.add_key(record, vault if vault_id is None else None)
        return made_key(record, secret)

    def keys(self, account_id: str | None = None) -> KeysReply:
        """Keys, oldest first; of one account when it is given."""
        now = self._system.now()
        return KeysReply(
            [
                listed_key(record, now, self._uses.last(record.id, record.last_used))
                for record in self._control.keys(account_id)
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

    def vault_named(self, name_or_id: str | None, *, create: bool = True) -> VaultRecord:
        """The vault with that id or name, or the only one there is.

        Without a name, and when there is no vault at all, one called `default` is made; or
        StorageUnusable is raised when `create` says so. Raises NotFound, or InvalidRequest when the
        name is not enough to tell.
        """
        vaults = self._control.vaults()
        if name_or_id is None:
            if not vaults:
                return self._first_vault(create=create)
            if len(vaults) == 1:
                return vaults[0]
        matching = [vault for vault in vaults if name_or_id == vault.id]
        matching = matching or [vault for vault in vaults if name_or_id == vault.name]
        if name_or_id is not None and not matching and len(name_or_id) >= _SHOWN_OF_ID:
            matching = [vault for vault in vaults if vault.id.startswith(name_or_id)]
        if len(matching) == 1:
            return matching[0]
        if name_or_id is not None and not matching:
            raise NotFound("vault", name_or_id)
        choices = ", ".join(_told_apart(vault) for vault in matching or vaults)
        raise InvalidRequest(f"vault: name one with --vault or TREERING_VAULT: {choices}")

    def file_of(self, vault_id: str) -> Path:
        """The file of the vault with that id."""
        return self.path / "vaults" / f"{vault_id}.db"

    def using(self, vault_id: str) -> AbstractContextManager[Vault]:
        """The vault with that id, open as long as the block runs."""
        return self._vaults.using(vault_id)

    def account_usage(self, account_id: str, request: UsageRequest) -> UsageReply:
        """The usage of all vaults of an account, also by key and by vault."""
        window = usage_window(request, self._system.now())
        totals = []
        by_vault = {}
        unreadable = []
        for record in self._control.vaults(account_id):
            used: list[UsageTotal] = []
            # The file of a vault is made when it is first used.
            if self.file_of(record.id).exists():
                try:
                    with self.using(record.id) as vault:
                        used = vault.usage_totals(window)
                except StorageFailure as error:
                    log.error("a vault's usage cannot be read", error=str(error))
                    unreadable.append(record.id)
                    continue
            totals += used
            by_vault[record.id] = sum(map(metered, used), Metered())
        return replace(
            usage_reply(window, totals),
            by_key=grouped(totals, lambda total: total.key_id or ""),
            by_vault=by_vault,
            unreadable=unreadable or None,
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
        self._vaults.resume()

    def health(self) -> Health:
        """What the vaults report."""
        return self._vaults.health()

    def close(self) -> None:
        """Close every vault and the control plane."""
        self._vaults.close()
        self._uses.close()
        self.connections.close()
        self._control.close()

    def _vault_for_key(
        self, vault_id: str | None, name: str, granted_by: Grant | None, now: int
    ) -> VaultRecord:
        account_id = granted_by.account_id if granted_by else None
        if vault_id is None:
            return self._vault_record(name, now, account_id)
        for vault in self._control.vaults(account_id):
            if vault.id == vault_id:
                return vault
        raise NotFound("vault", vault_id)

    def _first_vault(self, *, create: bool) -> VaultRecord:
        if not create:
            raise StorageUnusable(
                f"There is no vault in {self.path} yet; `treering keys create`, "
                "`treering import` or `treering remember` makes one."
            )
        return self._control.ensure_vault(self._vault_record("default", self._system.now()))

    def _vault_record(self, name: str, now: int, account_id: str | None = None) -> VaultRecord:
        if account_id is None:
            account_id = self._control.ensure_account(self._system.new_id(), "default", now)
        return VaultRecord(self._system.new_id(), account_id, name, now)

    def _open(self, vault_id: str) -> Vault:
        return Vault.open(
            self.file_of(vault_id),
            embedder=self._embedder,
            system=self._system,
            vault_id=vault_id,
            inherited=self._inherited(vault_id),
        )

    def _inherited(self, vault_id: str) -> Inherited:
        account_id = self._control.account_of(vault_id)

        def inherited() -> LevelSettings:
            return over(self._levels, self._control.settings(account_id) if account_id else {})

        return inherited


def _told_apart(vault: VaultRecord) -> str:
    return f"{vault.name} ({vault.id})" if vault.name else f"{vault.id} (without a name)"


def _earlier(expires: int | None, other: int | None) -> int | None:
    return min((each for each in (expires, other) if each is not None), default=None)
