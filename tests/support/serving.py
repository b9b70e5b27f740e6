"""A server process of its own, to be killed: `python -m tests.support.serving DATA_DIR`."""

from __future__ import annotations

import contextlib
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType

from tests.support.worlds import hash_embedder, running_server
from treering.data_dir import DataDir
from treering.system import System

ROOT = Path(__file__).parents[2]


class ServerProcess:
    """A server over a data directory, with one key; started, killed and started again."""

    def __init__(self, data_dir: Path) -> None:
        self.path = data_dir
        storage = DataDir(data_dir, hash_embedder(), System())
        made = storage.create_key(name="kill")
        storage.close()
        assert made.key is not None
        self.key = made.key
        self.vault_file = data_dir / "vaults" / f"{made.vault_id}.db"
        self.url = ""
        self._process: subprocess.Popen[str] | None = None

    def start(self) -> None:
        """Start it, and wait until it answers."""
        self._process = subprocess.Popen(
            [sys.executable, "-m", "tests.support.serving", str(self.path)],
            stdout=subprocess.PIPE,
            text=True,
            cwd=ROOT,
        )
        assert self._process.stdout is not None
        self.url = self._process.stdout.readline().strip()
        assert self.url, "the server did not start"

    @contextmanager
    def running(self) -> Iterator[None]:
        """Started inside the block, and gone after it."""
        self.start()
        try:
            yield
        finally:
            self.kill()

    def kill(self) -> None:
        """End it as a power cut would."""
        self._end(signal.SIGKILL)

    def stop(self) -> None:
        """Ask it to end."""
        self._end(signal.SIGTERM)

    def _end(self, how: signal.Signals) -> None:
        process, self._process = self._process, None
        if process is not None and process.stdout is not None:
            process.send_signal(how)
            process.wait()
            process.stdout.close()


@contextmanager
def server_process(data_dir: Path) -> Iterator[ServerProcess]:
    """A started server process, that is gone afterwards."""
    server = ServerProcess(data_dir)
    with server.running():
        yield server


class _Ended(Exception):
    pass


def _end(signum: int, frame: FrameType | None) -> None:
    raise _Ended


def _main() -> None:
    signal.signal(signal.SIGTERM, _end)
    with contextlib.suppress(_Ended), running_server(Path(sys.argv[1]), System()) as (url, _):
        sys.stdout.write(url + "\n")
        sys.stdout.flush()
        signal.pause()


if __name__ == "__main__":
    _main()
