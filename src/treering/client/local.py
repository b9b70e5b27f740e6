"""A vault in this process, from a data directory or from its own file."""

from __future__ import annotations

from contextlib import ExitStack
from os import PathLike
from pathlib import Path
from typing import TypeVar

from treering.access import SCOPES
from treering.data_dir import DataDir
from treering.errors import InvalidRequest
from treering.level_settings import DEFAULTS
from treering.model import ANONYMOUS, Caller
from treering.reach import Reach
from treering.replies import LevelSettings
from treering.requests import Request
from treering.retrieval.embedder import Embedder
from treering.settings import embedder_of, level_settings_of, load_settings
from treering.system import System
from treering.vault import Vault
from treering.verbs import Verbs

R = TypeVar("R")


def open_path(
    where: str | PathLike[str],
    key: str | None,
    vault: str | None,
    embedder: Embedder | None,
    *,
    create: bool = True,
) -> Verbs:
    """The verbs of a vault on this machine; see `connect`.

    `create` False: raises StorageUnusable rather than make the first vault of a data directory.
    """
    path = Path(where)
    settings = load_settings()
    embedder = embedder or embedder_of(settings)
    levels, _ = level_settings_of(settings)
    if path.is_dir():
        return LocalVault(path, embedder, key, vault, levels, create=create)
    if key is not None:
        raise InvalidRequest(f"key: {path} is a vault's file, which needs no key")
    if vault is not None:
        raise InvalidRequest(f"vault: {path} is one vault's file, or no folder yet; leave it out")
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
        *,
        create: bool = True,
    ) -> None:
        data_dir = DataDir(path, embedder, System(), levels=levels)
        self._closing = ExitStack()
        self._closing.callback(data_dir.close)
        with ExitStack() as undoing:
            undoing.callback(self._closing.close)
            grant = data_dir.grant_for(key) if key is not None else None
            record = data_dir.vault_named(grant.vault_id if grant else vault, create=create)
            if vault is not None and vault not in (record.id, record.name):
                raise InvalidRequest("vault: the key opens another one; leave one of the two out")
            opened = self._closing.enter_context(data_dir.using(record.id))
            self._reach = Reach(data_dir, opened, record.account_id, grant)
            undoing.pop_all()

    @property
    def scopes(self) -> frozenset[str]:
        """The scopes of the key; all of them without one."""
        grant = self._reach.grant
        return frozenset(SCOPES) if grant is None else grant.scopes

    def perform(self, request: Request[R], caller: Caller = ANONYMOUS) -> R:
        """Do what `request` asks, if the key allows it."""
        return self._reach.perform(request, caller)

    def close(self) -> None:
        """Close the data directory."""
        self._closing.close()
