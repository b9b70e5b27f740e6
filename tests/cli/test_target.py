"""Which vault a command works on, from options and variables."""

from pathlib import Path

import pytest

from treering.cli.target import Given, Target, chosen, exposed, usable_data_dir
from treering.errors import InvalidRequest

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
