"""What comes from outside: the time, ids, random bytes. Passed in, so that tests own them."""

from __future__ import annotations

import secrets
import time
import uuid
from collections.abc import Callable
from dataclasses import dataclass, field


def _epoch_ms() -> int:
    return time.time_ns() // 1_000_000


def _random_uuid() -> str:
    return str(uuid.uuid4())


@dataclass(frozen=True, slots=True)
class System:
    """The clock and the dice.

    `now` returns milliseconds since 1970 UTC, `new_id` a UUID in its 36-character form,
    `random` that many random bytes, `monotonic` seconds of a clock that is never set back.
    """

    now: Callable[[], int] = field(default=_epoch_ms)
    new_id: Callable[[], str] = field(default=_random_uuid)
    random: Callable[[int], bytes] = field(default=secrets.token_bytes)
    monotonic: Callable[[], float] = field(default=time.monotonic)
