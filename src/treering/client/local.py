"""A vault in this process, from a data directory or from its own file."""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import TypeVar, cast

from treering.access import SCOPES
from treering.data_dir import DataDir
from treering.errors import InvalidRequest
from treering.level_settings import DEFAULTS
from treering.model import ANONYMOUS, Caller
from treering.replies import LevelSettings
from treering.requests import ChangeSettingsRequest, Request, SettingsRequest
from treering.retrieval.embedder import Embedder
from treering.settings import Settings, embedder_of, level_settings_of
from treering.system import System
from treering.vault import Vault
from treering.verbs import Verbs

R = TypeVar("R")


def open_path(where: str, key: str | None, vault: str | None, embedder: Embedder | None) -> Verbs:
    """The verbs of a vault on this machine; see `connect`."""
    path = Path(where)
    settings = Settings()
    embedder = embedder or embedder_of(settings)
    levels, _ = level_settings_of(settings)
    if path.is_dir():
        return LocalVault(path, embedder, key, vault, levels)
    if key is not None:
        raise InvalidRequest(f"key: {path} is a vault's file, which needs no key")
    return Vault.open(path, embedder=embedder, inherited=lambda: levels)


class LocalVault(Verbs):
    """A vault of a data directory, within the scopes of the key that opened it."""

    def __init__(
        self,
        path: Path,
        embedder: Embedder,
        key: str | None,
        vault: str | None,
        levels: LevelSettings = DEFAULTS,
    ) -> None:
        self._data_dir = DataDir(path, embedder, System(), levels=levels)
        self._closing = ExitStack()
        self._closing.callback(self._data_dir.close)
        with ExitStack() as undoing:
            undoing.callback(self._closing.close)
            self._grant = self._data_dir.grant_for(key) if key is not None else None
            if self._grant is not None:
                vault_id, self._account_id = self._grant.vault_id, self._grant.account_id
            else:
                record = self._data_dir.vault_named(vault)
                vault_id, self._account_id = record.id, record.account_id
            self._vault = self._closing.enter_context(self._data_dir.using(vault_id))
            undoing.pop_all()

    @property
    def scopes(self) -> frozenset[str]:
        """The scopes of the key; all of them without one."""
        return frozenset(SCOPES) if self._grant is None else self._grant.scopes

    def perform(self, request: Request[R], caller: Caller = ANONYMOUS) -> R:
        """Do what `request` asks, if the key allows it."""
        if self._grant is not None:
            self._grant.allow(type(request))
            caller = replace(caller, key_id=self._grant.key_id)
        asked: object = request
        if isinstance(asked, SettingsRequest | ChangeSettingsRequest) and asked.scope == "account":
            return cast("R", self._data_dir.account_settings(self._account_id, asked))
        return self._vault.perform(request, caller)

    def close(self) -> None:
        """Close the data directory."""
        self._closing.close()
