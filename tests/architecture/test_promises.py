"""Every promise has a test, and every citation a promise."""

from __future__ import annotations

import ast
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path

TESTS = Path(__file__).parent.parent


def promises() -> dict[str, str]:
    groups = tomllib.loads((TESTS / "promises.toml").read_text("utf-8"))
    return {
        f"{group}.{name}": sentence
        for group, sentences in groups.items()
        for name, sentence in sentences.items()
    }


def cited() -> set[str]:
    return {promise for path in TESTS.rglob("test_*.py") for promise in _cited_in(path)}


def _cited_in(path: Path) -> Iterator[str]:
    """The ids that the tests of a file cite by `@pytest.mark.promise(…)`."""
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            continue
        for mark in node.decorator_list:
            if isinstance(mark, ast.Call) and ast.unparse(mark.func) == "pytest.mark.promise":
                assert node.name.startswith(("test_", "Test")), f"{path}: {node.name} is no test"
                yield from (ast.literal_eval(argument) for argument in mark.args)


def test_every_promise_has_a_test() -> None:
    assert not promises().keys() - cited()


def test_every_citation_is_of_a_promise() -> None:
    assert not cited() - promises().keys()


def test_a_promise_is_a_sentence_under_a_short_id() -> None:
    for name, sentence in promises().items():
        assert re.fullmatch(r"[a-z0-9-]+\.[a-z0-9-]+", name), name
        assert sentence.endswith("."), name
        assert 15 < len(sentence) < 300, name
