"""A program as the model, run for real."""

import shlex
import sys
from pathlib import Path

import pytest

from tests.reflectors.batches import batch_of
from treering.errors import InvalidRequest, ModelFailure
from treering.reflectors import ModelReflector
from treering.reflectors.command import CommandModel

GOOD = 'print(\'{"entries": [{"text": "Ines chose SQLite.", "importance": 7}]}\')'


def program(code: str, *arguments: str) -> str:
    """The command that runs Python code."""
    return shlex.join([sys.executable, "-c", code, *arguments])


def reflector(code: str, timeout_s: float = 30.0) -> ModelReflector:
    return ModelReflector(CommandModel(program(code), timeout_s=timeout_s))


def test_the_program_reads_the_prompt_and_its_answer_is_taken(tmp_path: Path) -> None:
    heard = tmp_path / "heard.txt"
    code = f"import sys; open({str(heard)!r}, 'wb').write(sys.stdin.buffer.read()); {GOOD}"
    batch = batch_of(["Ines: SQLite, 数据库 😀"])
    assert reflector(code).reflect(batch) == [{"text": "Ines chose SQLite.", "importance": 7}]
    prompt = heard.read_text("utf-8")
    assert batch.reflection_contract.instructions in prompt
    assert "Ines: SQLite, 数据库 😀" in prompt


def test_a_bad_answer_gets_one_correction_that_names_the_problem() -> None:
    code = f"import sys\nif 'is not JSON' in sys.stdin.read(): {GOOD}\nelse: print('hm')"
    assert len(reflector(code).reflect(batch_of(["x"]))) == 1


def test_two_bad_answers_are_a_model_failure(tmp_path: Path) -> None:
    runs = tmp_path / "runs"
    code = f"open({str(runs)!r}, 'a').write('x'); print('hm')"
    with pytest.raises(ModelFailure, match="twice in a row: it is not JSON"):
        reflector(code).reflect(batch_of(["x"]))
    assert runs.read_text() == "xx"


def test_no_shell_reads_the_command(tmp_path: Path) -> None:
    target = tmp_path / "made"
    code = "import sys, json; print(json.dumps([{'text': sys.argv[1], 'importance': 5}]))"
    command = f"{shlex.join([sys.executable, '-c', code])} '$HOME; touch {target}'"
    entries = ModelReflector(CommandModel(command)).reflect(batch_of(["x"]))
    assert entries[0]["text"] == f"$HOME; touch {target}"
    assert not target.exists()


@pytest.mark.parametrize(
    ("code", "named"),
    [
        ("import sys; sys.exit('no such model: llama')", "no such model: llama"),
        ("import time; time.sleep(60)", "took longer"),
    ],
)
def test_a_program_that_fails_is_a_model_failure(code: str, named: str) -> None:
    with pytest.raises(ModelFailure, match=named):
        reflector(code, timeout_s=2.0).reflect(batch_of(["x"]))


def test_a_program_that_is_not_there_is_named() -> None:
    with pytest.raises(ModelFailure, match="no-such-program can't be run"):
        ModelReflector(CommandModel("no-such-program --now")).reflect(batch_of(["x"]))


@pytest.mark.parametrize("command", ["", "  ", "llm 'unclosed"])
def test_a_command_that_names_no_program_is_refused(command: str) -> None:
    with pytest.raises(InvalidRequest, match="command"):
        CommandModel(command)
