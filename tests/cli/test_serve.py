"""The server as an operator meets it: started, announced, stopped in order."""

from __future__ import annotations

import json
import signal
import socket
import subprocess
from pathlib import Path

import pytest

from tests.cli.conftest import Program
from treering import connect
from treering.cli.commands.serve import listening


def announced(process: subprocess.Popen[bytes]) -> dict[str, str]:
    """What the server printed once it was up."""
    assert process.stdout is not None
    lines: list[str] = []
    while not lines or not lines[-1].startswith("}"):
        line = process.stdout.readline().decode()
        assert line, "the server ended before it was up"
        lines.append(line)
    found: dict[str, str] = json.loads("".join(lines))
    return found


@pytest.mark.parametrize("stop", [signal.SIGTERM, signal.SIGINT])
def test_it_serves_until_it_is_told_to_stop(program: Program, stop: signal.Signals) -> None:
    key = program("keys", "create", "--name", "demo", "--json").json["key"]
    process = program.start("serve", "--port", "0", *program.where, "--json")
    told = announced(process)
    assert told["data_dir"] == program.where[1]
    assert told["embedder"] == "hash-384"
    with connect(told["url"], key) as vault:
        vault.ingest([{"role": "user", "content": "The port is 8412."}])
        assert vault.search("port").count == 1
    process.send_signal(stop)
    _, err = process.communicate(timeout=60)
    assert process.returncode == 0
    assert b"Traceback" not in err
    assert program("stats", "--key", key, "--json").json["by_kind"]["message"] == 1


def test_a_response_does_not_wait_for_the_clients_acknowledgement() -> None:
    with (
        listening("127.0.0.1", 0) as listener,
        socket.create_connection(listener.getsockname()),
        listener.accept()[0] as accepted,
    ):
        assert accepted.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)


def test_misspelt_variables_and_open_addresses_are_pointed_out(program: Program) -> None:
    process = program.start(
        *("serve", "--host", "0.0.0.0", "--port", "0", *program.where, "--json"),
        environment={"TREERING_DATADIR": "/data"},
    )
    announced(process)
    process.terminate()
    _, err = process.communicate(timeout=60)
    assert b"warning: TREERING_DATADIR is no setting" in err
    assert b"memory keys are the only protection" in err


def test_what_can_not_be_served_is_refused(program: Program, tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        assert "is in use" in program("serve", "--port", port, code=5).err
    (tmp_path / "file").write_text("no folder")
    assert "is no folder" in program.bare("serve", "--data-dir", str(tmp_path / "file"), code=7).err
    broken = tmp_path / "broken"
    broken.mkdir()
    (broken / "control.db").write_bytes(b"this is no database at all" * 100)
    assert "is no database" in program.bare("serve", "--data-dir", str(broken), code=7).err
    program.environment["TREERING_EMBEDDER"] = "word2vec"
    assert "TREERING_EMBEDDER" in program("serve", code=2).err
