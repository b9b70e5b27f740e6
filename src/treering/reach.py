"""What a caller reaches in a data directory: a vault, and with `keys:manage` its account."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TypeVar, cast

from treering.access import KEYS, READ, Grant
from treering.data_dir import DataDir
from treering.discretion import without_held
from treering.model import Caller
from treering.requests import ChangeSettingsRequest, Request, SettingsRequest, UsageRequest
from treering.vault import Vault

R = TypeVar("R")


@dataclass(frozen=True, slots=True)
class Reach:
    """An open vault, as far as a key reaches into it; without a grant it is the operator's."""

    data_dir: DataDir
    vault: Vault
    account_id: str
    grant: Grant | None = None

    def perform(self, request: Request[R], caller: Caller) -> R:
        """Do what `request` asks, of the vault or of its account; raises Forbidden."""
        if self.grant is not None:
            self.grant.allow(type(request))
            caller = replace(caller, key_id=self.grant.key_id)
        asked: object = request
        if isinstance(asked, UsageRequest) and self.grant and KEYS in self.grant.scopes:
            return cast("R", self.data_dir.account_usage(self.account_id, asked))
        if isinstance(asked, SettingsRequest | ChangeSettingsRequest) and asked.scope == "account":
            return cast("R", self.data_dir.account_settings(self.account_id, asked))
        reply = self.vault.perform(request, caller)
        if self.grant is not None and READ not in self.grant.scopes:
            return cast("R", without_held(request, reply))
        return reply
