"""Treering: memory for AI agents that layers and never overwrites."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from treering.client import AsyncVerbs, RemoteKeys, RemoteVault, connect, connect_async
    from treering.errors import TreeringError
    from treering.vault import Vault
    from treering.verbs import Verbs
    from treering.version import __version__

__all__ = [
    "AsyncVerbs",
    "RemoteKeys",
    "RemoteVault",
    "TreeringError",
    "Vault",
    "Verbs",
    "__version__",
    "connect",
    "connect_async",
]

_HOME = {
    "TreeringError": "treering.errors",
    "Vault": "treering.vault",
    "Verbs": "treering.verbs",
    "__version__": "treering.version",
}
_ELSEWHERE = "treering.client"


def __getattr__(name: str) -> object:
    """Import a public name when it is first used, so that `treering --help` stays quick."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_HOME.get(name, _ELSEWHERE)), name)
