"""When keys were last used: noted behind the requests, which never wait for it."""

from __future__ import annotations

import threading
from collections.abc import Callable

from treering.vault.background import Background

STEP_MS = 60_000
"""A key's use is noted at most once in this time."""
_PATIENCE_S = 1.0


class KeyUses:
    """Keeps the last use of each key, to the minute. What can't be stored is forgotten.

    `store` is called with a key's id and an instant, on a thread of that name.
    """

    def __init__(self, store: Callable[[str, int], None], thread: str) -> None:
        self._store_use = store
        self._lock = threading.Lock()
        self._pending: dict[str, int] = {}
        self._storing = Background(thread, self._store)

    def note(self, key_id: str, last_used: int | None, now: int) -> None:
        """A key is used; `last_used` is what is stored of it. Times are epoch ms."""
        with self._lock:
            known = max(last_used or 0, self._pending.get(key_id, 0))
            if known and now - known < STEP_MS:
                return
            self._pending[key_id] = now
        self._storing.start()

    def last(self, key_id: str, last_used: int | None) -> int | None:
        """The last use, whether it is stored yet or not."""
        with self._lock:
            pending = self._pending.get(key_id)
        return pending if last_used is None else max(last_used, pending or 0)

    def close(self) -> None:
        """Give what is pending a moment, and stop."""
        self._storing.wait(_PATIENCE_S)
        self._storing.stop()

    def _store(self) -> bool:
        """Store one use; True when none is left."""
        with self._lock:
            key_id, used = next(iter(self._pending.items()), (None, 0))
        if key_id is None:
            return True
        try:
            self._store_use(key_id, used)
        finally:
            with self._lock:
                if self._pending.get(key_id) == used:
                    del self._pending[key_id]
        return False
