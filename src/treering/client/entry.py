"""One way in: a server's URL, a data directory, or a vault's file."""

from __future__ import annotations

from contextlib import ExitStack
from os import PathLike, fspath
from pathlib import Path
from typing import TypeVar

from treering.access import Grant
from treering.client.asynchronous import AsyncVerbs
from treering.client.remote import RemoteVault
from treering.data_dir import DataDir
from treering.errors import InvalidRequest
from treering.model import ANONYMOUS, Caller
from treering.requests import Request
from treering.retrieval.embedder import Embedder
from treering.settings import Settings, embedder_of
from treering.system import System
from treering.vault import Vault
from treering.verbs import Verbs

R = TypeVar("R")


def connect(
    target: str | PathLike[str],
    key: str | None = None,
    *,
    vault: str | None = None,
    embedder: Embedder | None = None,
) -> Verbs:
    """The verbs of a vault: over HTTP for a URL, in this process for a path.

    A URL needs a key. A directory is a data directory: `key` opens its vault with its scopes, or
    `vault` names one, and without either the only one is meant. Any other path is one vault's file,
    made if there is none. `embedder` is for paths; settings choose one when it is left out.
    """
    where = fspath(target)
    if where.startswith(("http://", "https://")):
        if key is None:
            raise InvalidRequest("key: a server needs a memory key, mk_…")
        return RemoteVault(where, key)
    path = Path(where)
    embedder = embedder or embedder_of(Settings())
    if path.is_dir():
        return _LocalVault(path, embedder, key, vault)
    if key is not None:
        raise InvalidRequest(f"key: {path} is a vault's file, which needs no key")
    return Vault.open(path, embedder=embedder)


def connect_async(
    target: str | PathLike[str],
    key: str | None = None,
    *,
    vault: str | None = None,
    embedder: Embedder | None = None,
) -> AsyncVerbs:
    """`connect`, with verbs to be awaited."""
    return AsyncVerbs(connect(target, key, vault=vault, embedder=embedder))


class _LocalVault(Verbs):
    """A vault of a data directory, within the scopes of the key that opened it."""

    def __init__(self, path: Path, embedder: Embedder, key: str | None, vault: str | None) -> None:
        self._data_dir = DataDir(path, embedder, System())
        try:
            self._grant = self._data_dir.grant_for(key) if key is not None else None
            vault_id = self._grant.vault_id if self._grant else self._named(vault)
            self._closing = ExitStack()
            self._vault = self._closing.enter_context(self._data_dir.using(vault_id))
        except BaseException:
            self._data_dir.close()
            raise

    def perform(self, request: Request[R], caller: Caller = ANONYMOUS) -> R:
        """Do what `request` asks, if the key allows it."""
        if self._grant is not None:
            self._grant.allow(type(request))
            caller = _booked_on(self._grant, caller)
        return self._vault.perform(request, caller)

    def close(self) -> None:
        """Close the data directory."""
        self._closing.close()
        self._data_dir.close()

    def _named(self, vault: str | None) -> str:
        return self._data_dir.vault_named(vault).id


def _booked_on(grant: Grant, caller: Caller) -> Caller:
    return Caller(grant.key_id, caller.session_id, caller.idempotency_key)
