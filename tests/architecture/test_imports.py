"""Which part may know which: faces the vault, the vault its rules, retrieval and store."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

from tests.architecture.source import Module, modules

VALUES = {"model", "errors", "system", "version", "logs"}
WIRE = VALUES | {"requests", "replies", "rules"}
CORE = WIRE | {"retrieval", "store"}
MAY_IMPORT = {
    "rules": VALUES | {"replies", "rules"},
    "requests": WIRE,
    "replies": VALUES | {"replies"},
    "retrieval": VALUES | {"rules", "retrieval", "outbound"},
    "store": VALUES | {"rules", "store"},
    "vault": CORE | {"vault", "verbs", "level_settings"},
}
"""What the core may import; what stands in no line here is a face or sits above the vault."""
PURE = set(
    "anyio apsw asyncio httpx2 logging os pathlib random secrets shutil socket structlog "
    "subprocess tempfile threading time uuid".split()
)
"""What rules never import: I/O, clocks and dice."""


ENTRANCES = {"", "__main__"}
"""What starts the program or names its public parts stands on no row of the map."""


def rows_of_the_map() -> list[set[str]]:
    """The folders and modules of each row of the map in CONTRIBUTING.md, from the top down."""
    text = (Path(__file__).parents[2] / "CONTRIBUTING.md").read_text("utf-8")
    table = text.split("## The map")[1].split("\n\n")[2]
    cells = [line.split("|")[1] for line in table.splitlines()[2:]]
    names = [re.findall(r"`(?:src/treering/)?(\w+)(?:/|\.py)`", cell) for cell in cells]
    return [set(found) for found in names]


def of(layer: str) -> list[Module]:
    return [module for module in modules() if module.layer == layer]


def test_dependencies_point_down_the_map() -> None:
    place = {layer: place for place, row in enumerate(rows_of_the_map()) for layer in row}
    assert place.keys() == {module.layer for module in modules()} - ENTRANCES
    assert len(place) == sum(map(len, rows_of_the_map())), "each stands there once"
    upward = {
        (module.name, layer)
        for module in modules()
        for layer in module.own_imports() - ENTRANCES
        if module.layer not in ENTRANCES and place[layer] < place[module.layer]
    }
    assert not upward


@pytest.mark.parametrize("layer", MAY_IMPORT)
def test_the_core_imports_downward_only(layer: str) -> None:
    found = of(layer)
    assert found
    wrong = {module.name: module.own_imports() - MAY_IMPORT[layer] for module in found}
    assert not {name: names for name, names in wrong.items() if names}


def test_rules_do_no_io() -> None:
    for module in of("rules"):
        top = {name.split(".")[0] for name in module.imports()}
        assert not top & PURE, module.name
        calls = {n.id for n in ast.walk(module.tree) if isinstance(n, ast.Name)}
        assert not calls & {"open", "input", "print"}, module.name


def test_values_import_nothing_of_ours() -> None:
    for layer in ("model", "errors", "system", "version", "logs"):
        for module in of(layer):
            assert not module.own_imports() - VALUES, module.name


def test_nothing_in_the_core_knows_a_face() -> None:
    faces = {"http", "mcp", "cli", "client", "reflectors", "data_dir", "settings"}
    for layer in ("rules", "requests", "replies", "retrieval", "store", "vault", "verbs"):
        for module in of(layer):
            assert not module.own_imports() & faces, module.name


def test_faces_reach_vaults_through_the_vault() -> None:
    for layer in ("http", "mcp", "client", "cli"):
        for module in of(layer):
            assert not module.own_imports() & {"store"}, module.name


def test_only_the_store_speaks_sql() -> None:
    verbs = ("SELECT ", "INSERT ", "UPDATE ", "DELETE FROM", "PRAGMA ", "CREATE TABLE")
    for module in modules():
        if module.layer == "store":
            continue
        assert "apsw" not in set(module.imports()), module.name
        strings = [
            node.value
            for node in ast.walk(module.tree)
            if isinstance(node, ast.Constant) and isinstance(node.value, str)
        ]
        assert not [text for text in strings if text.lstrip().startswith(verbs)], module.name


def test_an_import_inside_a_function_says_why() -> None:
    for module in modules():
        lines = module.text.splitlines()
        for function in ast.walk(module.tree):
            if isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef):
                inside = [
                    n for n in ast.walk(function) if isinstance(n, ast.Import | ast.ImportFrom)
                ]
                first = min((node.lineno for node in inside), default=None)
                assert first is None or _has_reason(lines, first), f"{module.name}:{first}"


def _has_reason(lines: list[str], number: int) -> bool:
    """Whether a comment stands above the line with that number."""
    return lines[number - 2].lstrip().startswith("#")


@pytest.mark.parametrize("module", modules(), ids=lambda module: module.name or "treering")
def test_a_module_stays_readable(module: Module) -> None:
    assert len(module.text.splitlines()) <= 400
    assert ast.get_docstring(module.tree)
