"""The schemas of Treering's files, and how an older file is brought up to date."""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path

import apsw

from treering.errors import StorageUnusable

_APPLICATION = {"vault": 0x54524756, "control": 0x54524743}
"""What SQLite's header says of the kind of a file: "TRGV" and "TRGC"."""


def check_owner(connection: apsw.Connection, schema: str, path: Path) -> None:
    """Raise StorageUnusable for a file of another program, or of another kind, before any write."""
    # In this order: a file that another process makes in between has its id by the second look.
    is_new = connection.pragma("schema_version") == 0
    application = connection.pragma("application_id")
    if application == _APPLICATION[schema] or (is_new and application == 0):
        return
    raise StorageUnusable(
        f"{path} holds something other than a Treering {schema}; nothing was changed in it. Name "
        "another file."
    )


def migrate(connection: apsw.Connection, schema: str, path: Path) -> None:
    """Bring the schema up to date inside the caller's transaction; StorageUnusable for a newer."""
    found = (script for script in files(f"{__package__}.migrations").iterdir())
    scripts = sorted(
        (script for script in found if _is_of(script.name, schema)), key=lambda script: script.name
    )
    done = connection.pragma("user_version")
    if done > len(scripts):
        raise StorageUnusable(
            f"{path} was written by a newer Treering (schema {done}, known: {len(scripts)}); "
            "upgrade Treering."
        )
    if done == 0:
        connection.pragma("application_id", _APPLICATION[schema])
    for number, script in enumerate(scripts[done:], start=done + 1):
        connection.execute(script.read_text("utf-8"))
        connection.pragma("user_version", number)


def _is_of(name: str, schema: str) -> bool:
    return name.startswith(f"{schema}_") and name.endswith(".sql")
