"""One SQLite file: how it is opened, shared between threads and processes, and migrated."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib.resources import files
from pathlib import Path

import apsw

from treering.errors import StorageFailure, StorageUnusable

WRITE_PATIENCE_S = 60.0
"""How long a statement waits for the locks of other processes."""
CHECKPOINT_PATIENCE_S = 0.25
"""How long an erasure waits for other readers before it is left for later."""
_LONGEST_NAP_S = 0.01
_PRAGMAS = (
    "PRAGMA synchronous = FULL",
    "PRAGMA foreign_keys = ON",
    "PRAGMA secure_delete = ON",
    "PRAGMA temp_store = MEMORY",
    "PRAGMA cache_size = -16000",
)


class Database:
    """A file in WAL mode: one writer connection, and a pool of readers.

    Several processes may hold the same file; they wait for each other's locks and never fail on
    them.
    """

    def __init__(self, path: Path, migrations: str) -> None:
        self.path = path
        self._writing = threading.RLock()
        self._pooling = threading.Lock()
        self._idle: list[apsw.Connection] = []
        self._open: list[apsw.Connection] = []
        self._patience = WRITE_PATIENCE_S
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise StorageUnusable(f"{path.parent} cannot be made: {error}") from error
        with _translated(path):
            self._writer = self._connect()
            self._use_wal()
        with self.writing() as connection:
            _migrate(connection, migrations, path)

    @contextmanager
    def reading(self) -> Iterator[apsw.Connection]:
        """A connection for one thread's queries; each query sees all that is committed."""
        with _translated(self.path):
            with self._pooling:
                connection = self._idle.pop() if self._idle else self._connect()
            try:
                yield connection
            finally:
                with self._pooling:
                    self._idle.append(connection)

    @contextmanager
    def writing(self) -> Iterator[apsw.Connection]:
        """The writer connection inside one transaction: committed at the end, or rolled back."""
        with self._writing, _translated(self.path):
            connection = self._writer
            connection.execute("BEGIN IMMEDIATE")
            try:
                yield connection
                connection.execute("COMMIT")
            except BaseException:
                if connection.in_transaction:
                    connection.execute("ROLLBACK")
                raise

    def truncate_log(self) -> bool:
        """Write the log into the file and empty it; False while another reader holds it."""
        with self._writing, _translated(self.path):
            self._patience = CHECKPOINT_PATIENCE_S
            try:
                self._writer.wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_TRUNCATE)
            except apsw.BusyError:
                return False
            finally:
                self._patience = WRITE_PATIENCE_S
            return True

    def close(self) -> None:
        """Close every connection; the last process to do so also removes the log."""
        with self._writing, self._pooling:
            self._idle.clear()
            for connection in self._open:
                connection.close()
            self._open.clear()

    def _connect(self) -> apsw.Connection:
        connection = apsw.Connection(str(self.path))
        connection.set_busy_handler(_Wait(lambda: self._patience))
        for pragma in _PRAGMAS:
            connection.execute(pragma)
        self._open.append(connection)
        return connection

    def _use_wal(self) -> None:
        """Switch to WAL, which one process does for all; the others wait until it is done.

        SQLite answers "busy" to this at once, without asking the busy handler.
        """
        deadline = time.monotonic() + WRITE_PATIENCE_S
        while True:
            try:
                mode = self._writer.execute("PRAGMA journal_mode = WAL").get
            except apsw.BusyError:
                if time.monotonic() > deadline:
                    raise
                time.sleep(_LONGEST_NAP_S)
                continue
            if mode != "wal":
                raise StorageUnusable(f"{self.path} is on a disk that cannot keep a WAL")
            return


class _Wait:
    """A busy handler: short naps until patience runs out."""

    def __init__(self, patience: Callable[[], float]) -> None:
        self._patience = patience
        self._since = 0.0

    def __call__(self, tries: int) -> bool:
        now = time.monotonic()
        if tries == 0:
            self._since = now
        if now - self._since > self._patience():
            return False
        time.sleep(min(_LONGEST_NAP_S, 0.001 * (tries + 1)))
        return True


def _migrate(connection: apsw.Connection, prefix: str, path: Path) -> None:
    """Bring the schema up to date inside the caller's transaction."""
    scripts = sorted(
        (
            script
            for script in files(f"{__package__}.migrations").iterdir()
            if _is_of(script.name, prefix)
        ),
        key=lambda script: script.name,
    )
    done = connection.pragma("user_version")
    if done > len(scripts):
        raise StorageUnusable(
            f"{path} was written by a newer Treering (schema {done}, known: {len(scripts)}); "
            "upgrade Treering."
        )
    for number, script in enumerate(scripts[done:], start=done + 1):
        connection.execute(script.read_text("utf-8"))
        connection.pragma("user_version", number)


def _is_of(name: str, prefix: str) -> bool:
    return name.startswith(f"{prefix}_") and name.endswith(".sql")


@contextmanager
def _translated(path: Path) -> Iterator[None]:
    try:
        yield
    except apsw.CantOpenError as error:
        raise StorageUnusable(f"{path} cannot be opened: {error}") from error
    except apsw.NotADBError as error:
        raise StorageUnusable(f"{path} is no Treering database") from error
    except apsw.Error as error:
        raise StorageFailure from error
