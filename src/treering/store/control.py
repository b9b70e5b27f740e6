"""The control plane's protocol: accounts, vaults, keys; people and OAuth beside it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from treering.store.oauth import OAuthStore
from treering.store.people import PeopleStore


@dataclass(frozen=True, slots=True)
class KeyRecord:
    """A key as it is kept: its hash, never itself. Times are epoch ms."""

    id: str
    account_id: str
    vault_id: str
    name: str
    prefix: str
    hash: bytes
    scopes: frozenset[str]
    created: int
    expires: int | None = None
    revoked: int | None = None
    last_used: int | None = None
    parent: str | None = None
    """The key that it was made with; None when the operator made it."""

    def status(self, now: int) -> str:
        """`active`, `expired` or `revoked`."""
        if self.revoked is not None:
            return "revoked"
        return "expired" if self.expires is not None and self.expires <= now else "active"


@dataclass(frozen=True, slots=True)
class VaultRecord:
    """A vault as the control plane knows it."""

    id: str
    account_id: str
    name: str
    created: int


class ControlStore(Protocol):
    """Accounts, their vaults, and the keys of those; beside them people and OAuth connections."""

    @property
    def people(self) -> PeopleStore: ...
    @property
    def oauth(self) -> OAuthStore: ...
    def ensure_account(self, account_id: str, name: str, now: int) -> str:
        """The id of the first account, made as given when there is none."""

    def add_vault(self, vault: VaultRecord) -> None: ...
    def ensure_vault(self, vault: VaultRecord) -> VaultRecord:
        """The first vault, made as given when there is none."""

    def vaults(self, account_id: str | None = None) -> list[VaultRecord]:
        """Vaults, oldest first; of one account when it is given."""

    def add_key(self, key: KeyRecord, vault: VaultRecord | None = None) -> None:
        """Store a key, with its new vault; raises Conflict when the very same key is there already.

        Raises Unauthorized when its parent has been revoked meanwhile.
        """

    def key_by_hash(self, hash: bytes) -> KeyRecord | None: ...
    def keys(self, account_id: str | None = None) -> list[KeyRecord]:
        """Keys, oldest first; of one account when it is given."""

    def revoke_key(self, key_id: str, account_id: str | None, now: int) -> bool:
        """Revoke a key, and all that were made with it, at once.

        False when there is none with this id in the account.
        """

    def used_key(self, key_id: str, now: int) -> None: ...
    def account_of(self, vault_id: str) -> str | None:
        """The account that a vault belongs to."""

    def settings(self, account_id: str) -> dict[str, int]:
        """What an account sets for its vaults."""

    def set_setting(self, account_id: str, name: str, value: int | None) -> None:
        """Set a value; None takes it back."""

    def close(self) -> None: ...
