"""How often something may be tried, by whom: a bucket a key, in bounded memory."""

from __future__ import annotations

import threading
from collections import OrderedDict

_MOST_KEYS = 10_000


class Throttle:
    """Allows each key `burst` tries at once, and one more every `every_s` seconds.

    Kept in this process alone. Of more than `most_keys` keys those tried longest ago are forgotten.
    Safe to use from several threads.
    """

    def __init__(self, burst: int, every_s: float, most_keys: int = _MOST_KEYS) -> None:
        self._slack = (burst - 1) * every_s
        self._every = every_s
        self._most_keys = most_keys
        self._lock = threading.Lock()
        # When a key will have all its tries again, in seconds of a monotonic clock: the
        # "theoretical arrival time" of the generic cell rate algorithm (ITU-T I.371).
        self._full_at: OrderedDict[str, float] = OrderedDict()

    def take(self, key: str, now: float) -> float:
        """Take one try of a key: 0, or the seconds until there is one, and then none is taken."""
        with self._lock:
            full_at = max(self._full_at.get(key, now), now)
            wait = full_at - now - self._slack
            if wait > 0:
                return wait
            self._full_at[key] = full_at + self._every
            self._full_at.move_to_end(key)
            while len(self._full_at) > self._most_keys:
                self._full_at.popitem(last=False)
            return 0.0

    def give_back(self, key: str) -> None:
        """Give back a try that did not count."""
        with self._lock:
            if key in self._full_at:
                self._full_at[key] -= self._every
