"""Settings: which variables are read, which win, and what an empty one means."""

from __future__ import annotations

import json
import logging
from collections.abc import Iterator
from pathlib import Path

import pytest
from platformdirs import user_data_path

from tests.cli.conftest import Program
from treering import connect
from treering.errors import InvalidRequest
from treering.logs import get_logger, log_to_stderr
from treering.settings import Settings, level_settings_of, unknown_variables

LEVELS = ("MAX_TOTAL_TOKENS", "MAX_INDEX_ITEMS", "DEFAULT_RECALL_LIMIT")


def level_values() -> tuple[int, int, int]:
    values, problems = level_settings_of(Settings())
    assert problems == []
    return values.max_total_tokens, values.max_index_items, values.default_recall_limit


@pytest.mark.promise("environment.own-names")
def test_a_variable_of_another_program_is_not_read(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in (*LEVELS, "HOST", "PORT", "DATA_DIR", "EMBEDDER", "LOG_LEVEL"):
        monkeypatch.setenv(name, "7")
    monkeypatch.delenv("TREERING_EMBEDDER")
    assert Settings() == Settings.model_construct()
    assert level_values() == (2000, 60, 8)


@pytest.mark.promise("environment.own-names")
def test_treerings_own_name_wins_over_the_alias(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in LEVELS:
        monkeypatch.setenv(f"COGNITIVE_MEMORY_{name}", "7")
    assert level_values() == (7, 7, 7)
    monkeypatch.setenv("TREERING_MAX_TOTAL_TOKENS", "5")
    assert level_values() == (5, 7, 7)
    assert Settings(max_total_tokens=3).max_total_tokens == 3
    assert Settings(max_index_items=3).max_index_items == 3


@pytest.mark.promise("environment.empty")
def test_a_variable_that_is_set_to_nothing_is_not_set(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    for name in Settings.model_fields:
        monkeypatch.setenv(f"TREERING_{name.upper()}", "")
    monkeypatch.setenv("TREERING_DATADIR", "")
    monkeypatch.setenv("COGNITIVE_MEMORY_MAX_INDEX_ITEMS", "7")
    settings = Settings()
    assert settings.data_dir == user_data_path("treering", appauthor=False)
    assert (settings.host, settings.port) == ("127.0.0.1", 8787)
    assert level_values() == (2000, 7, 8)
    assert unknown_variables() == []


@pytest.mark.promise("environment.log-level")
@pytest.mark.parametrize("level", ["debug", "INFO", "Warning", "error"])
def test_a_log_level_is_one_of_four(monkeypatch: pytest.MonkeyPatch, level: str) -> None:
    monkeypatch.setenv("TREERING_LOG_LEVEL", level)
    assert Settings().log_level == level.lower()


@pytest.mark.promise("environment.log-level")
def test_another_log_level_is_refused_by_name(program: Program) -> None:
    program.environment["TREERING_LOG_LEVEL"] = "verbose"
    for command in (["serve"], ["stats"]):
        assert "TREERING_LOG_LEVEL: " in program(*command, code=2).err


@pytest.mark.promise("environment.log-level")
def test_so_it_is_by_connect(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("TREERING_LOG_LEVEL", "verbose")
    for target in (tmp_path, tmp_path / "m.db"):
        with pytest.raises(InvalidRequest) as refused:
            connect(target)
        assert refused.value.issues[0].startswith("TREERING_LOG_LEVEL: ")


@pytest.fixture
def own_log() -> Iterator[logging.Logger]:
    logger = logging.getLogger("treering")
    level, handlers = logger.level, logger.handlers
    yield logger
    logger.handlers = handlers
    logger.setLevel(level)


@pytest.mark.promise("environment.log-level")
def test_the_level_is_that_of_treerings_own_log_too(
    own_log: logging.Logger, capsys: pytest.CaptureFixture[str]
) -> None:
    log_to_stderr("error")
    get_logger("treering.some.part").warning("something failed")
    assert capsys.readouterr().err == ""
    log_to_stderr("debug")
    get_logger("treering.some.part").debug("a detail", part=1)
    (line,) = capsys.readouterr().err.splitlines()
    assert json.loads(line).items() >= {"event": "a detail", "level": "debug", "part": 1}.items()
