"""The vaults of a data directory that are open: few, and their indexes under a memory ceiling."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from treering.errors import TreeringError
from treering.health import Health
from treering.logs import get_logger
from treering.vault import Vault
from treering.vault.background import Background

_MAX_OPEN_VAULTS, _MAX_WITH_PENDING = 64, 96
"""Idle vaults beyond the first number are closed, those with vectors pending beyond the second:
each holds up to seven file descriptors."""

log = get_logger(__name__)


@dataclass(slots=True)
class _Held:
    """A vault, None until it is open, and how many use it now."""

    vault: Vault | None = None
    users: int = 0
    opening: threading.Lock = field(default_factory=threading.Lock)


class OpenVaults:
    """Opens vaults as they are used, and closes those used least recently. Safe between threads.

    `open_vault` opens the vault with an id, `ids` names them all; at most about `most_open` are
    left open, and their indexes take at most about `index_bytes`.
    """

    def __init__(
        self,
        open_vault: Callable[[str], Vault],
        ids: Callable[[], list[str]],
        index_bytes: int,
        most_open: int | None,
    ) -> None:
        self._open_vault = open_vault
        self._ids = ids
        self._index_bytes = index_bytes
        self._most_open = most_open or _MAX_OPEN_VAULTS
        self._lock = threading.Lock()
        self._vaults: OrderedDict[str, _Held] = OrderedDict()
        self._unusable: set[str] = set()
        self._unvisited: list[str] | None = None
        self._resuming = Background("treering-resume", self._visit_next)

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

    def resume(self) -> None:
        """Open, one after the other and behind the requests, the vaults that have work pending."""
        self._resuming.start()

    def health(self) -> Health:
        """What the vaults report."""
        with self._lock:
            unusable, failing = set(self._unusable), []
            held = [each for each in self._vaults.values() if each.vault is not None]
            for each in held:
                each.users += 1
        try:
            total = 0
            for vault in (each.vault for each in held if each.vault is not None):
                pending = _pending(vault)
                total += pending or 0
                if pending is None:
                    unusable.add(vault.id)
                elif pending and vault.failures:
                    failing.append(vault.id)
        finally:
            with self._lock:
                for each in held:
                    each.users -= 1
        return Health(sorted(unusable), failing, total)

    def close(self) -> None:
        """Close every vault."""
        self._resuming.stop()
        with self._lock:
            vaults = [held.vault for held in self._vaults.values() if held.vault is not None]
            self._vaults.clear()
        for vault in vaults:
            vault.close()

    def _open(self, vault_id: str) -> Vault:
        try:
            vault = self._open_vault(vault_id)
        except TreeringError:
            self._unusable.add(vault_id)
            raise
        self._unusable.discard(vault_id)
        return vault

    def _visit_next(self) -> bool | None:
        """Open the next vault that no request has opened yet; True when all were visited.

        None while as many as may be open have work pending: one that is closed is not visited
        again.
        """
        idle, _ = _ceilings(self._most_open)
        with self._lock:
            open_vaults = [held.vault for held in self._vaults.values() if held.vault is not None]
        if sum(bool(_pending(vault)) for vault in open_vaults) >= idle:
            return None
        if self._unvisited is None:
            self._unvisited = self._ids()
        if not self._unvisited:
            return True
        try:
            with self.using(self._unvisited.pop()):
                return False
        except TreeringError as error:
            log.error("a vault cannot be opened", error=str(error))
            return False

    def _beyond_ceilings(self) -> list[Vault]:
        """Drop indexes, and take out vaults that are to be closed, least recently used first.

        A vault that is in use stays as it is, and so does the one used last.
        """
        index_bytes = sum(held.vault.index_bytes for held in self._vaults.values() if held.vault)
        closing: list[Vault] = []
        idle, pending = _ceilings(self._most_open)
        for vault_id, held in list(self._vaults.items())[:-1]:
            vault, count = held.vault, len(self._vaults)
            if index_bytes <= self._index_bytes and count <= idle:
                break
            if vault is None or held.users:
                continue
            if index_bytes > self._index_bytes:
                index_bytes -= vault.index_bytes
                vault.drop_index()
            if count > pending or (count > idle and not _pending(vault)):
                del self._vaults[vault_id]
                closing.append(vault)
        return closing


def _pending(vault: Vault) -> int | None:
    """How many vectors are pending; None when the vault can't be read."""
    try:
        return vault.pending_vectors
    except TreeringError:
        return None


def _ceilings(most_open: int) -> tuple[int, int]:
    """How many vaults are left open, idle ones and those with vectors pending."""
    idle = min(most_open, _MAX_OPEN_VAULTS)
    return idle, min(idle * 3 // 2, _MAX_WITH_PENDING)
