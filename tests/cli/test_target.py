"""Which vault a command works on, from options and variables."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.conftest import Program
from tests.conftest import Server
from tests.support.worlds import hash_embedder
from treering.access import SCOPES
from treering.cli.target import Given, Target, chosen, exposed, usable_data_dir
from treering.data_dir import DataDir
from treering.errors import InvalidRequest, StorageUnusable
from treering.system import System

URL, KEY, DIR = "http://h:1", "mk_x", "/data"
NOTHING = Given()


@pytest.mark.parametrize(
    ("options", "environment", "target"),
    [
        (NOTHING, NOTHING, Target()),
        (Given(url=URL, key=KEY), NOTHING, Target(url=URL, key=KEY)),
        (Given(url=URL), Given(key=KEY), Target(url=URL, key=KEY)),
        (NOTHING, Given(url=URL, key=KEY), Target(url=URL, key=KEY)),
        (Given(key="mk_y"), Given(url=URL, key=KEY), Target(url=URL, key="mk_y")),
        (Given(url=URL), Given(data_dir=DIR), Target(url=URL)),
        (Given(data_dir=DIR), Given(url=URL, key=KEY), Target(data_dir=Path(DIR))),
        (Given(data_dir=DIR, key=KEY), NOTHING, Target(data_dir=Path(DIR), key=KEY)),
        (Given(data_dir=DIR), Given(vault="v"), Target(data_dir=Path(DIR))),
        (Given(vault="v"), Given(data_dir=DIR), Target(data_dir=Path(DIR), vault="v")),
        (NOTHING, Given(data_dir=DIR, vault="v"), Target(data_dir=Path(DIR), vault="v")),
        (NOTHING, Given(data_dir=DIR, key=KEY), Target(data_dir=Path(DIR), key=KEY)),
    ],
)
def test_options_win_over_variables(options: Given, environment: Given, target: Target) -> None:
    assert chosen(options, environment) == target


@pytest.mark.parametrize(
    ("options", "environment"),
    [
        (Given(url=URL, data_dir=DIR), NOTHING),
        (Given(url=URL, vault="v"), NOTHING),
        (NOTHING, Given(url=URL, data_dir=DIR)),
    ],
)
def test_two_places_at_once_are_refused(options: Given, environment: Given) -> None:
    with pytest.raises(InvalidRequest, match=r"local storage|not both"):
        chosen(options, environment)


def test_a_path_is_a_vaults_file_and_a_name_is_not() -> None:
    assert Target(vault="memory.db").file == Path("memory.db")
    assert Target(vault="./memory").file == Path("memory")
    assert Target(vault="laptop").file is None


def test_storage_that_others_can_read_is_told_of(tmp_path: Path) -> None:
    made = usable_data_dir(tmp_path / "made", create=True)
    assert made.stat().st_mode & 0o777 == 0o700
    control = made / "control.db"
    control.touch(0o644)
    assert exposed(made) is None
    made.chmod(0o755)
    assert str(made) in str(exposed(made))
    control.chmod(0o600)
    assert exposed(made) is exposed(tmp_path / "none") is None


@pytest.mark.promise("options.blank")
@pytest.mark.parametrize("option", ["url", "key", "data-dir", "vault"])
@pytest.mark.parametrize("blank", ["", " "])
def test_an_option_given_as_nothing_is_refused(filled: Program, option: str, blank: str) -> None:
    name = option.replace("-", "_")
    for command in (["wipe", "--yes"], ["stats"], ["import", "-"], ["block", "hi"]):
        where = filled.where if option != "data-dir" else []
        error = filled.bare(*command, *where, f"--{option}", blank, code=2).err
        assert f"{name}: is blank" in error
    assert filled("stats", "--json").json["by_kind"]["message"] == 5


@pytest.mark.promise("options.blank")
@pytest.mark.parametrize(
    "command",
    [
        ["serve", "--host", ""],
        ["serve", "--data-dir", ""],
        ["keys", "create", "--vault", ""],
        ["keys", "create", "--key", ""],
        ["keys", "list", "--url", ""],
        ["keys", "revoke", "x", "--data-dir", ""],
        ["reembed", "--vault", ""],
        ["reembed", "--data-dir", ""],
        ["usage", "--start", ""],
        ["date-search", "2026-01-01", ""],
        ["date-search", "2026-01-01", "--query", ""],
        ["tensions", "x", "--resolve", ""],
        ["wipe", "--yes", "--session", ""],
        ["reflect", "--with", "openai", "--model", ""],
        ["reflect", "--with", ""],
    ],
)
def test_so_is_every_other(filled: Program, command: list[str]) -> None:
    given = [option for option in command if option.startswith("--")]
    where = [] if "--url" in given or "--data-dir" in given else filled.where
    option = given[-1].lstrip("-").replace("-", "_") if given else "to"
    error = filled.bare(*command, *where, code=2).err
    assert any(f"{name}: " in error for name in (option, "session_id", "resolvedBy")), error
    assert filled("stats", "--json").json["by_kind"]["message"] == 5


@pytest.mark.promise("environment.empty")
def test_an_empty_variable_names_no_target(filled: Program) -> None:
    for name in ("TREERING_URL", "TREERING_KEY", "TREERING_VAULT"):
        filled.environment[name] = ""
    filled.environment["TREERING_DATA_DIR"] = filled.where[1]
    assert filled.bare("stats", "--json").json["by_kind"]["message"] == 5


@pytest.mark.promise("options.reading-makes-nothing")
@pytest.mark.parametrize(
    "command",
    [
        ["stats"],
        ["search", "x"],
        ["usage"],
        ["debt"],
        ["wipe", "--yes"],
        ["block", "hi"],
        ["tensions"],
        ["reembed"],
        ["keys", "list"],
        ["keys", "revoke", "x"],
    ],
)
def test_a_command_that_reads_makes_no_storage(tmp_path: Path, command: list[str]) -> None:
    program = Program(["--data-dir", str(tmp_path)])
    refused = program(*command, code=7).err
    assert str(tmp_path) in refused
    assert "treering remember" in refused
    assert list(tmp_path.iterdir()) == []


@pytest.mark.promise("options.reading-makes-nothing")
def test_a_command_that_reads_makes_no_vault(tmp_path: Path) -> None:
    DataDir(tmp_path, hash_embedder(), System()).close()
    program = Program(["--data-dir", str(tmp_path)])
    for command in (["stats"], ["search", "x"], ["reembed"]):
        assert "no vault in" in program(*command, code=7).err
    storage = DataDir(tmp_path, hash_embedder(), System())
    assert storage.vaults() == []
    with pytest.raises(StorageUnusable):
        storage.vault_named(None, create=False)
    assert storage.vault_named(None).name == "default"
    storage.close()
    assert program("stats", "--json").json["memories"] == 0


def test_a_command_on_a_server_loads_no_store(server: Server) -> None:
    code = (
        "import sys\nfrom typer.testing import CliRunner\nfrom treering.cli.app import app\n"
        "ran = CliRunner().invoke(app, sys.argv[1:])\n"
        "assert ran.exit_code == 0, ran.output\n"
        "print({'numpy', 'onnxruntime', 'apsw', 'fastapi'} & set(sys.modules))"
    )
    where = ["--url", server.url, "--key", server.key(list(SCOPES))]
    for command in (["stats"], ["keys", "list"]):
        done = subprocess.run(
            [sys.executable, "-c", code, *command, *where],
            capture_output=True,
            text=True,
            check=True,
        )
        assert done.stdout.strip() == "set()"
