"""Which vault a command works on: one behind a server, or one in local storage."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from treering.errors import InvalidRequest, StorageUnusable
from treering.verbs import Verbs

if TYPE_CHECKING:
    from treering.settings import Settings


@dataclass(frozen=True, slots=True)
class Given:
    """One way of naming the target: what options say, or what the environment says."""

    url: str | None = None
    key: str | None = None
    data_dir: str | None = None
    vault: str | None = None

    @property
    def is_local(self) -> bool:
        """Whether local storage is named."""
        return self.data_dir is not None or self.vault is not None


@dataclass(frozen=True, slots=True)
class Target:
    """A server's `url` and a key, or a data directory and the name of a vault or its file."""

    url: str | None = None
    key: str | None = None
    data_dir: Path | None = None
    vault: str | None = None

    @property
    def file(self) -> Path | None:
        """The vault's file, when `vault` is a path and not the name of one in a data directory."""
        if self.vault is None:
            return None
        is_path = self.vault.endswith(".db") or os.sep in self.vault
        return Path(self.vault) if is_path else None

    def open(self, settings: Callable[[], Settings], *, create: bool) -> Verbs:
        """The vault's verbs; local storage that is not there is made only when `create` says so.

        `settings` is called for local storage alone. Raises StorageUnusable for storage that is
        not there or can't be used.
        """
        if self.url is not None:
            return self._served(self.url)
        # numpy and the model's runtime take most of a second, which a server's client need not
        # wait for.
        from treering.client.local import open_path  # noqa: PLC0415
        from treering.settings import embedder_of  # noqa: PLC0415

        local = settings()
        path = self.path(local, create=create)
        vault = self.vault if self.file is None else None
        return open_path(path, self.key, vault, embedder_of(local), create=create)

    def _served(self, url: str) -> Verbs:
        # Imports the HTTP library, which --help need not wait for.
        from treering.client import connect  # noqa: PLC0415

        if not url.startswith(("http://", "https://")):
            raise InvalidRequest(f"url: {url} must begin with http:// or https://")
        if self.key is None:
            raise InvalidRequest("key: name a memory key with --key or TREERING_KEY")
        return connect(url, self.key)

    def path(self, settings: Settings, *, create: bool) -> Path:
        """The vault's file or the data directory; raises StorageUnusable as `open` does."""
        if self.file is not None:
            if not create and not self.file.is_file():
                raise StorageUnusable(f"There is no vault's file at {self.file}.")
            return self.file
        return usable_data_dir(self.data_dir or settings.data_dir, create=create)


def is_remote(vault: Verbs) -> bool:
    """Whether the vault is behind a server."""
    # Imports the HTTP library, which --help need not wait for.
    from treering.client import RemoteVault  # noqa: PLC0415

    return isinstance(vault, RemoteVault)


def usable_data_dir(path: Path, *, create: bool) -> Path:
    """A data directory that is there, or a folder to be one; raises StorageUnusable."""
    if path.exists() and not path.is_dir():
        raise StorageUnusable(f"{path} is no folder; name a vault's file with --vault.")
    if not create and not (path / "control.db").is_file():
        raise StorageUnusable(
            f"There is no data directory at {path}; `treering serve`, `treering keys create`, "
            "`treering import` or `treering remember` makes one."
        )
    if path.is_dir():
        return path
    try:
        path.mkdir(mode=0o700, parents=True)
    except OSError as error:
        raise StorageUnusable(f"{path} can't be made: {error.strerror}.") from error
    return path


def exposed(path: Path) -> str | None:
    """What is wrong where other users of this machine can read a data directory's files."""
    if os.name != "posix" or not path.is_dir() or not path.stat().st_mode & 0o011:
        return None
    files = [*path.glob("*.db*"), *path.glob("vaults/*.db*")]
    if not any(file.stat().st_mode & 0o044 for file in files):
        return None
    return f"other users of this machine can read {path}; `chmod -R go= {path}` keeps it to you"


def chosen(options: Given, environment: Given) -> Target:
    """The target that options and environment name; options win over variables.

    Raises InvalidRequest where both a server and local storage are named in the same way.
    """
    if options.url is not None and options.is_local:
        raise InvalidRequest("url: name a server, or storage with --data-dir or --vault; not both")
    by_options = options.url is not None or options.is_local
    if not by_options and environment.url is not None and environment.is_local:
        raise InvalidRequest(
            "TREERING_URL: names a server while TREERING_DATA_DIR or TREERING_VAULT names local "
            "storage; say which with --url or --data-dir"
        )
    url = options.url if by_options else environment.url
    if url is not None:
        return Target(url=url, key=options.key or environment.key)
    data_dir = options.data_dir or environment.data_dir
    return Target(
        key=options.key or (None if by_options else environment.key),
        data_dir=Path(data_dir) if data_dir else None,
        vault=options.vault or (None if options.data_dir else environment.vault),
    )
