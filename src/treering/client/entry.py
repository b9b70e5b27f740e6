"""One way in: a server's URL, a data directory, or a vault's file."""

from __future__ import annotations

from os import PathLike, fspath
from typing import TYPE_CHECKING

from treering.client.asynchronous import AsyncVerbs
from treering.client.remote import RemoteVault
from treering.errors import InvalidRequest
from treering.requests import refuse_blank
from treering.verbs import Verbs

if TYPE_CHECKING:
    from treering.retrieval.embedder import Embedder


def connect(
    target: str | PathLike[str],
    key: str | None = None,
    *,
    vault: str | None = None,
    embedder: Embedder | None = None,
) -> Verbs:
    """The verbs of a vault: over HTTP for a URL, in this process for a path.

    A URL needs a key, and takes nothing else. A directory is a data directory: `key` opens its
    vault with its scopes, or `vault` names one, and without either the only one is meant. Any other
    path is one vault's file, made if there is none, and takes neither. `embedder` is for paths;
    settings choose one when it is left out. Raises InvalidRequest for what the target cannot heed.
    """
    where = fspath(target)
    refuse_blank(target=where, key=key, vault=vault)
    if where.startswith(("http://", "https://")):
        if key is None:
            raise InvalidRequest("key: a server needs a memory key, mk_…")
        if vault is not None:
            raise InvalidRequest("vault: a server's key opens its own vault; leave it out")
        if embedder is not None:
            raise InvalidRequest("embedder: a server has its own; leave it out")
        return RemoteVault(where, key)
    # The store and the ranking take a while to import, and a client of a server needs neither.
    from treering.client.local import open_path  # noqa: PLC0415

    return open_path(where, key, vault, embedder)


def connect_async(
    target: str | PathLike[str],
    key: str | None = None,
    *,
    vault: str | None = None,
    embedder: Embedder | None = None,
) -> AsyncVerbs:
    """`connect`, with verbs to be awaited."""
    return AsyncVerbs(connect(target, key, vault=vault, embedder=embedder))
