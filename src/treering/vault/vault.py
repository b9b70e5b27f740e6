"""The Vault, the one service object."""

from __future__ import annotations

from os import PathLike
from pathlib import Path
from typing import Any, TypeVar, cast

from treering import requests as ask
from treering.errors import EmbedderMismatch
from treering.level_settings import Inherited, defaults
from treering.model import ANONYMOUS, Caller, Level, Window
from treering.requests import Request
from treering.retrieval.embedder import Embedder, EmbedderSpec, open_embedder
from treering.store.base import UsageTotal, VaultMeta, VaultStore, check_embedder
from treering.store.sqlite.store import SqliteVaultStore
from treering.system import System
from treering.vault.consolidate import checkout, commit
from treering.vault.context import Context
from treering.vault.dates import date_search
from treering.vault.embedding import Embedding
from treering.vault.erase import delete_ids, wipe
from treering.vault.erasure import Erasure
from treering.vault.ingest import ingest
from treering.vault.levels.dispatch import LEVEL_VERBS, Verb
from treering.vault.lineage import inspect
from treering.vault.live_index import LiveIndex
from treering.vault.metering import Meter
from treering.vault.prepare import prepare
from treering.vault.revert import revert
from treering.vault.search import search
from treering.vault.stats import debt, stats, warmup
from treering.vault.upload import upload
from treering.vault.usage import usage
from treering.verbs import Verbs

R = TypeVar("R")
_VERBS: dict[type[Request[Any]], Verb] = {
    ask.IngestRequest: ingest,
    ask.UploadRequest: upload,
    ask.SearchRequest: search,
    ask.PrepareRequest: prepare,
    ask.DateSearchRequest: date_search,
    ask.InspectRequest: inspect,
    ask.CheckoutRequest: checkout,
    ask.CommitRequest: commit,
    ask.RevertRequest: revert,
    ask.DeleteRequest: delete_ids,
    ask.WipeRequest: wipe,
    ask.StatsRequest: stats,
    ask.UsageRequest: usage,
    ask.DebtRequest: debt,
    ask.WarmupRequest: warmup,
    **LEVEL_VERBS,
}


class Vault(Verbs):
    """One vault, in this process. Safe to use from several threads."""

    def __init__(
        self,
        store: VaultStore,
        embedder: Embedder,
        system: System,
        inherited: Inherited = defaults,
    ) -> None:
        self._store = store
        self._embedder = embedder
        self._context = Context(
            store=store,
            system=system,
            embedding=Embedding(embedder, store, system),
            index=LiveIndex(store, embedder.name),
            warm=LiveIndex(store, embedder.name, Level.WARM),
            meter=Meter(store, system),
            erasure=Erasure(store, system.monotonic),
            inherited=inherited,
        )
        self._resume()

    @classmethod
    def open(
        cls,
        path: str | PathLike[str],
        *,
        embedder: Embedder | None = None,
        system: System | None = None,
        vault_id: str | None = None,
        reembed: bool = False,
        inherited: Inherited = defaults,
    ) -> Vault:
        """The vault in the file at `path`, made if there is none.

        The default embedder is the offline model. `inherited` says what is in force where the
        vault's own settings leave something open. Raises EmbedderMismatch when the vault's vectors
        are of another one, unless `reembed` says that `Vault.reembed` follows; StorageUnusable when
        the file can't be used.
        """
        system = system or System()
        embedder = embedder or open_embedder(EmbedderSpec(name="minilm-l6-v2"))
        new = VaultMeta(vault_id or system.new_id(), system.now(), embedder.name, embedder.dims)
        store = SqliteVaultStore(Path(path), new)
        try:
            if not reembed:
                check_embedder(store.meta.embedder, embedder.name)
        except EmbedderMismatch:
            store.close()
            raise
        return cls(store, embedder, system, inherited)

    @property
    def id(self) -> str:
        """The vault's id."""
        return self._store.meta.vault_id

    @property
    def embedder(self) -> str:
        """The name of the vault's embedder."""
        return self._store.meta.embedder

    @property
    def pending_vectors(self) -> int:
        """How many passages wait for their vectors."""
        with self._store.read() as reader:
            return reader.head().pending

    @property
    def index_bytes(self) -> int:
        """The memory that the vault's index takes; 0 while it is not loaded."""
        return self._context.index.nbytes() + self._context.warm.nbytes()

    @property
    def failures(self) -> int:
        """How often work behind the requests failed since the vault was opened."""
        return self._context.embedding.failures

    def perform(self, request: Request[R], caller: Caller = ANONYMOUS) -> R:
        """Do what `request` asks, for `caller`."""
        verb = _VERBS[type(request)]
        return cast("R", verb(self._context, request, caller))

    def usage_totals(self, window: Window) -> list[UsageTotal]:
        """Metered usage in a half-open window, summed by endpoint, session, key and day."""
        with self._store.read() as reader:
            return reader.usage(window.start, window.end)

    def wait_filled(self, timeout: float | None = None) -> None:
        """Wait until the vectors that are pending are computed."""
        self._context.embedding.wait_filled(timeout)

    def reembed(self) -> None:
        """Make the embedder that the vault was opened with its own, and compute vectors afresh.

        Every vector is pending at once, and computed behind searches by words; stopping in between
        loses nothing.
        """
        embedder = self._embedder
        if self._store.meta.embedder != embedder.name:
            self._store.change_embedder(embedder.name, embedder.dims)
        self._context.embedding.start_filling()

    def drop_index(self) -> None:
        """Free the index's memory; the next search loads it again."""
        self._context.index.drop()
        self._context.warm.drop()

    def close(self) -> None:
        """Stop the work behind requests and close the files; what was pending stays so."""
        self._context.embedding.stop()
        self._context.erasure.stop()
        self._store.close()

    def _resume(self) -> None:
        """Go on with what an earlier process left pending."""
        if self.pending_vectors and self.embedder == self._embedder.name:
            self._context.embedding.start_filling()
        self._context.erasure.resume()
