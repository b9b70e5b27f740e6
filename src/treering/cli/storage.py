"""A data directory itself, for commands of whoever can read it anyway."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from treering.cli.options import load_settings
from treering.cli.target import usable_data_dir

if TYPE_CHECKING:
    from treering.data_dir import DataDir


@contextmanager
def local_storage(path: Path | None, *, create: bool = False) -> Iterator[DataDir]:
    """The data directory that is named, or the settings' own; raises StorageUnusable."""
    # numpy and the model's runtime take most of a second, which --help need not wait for.
    from treering.data_dir import DataDir  # noqa: PLC0415
    from treering.settings import embedder_of  # noqa: PLC0415
    from treering.system import System  # noqa: PLC0415

    settings = load_settings()
    found = usable_data_dir(path or settings.data_dir, create=create)
    storage = DataDir(found, embedder_of(settings), System())
    try:
        yield storage
    finally:
        storage.close()
