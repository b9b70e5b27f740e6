"""What exists is documented: settings, commands, endpoints, scopes and errors."""

from __future__ import annotations

from pathlib import Path

import httpx2
import pytest
import typer

from tests.conftest import Server
from treering.access import SCOPES
from treering.cli.app import app
from treering.errors import error_classes
from treering.settings import PREFIX, Settings

REFERENCE = (Path(__file__).parents[2] / "docs" / "reference.md").read_text("utf-8")


@pytest.mark.parametrize("name", Settings.model_fields)
def test_every_setting_is_documented(name: str) -> None:
    assert f"| `{PREFIX}{name.upper()}` |" in REFERENCE


def test_every_command_is_documented() -> None:
    group = typer.main.get_command(app)
    for name in group.list_commands(typer.Context(group)):  # type: ignore[attr-defined]  # it is a group
        assert f"`treering {name}" in REFERENCE, name


def test_every_endpoint_and_its_scope_are_documented(server: Server) -> None:
    document = httpx2.get(f"{server.url}/openapi.json").json()
    for path, operations in document["paths"].items():
        for method in operations:
            assert f"`{method.upper()} {path}`" in REFERENCE, f"{method} {path}"


@pytest.mark.parametrize("scope", SCOPES)
def test_every_scope_is_documented(scope: str) -> None:
    assert f"`{scope}`" in REFERENCE


def test_every_error_is_documented() -> None:
    for kind in error_classes():
        if kind.tag != "ProviderFailure":
            assert f"`{kind.tag}`" in REFERENCE
            assert f"| {kind.status} |" in REFERENCE
