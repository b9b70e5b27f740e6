"""The package's own source, as trees."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import treering

ROOT = Path(treering.__file__).parent


@dataclass(frozen=True)
class Module:
    """One file: `name` is its dotted name without the package's own."""

    name: str
    path: Path
    text: str
    tree: ast.Module

    @property
    def layer(self) -> str:
        """The folder, or the module itself at the top."""
        return self.name.split(".")[0]

    def imports(self) -> Iterator[str]:
        """What it imports, as dotted names; those of the package without its name in front."""
        for node in ast.walk(self.tree):
            if isinstance(node, ast.Import):
                yield from (alias.name for alias in node.names)
            elif isinstance(node, ast.ImportFrom) and node.module == "treering":
                yield from (f"treering.{alias.name}" for alias in node.names)
            elif isinstance(node, ast.ImportFrom):
                yield str(node.module)

    def own_imports(self) -> set[str]:
        """The layers of the package that it imports."""
        own = (name.split(".") for name in self.imports())
        return {parts[1] for parts in own if parts[0] == "treering" and len(parts) > 1}


@cache
def modules() -> tuple[Module, ...]:
    """Every module of the package."""
    found = []
    for path in sorted(ROOT.rglob("*.py")):
        parts = path.relative_to(ROOT).with_suffix("").parts
        name = ".".join(part for part in parts if part != "__init__")
        text = path.read_text("utf-8")
        found.append(Module(name, path, text, ast.parse(text)))
    return tuple(found)
