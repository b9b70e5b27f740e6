"""Work that outlives the request that caused it: a thread that repeats a step until it is done."""

from __future__ import annotations

import threading
import traceback
from collections.abc import Callable

from treering.errors import TreeringError
from treering.logs import get_logger

_FIRST_WAIT_S = 0.1

log = get_logger(__name__)


class Background:
    """Repeats `step` on a thread of its own until it answers that nothing is left.

    `step` returns True when it is done, False to be called again at once, None to be called again
    after a while. Failures are logged, counted in `failures`, and tried again ever more slowly, at
    the most `longest_wait` seconds apart.
    """

    def __init__(
        self, name: str, step: Callable[[], bool | None], longest_wait: float = 30.0
    ) -> None:
        self.failures = 0
        self._name = name
        self._step = step
        self._longest_wait = longest_wait
        self._guard = threading.Lock()
        self._stopping = threading.Event()
        self._again = False
        self._thread: threading.Thread | None = None

    def start(self) -> None:
        """See to it that the step runs at least once from now on."""
        with self._guard:
            self._again = True
            if self._thread is None and not self._stopping.is_set():
                self._thread = threading.Thread(target=self._run, name=self._name, daemon=True)
                self._thread.start()

    def stop(self) -> None:
        """Stop after the step that is under way."""
        self._stopping.set()
        self.wait()

    def wait(self, timeout: float | None = None) -> None:
        """Wait until nothing is left to do."""
        with self._guard:
            thread = self._thread
        if thread is not None:
            thread.join(timeout)

    def _run(self) -> None:
        wait = _FIRST_WAIT_S
        while not self._stopping.is_set():
            with self._guard:
                self._again = False
            outcome = self._attempt()
            if outcome is False:
                wait = _FIRST_WAIT_S
                continue
            with self._guard:
                if outcome and not self._again:
                    self._thread = None
                    return
            if outcome is None:
                self._stopping.wait(wait)
                wait = min(wait * 2, self._longest_wait)

    def _attempt(self) -> bool | None:
        try:
            return self._step()
        except Exception as error:  # noqa: BLE001 - a thread's outermost edge; it must live on
            self.failures += 1
            # Its frames hold what people wrote, which is not for a log.
            where = "" if isinstance(error, TreeringError) else _place_of(error)
            log.warning("background work failed", work=self._name, error=repr(error), where=where)
            return None


def _place_of(error: Exception) -> str:
    frames = traceback.extract_tb(error.__traceback__)
    return " < ".join(f"{frame.filename}:{frame.lineno}" for frame in reversed(frames))
