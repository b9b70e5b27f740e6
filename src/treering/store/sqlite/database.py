"""One SQLite file: how it is opened, and shared between threads and processes."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import apsw

from treering.errors import StorageFailure, StorageUnusable
from treering.store.sqlite.schema import check_owner, migrate

WRITE_PATIENCE_S = 60.0
"""How long a statement waits for the locks of other processes."""
CHECKPOINT_PATIENCE_S = 0.25
"""How long an erasure waits for other readers before it is left for later."""
_LONGEST_NAP_S = 0.01
_IDLE_READERS = 2
"""How many unused readers are kept: each holds two file descriptors and a page cache."""
_PRAGMAS = (
    "PRAGMA synchronous = FULL",
    "PRAGMA foreign_keys = ON",
    "PRAGMA secure_delete = ON",
    "PRAGMA temp_store = MEMORY",
    "PRAGMA cache_size = -8000",
)


_opening = threading.Lock()
"""Held while a file is made and opened, so that no other thread has it open when it is made."""


class Database:
    """A file in WAL mode: one writer connection, and a pool of readers.

    Several processes may hold the same file; they wait for each other's locks and never fail on
    them. Nothing else in this process may open the file: closing any descriptor of it would drop
    SQLite's locks.
    """

    def __init__(self, path: Path, schema: str) -> None:
        self.path = path
        self._writing = threading.RLock()
        self._pooling = threading.Lock()
        self._idle: list[apsw.Connection] = []
        self._closed = False
        self._writer_waits = _Waits()
        try:
            path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        except OSError as error:
            raise StorageUnusable(
                f"{path.parent} cannot be made ({error.strerror}); name a folder that can be "
                "written to, with --data-dir or TREERING_DATA_DIR."
            ) from error
        with _translated(path), _opening:
            _create(path)
            self._writer = apsw.Connection(str(path))
        try:
            with _translated(path):
                _prepare(self._writer, self._writer_waits)
                check_owner(self._writer, schema, path)
                self._use_wal()
            with self.writing() as connection:
                migrate(connection, schema, path)
        except BaseException:
            self._writer.close()
            raise

    @contextmanager
    def reading(self) -> Iterator[apsw.Connection]:
        """A connection for one thread's queries; each query sees all that is committed."""
        with _translated(self.path):
            connection = self._reader()
            try:
                yield connection
            finally:
                with self._pooling:
                    keep = not self._closed and len(self._idle) < _IDLE_READERS
                    if keep:
                        self._idle.append(connection)
                if not keep:
                    connection.close()

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
            self._writer_waits.patience = CHECKPOINT_PATIENCE_S
            try:
                self._writer.wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_TRUNCATE)
            except apsw.BusyError:
                return False
            finally:
                self._writer_waits.patience = WRITE_PATIENCE_S
            return True

    def vacuum(self) -> None:
        """Build the file anew without unused space; reads go on, writes wait meanwhile.

        The copy is built in memory: a temporary file would leave text outside the storage.
        """
        with self._writing, _translated(self.path):
            self._writer.execute("VACUUM")

    def close(self) -> None:
        """Close every connection; the last process to do so also removes the log."""
        with self._writing, self._pooling:
            self._closed = True
            for connection in (*self._idle, self._writer):
                connection.close()
            self._idle.clear()

    def _reader(self) -> apsw.Connection:
        with self._pooling:
            if self._closed:
                raise StorageFailure(f"{self.path} is closed")
            if self._idle:
                return self._idle.pop()
        connection = apsw.Connection(str(self.path))
        _prepare(connection, _Waits())
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
                raise StorageUnusable(
                    f"{self.path} is on a disk that cannot keep a write-ahead log; name a folder "
                    "on a local disk, with --data-dir or TREERING_DATA_DIR."
                )
            return


class _Waits:
    """A connection's busy handler: short naps until `patience`, in seconds, runs out."""

    def __init__(self) -> None:
        self.patience = WRITE_PATIENCE_S
        self._since = 0.0

    def __call__(self, tries: int) -> bool:
        now = time.monotonic()
        if tries == 0:
            self._since = now
        if now - self._since > self.patience:
            return False
        time.sleep(min(_LONGEST_NAP_S, 0.001 * (tries + 1)))
        return True


def _create(path: Path) -> None:
    """Make a file that is not there yet its owner's alone; its log takes over the mode."""
    # SQLite says what is wrong with a path. A file that is there is not opened: see Database.
    with suppress(OSError):
        os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600))


def _prepare(connection: apsw.Connection, waits: _Waits) -> None:
    connection.set_busy_handler(waits)
    for pragma in _PRAGMAS:
        connection.execute(pragma)


@contextmanager
def _translated(path: Path) -> Iterator[None]:
    """Driver errors as the storage's own, with the path and the way out where a person has one."""
    try:
        yield
    except (apsw.CantOpenError, apsw.PermissionsError) as error:
        raise StorageUnusable(
            f"{path} cannot be opened ({error}); check that it may be read and written by this "
            "user, and that its disk is mounted."
        ) from error
    except apsw.ReadOnlyError as error:
        raise StorageUnusable(
            f"{path} cannot be written; make the file and its folder writable for this user."
        ) from error
    except (apsw.NotADBError, apsw.CorruptError) as error:
        raise StorageUnusable(
            f"{path} is no database, or a damaged one ({error}); nothing was changed in it. Move "
            "it away, or put a backup in its place."
        ) from error
    except apsw.FullError as error:
        raise StorageFailure(
            f"The disk of {path} is full; nothing was changed. Make room and try again."
        ) from error
    except apsw.Error as error:
        raise StorageFailure from error
