"""The examples in the documentation run as they stand."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from treering import Verbs

ROOT = Path(__file__).parents[2]
_BLOCK = re.compile(r"^```(python|sh)\n(.*?)^```$", re.DOTALL | re.MULTILINE)
GUIDES = [
    path
    for path in sorted([*ROOT.glob("docs/*.md"), ROOT / "README.md"])
    if _BLOCK.search(path.read_text("utf-8"))
]


@pytest.mark.parametrize("guide", GUIDES, ids=[guide.name for guide in GUIDES])
def test_a_guides_examples_run(
    guide: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    monkeypatch.setenv("TREERING_EMBEDDER", "hash-384")
    monkeypatch.setenv("TREERING_DATA_DIR", str(tmp_path / "data"))
    if guide.name != "README.md":
        _run_commands("treering keys create --name me")  # as README has it, which is read first
    names: dict[str, object] = {}
    for language, code in _BLOCK.findall(guide.read_text("utf-8")):
        if language == "python":
            exec(compile(code, guide.name, "exec"), names)
        else:
            _run_commands(code)
    for value in names.values():
        if isinstance(value, Verbs):
            value.close()


def _run_commands(code: str) -> None:
    """Run each `treering` line of a shell block; other lines are for the reader's shell alone."""
    for line in code.splitlines():
        words = shlex.split(line, comments=True)
        if words[:1] == ["treering"] and words[1] != "serve":
            command = [sys.executable, "-m", *words]
            done = subprocess.run(command, env=os.environ, capture_output=True, text=True)
            assert done.returncode == 0, f"{line}\n{done.stdout}{done.stderr}"
