"""Every command: its help, its JSON, its text, its exit code."""

from __future__ import annotations

import json
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import httpx2
import pytest
from typer.main import get_command

from tests.cli.conftest import Program, jsonl
from tests.conftest import Server
from treering.access import KEYS, SCOPES
from treering.cli.app import app

COMMANDS = [
    ["serve"], ["keys"], ["keys", "create"], ["keys", "list"], ["keys", "revoke"], ["import"],
    ["search"], ["prepare"], ["inspect"], ["debt"], ["reflect"], ["stats"], ["delete"], ["wipe"],
    ["date-search"], ["reembed"], ["usage"], ["revert"], ["block"], ["remember"], ["level"],
    ["tensions"], ["outcome"], ["admin"], ["admin", "create"], ["admin", "password"],
    ["admin", "list"], ["admin", "delete"], ["mcp"],
]  # fmt: skip
UNKNOWN_ID = "00000000-0000-4000-8000-000000000000"


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_every_command_has_help(command: list[str]) -> None:
    assert "--help" in Program([])(*command, "--help").out


def test_what_prints_no_document_takes_no_json() -> None:
    assert "--json" in Program([])("stats", "--help").out
    assert "--json" not in Program([])("mcp", "--help").out


def test_every_command_is_tested() -> None:
    group: Any = get_command(app)
    assert set(group.commands) == {command[0] for command in COMMANDS}


def test_help_imports_no_heavy_library() -> None:
    code = (
        "import sys\nfrom typer.testing import CliRunner\nfrom treering.cli.app import app\n"
        "assert CliRunner().invoke(app, ['--help']).exit_code == 0\n"
        "print({'numpy', 'onnxruntime', 'apsw', 'fastapi', 'httpx2', 'mcp'} & set(sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "set()"


def test_the_version_is_shown() -> None:
    assert Program([])("--version").out.startswith("treering ")


def test_every_answer_is_one_json_document(filled: Program) -> None:
    found = filled("search", "port", "--json", "--explain").json
    assert "8412" in found["memories"][0]["content"]
    assert "why" in found["memories"][0]
    assert "8412" in filled("prepare", "which port", "--json").json["context"]
    assert filled("date-search", "2026-02-02", "2026-02-03", "--json").json["count"] == 2
    assert filled("stats", "--json").json["by_kind"]["message"] == 5
    assert filled("debt", "--json").json["unconsolidated"]["raw"]["units"] == 5
    summary = filled("reflect", "--with", "extractive", "--json").json
    assert summary["memories"] == 5 + summary["reflections"]["2"]
    [top] = filled("search", "port", "--tier", "3", "-n", "1", "--json").json["memories"]
    tree = filled("inspect", top["id"], "--json").json
    assert tree["sources"][0]["inspect"]["sources"][0]["tier"] == 1
    assert (
        "inspect" not in filled("inspect", top["id"], "--depth", "1", "--json").json["sources"][0]
    )
    assert filled("usage", "--json").json["by_endpoint"]["commit"]["calls"] == 2
    assert tree["batch_id"] in filled("inspect", top["id"]).out
    assert filled("revert", tree["batch_id"], "--json").json["reverted"]
    [middle] = filled("search", "port", "--tier", "2", "-n", "1", "--json").json["memories"]
    assert filled("delete", middle["id"], "--yes", "--json").json["deleted"] == 1
    assert filled("wipe", "--yes", "--json").json["deleted"] > 5


def test_every_answer_is_readable_too(filled: Program) -> None:
    found = filled("search", "port", "--explain").out
    assert "port 8412" in found
    assert "why: " in found
    assert "tokens for" in filled("prepare", "which port").out
    assert "2026-02-04 10:00" in filled("date-search", "2026-02-04").out
    assert "memories" in filled("stats").out
    assert "raw → reflections" in filled("debt").out
    reflected = filled("reflect", "--with", "extractive").out
    assert "No model" in reflected
    assert "To read: 5 raw memories" in reflected
    [top] = filled("search", "port", "--tier", "3", "-n", "1", "--json").json["memories"]
    tree = filled("inspect", top["id"]).out
    assert "tier 3" in tree
    assert "tier 1  2026-02-0" in tree
    raw = filled("search", "port", "--tier", "1", "-n", "1", "--json").json["memories"][0]["id"]
    assert "consolidated into" in filled("inspect", raw).out
    assert "Nothing to consolidate" in filled("reflect", "--with", "extractive").out
    assert "no block, at no cost" in filled("prepare", "zzz qqq", "--importance", "10").out
    assert "stay" in filled("delete", raw, "--yes").out


def test_the_same_commands_work_against_a_server(server: Server, tmp_path: Path) -> None:
    program = Program(["--url", server.url, "--key", server.key()])
    program("import", jsonl(tmp_path / "m.jsonl", {"content": "The port is 8412."}))
    assert "8412" in program("search", "port").out
    assert program("stats", "--json").json["by_kind"]["message"] == 1
    program("reflect", "--with", "extractive", "--tier", "1", "--json")
    assert program("debt", "--json").json["unconsolidated"]["raw"]["units"] == 0
    assert program("wipe", "--yes", "--json").json["deleted"] >= 2
    assert program("stats", "--json").json["memories"] == 0


def test_a_program_reflects(filled: Program) -> None:
    code = "import json; print(json.dumps([{'text': 'The port is 8412.', 'importance': 9}]))"
    command = f"command:{shlex.join([sys.executable, '-c', code])}"
    summary = filled("reflect", "--with", command, "--batches", "1", "--json").json
    assert (summary["reflections"], summary["finished"]) == ({"2": 1}, False)
    assert "port is 8412" in filled("search", "port", "--importance", "9").out


def test_a_model_that_fails_is_an_error_and_its_lease_is_explained(filled: Program) -> None:
    assert "can't be run" in filled("reflect", "--with", "command:no-such-program", code=8).err
    assert "leased" in filled("reflect", "--with", "extractive", code=5).out
    by_tier = filled("stats", "--json").json["by_tier"]
    assert (by_tier["2"], by_tier["3"]) == (0, 0)


@pytest.mark.parametrize(
    ("arguments", "code", "tag"),
    [
        (["search", " "], 2, "InvalidRequest"),
        (["search", "x", "--tier", "4"], 2, "InvalidRequest"),
        (["date-search", "yesterday"], 2, "InvalidRequest"),
        (["inspect", UNKNOWN_ID], 4, "NotFound"),
        (["reflect", "--with", "oracle"], 2, "InvalidRequest"),
        (["import", "no-such-file.jsonl"], 2, "InvalidRequest"),
    ],
)
def test_an_error_is_one_line_and_its_exit_code(
    filled: Program, arguments: list[str], code: int, tag: str
) -> None:
    plain = filled(*arguments, code=code)
    assert (plain.err.startswith("error: "), plain.err.count("\n")) == (True, 1)
    told = filled(*arguments, "--json", code=code)
    assert told.out == ""
    assert json.loads(told.err)["error"] == tag


def test_the_other_exit_codes(server: Server, tmp_path: Path) -> None:
    assert "key" in Program(["--url", server.url])("stats", code=2).err
    Program(["--url", server.url, "--key", "mk_wrong"])("stats", code=3)
    Program(["--url", server.url, "--key", f"{server.key()}:read"])("wipe", "--yes", code=3)
    for command in (["stats"], ["keys", "list"]):
        Program(["--url", server.url, "--key", "mk_…"])(*command, code=3)
        assert "url: " in Program(["--url", "http://h:x", "--key", "mk_x"])(*command, code=2).err
    Program(["--url", "http://127.0.0.1:9", "--key", "mk_x"])("stats", code=9)
    missing = str(tmp_path / "nowhere")
    assert "no data directory" in Program(["--data-dir", missing])("stats", code=7).err
    assert not Path(missing).exists()
    Program(["--vault", f"{missing}.db"])("stats", code=7)
    (tmp_path / "file").write_text("x")
    Program(["--data-dir", str(tmp_path / "file")])("stats", code=7)


@pytest.mark.parametrize("name", ["TREERING_PORT", "TREERING_INDEX_MEMORY_MB"])
def test_a_setting_that_is_no_value_is_named(filled: Program, name: str) -> None:
    filled.environment[name] = "many"
    assert f"{name}: " in filled("stats", code=2).err


def test_deleting_asks(filled: Program) -> None:
    found = filled("search", "port", "--json").json["memories"][0]["id"]
    assert "nothing was deleted" in filled("delete", found, stdin="no\n", code=2).err
    assert "nothing was deleted" in filled("wipe", stdin="yes\n", code=2).err
    assert "nothing was deleted" in filled("wipe", stdin="", code=2).err
    assert "1 deleted" in filled("delete", found, stdin="yes\n").out
    filled("wipe", stdin="DELETE ALL MEMORIES\n")
    assert filled("stats", "--json").json["memories"] == 0
    assert "0 deleted, 1 not found." in filled("delete", found, "--yes", code=4).out


def test_only_a_session_is_wiped(filled: Program) -> None:
    assert filled("wipe", "--session", "other", "--yes", "--json").json["deleted"] == 0
    filled("wipe", "--session", "", "--yes", code=2)
    assert filled("stats", "--json").json["by_kind"]["message"] == 5


def test_keys_of_local_storage(program: Program) -> None:
    made = program("keys", "create", "--name", "laptop", "--json").json
    assert made["key"].startswith(made["prefix"])
    assert set(made) >= {"id", "name", "vault_id", "scopes", "created_at", "expires_at"}
    again = program(
        "keys", "create", "--vault", "laptop", "--scopes", "memories:read, stats:read",
        "--expires-in-days", "7", "--json",
    ).json  # fmt: skip
    assert again["vault_id"] == made["vault_id"]
    assert again["scopes"] == ["memories:read", "stats:read"]
    by_hand = program("keys", "create", "--key", "mk_user-123")
    assert "warning: " in by_hand.err
    assert by_hand.out.startswith("mk_user-123\n")
    listed = program("keys", "list", "--json").json["keys"]
    assert [key["status"] for key in listed] == ["active"] * 3
    assert not any(key.get("key") for key in listed)
    program("keys", "revoke", made["id"])
    assert "revoked" in program("keys", "list").out
    program("keys", "revoke", UNKNOWN_ID, code=4)
    program("keys", "create", "--scopes", "memories:all", code=2)
    program("keys", "create", "--key", "user-123", code=2)
    assert program("stats", "--key", "mk_user-123", "--json").json["memories"] == 0
    program("stats", "--key", made["key"], code=3)


def test_keys_of_a_server(server: Server) -> None:
    program = Program(["--url", server.url, "--key", server.key(list(SCOPES))])
    made = program("keys", "create", "--name", "phone", "--vault", "same", "--json").json
    assert made["id"] in program("keys", "list").out
    program("keys", "revoke", made["id"], "--json")
    without = Program(["--url", server.url, "--key", server.key()])
    assert KEYS in without("keys", "list", code=3).err


def test_a_vault_is_told_from_others_by_its_name(program: Program) -> None:
    first = program("keys", "create", "--name", "laptop")
    assert "new and empty" in first.out
    again = program("keys", "create", "--name", "laptop", code=5).err
    assert "laptop" in again
    assert "--vault" in again
    beside = program("keys", "create", "--name", "reader", "--vault", "laptop").out
    assert "new and empty" not in beside
    assert program("keys", "list").out.count("laptop") == 3
    program("keys", "create", "--name", "other")
    choice = program("stats", code=2).err
    assert "--vault or TREERING_VAULT" in choice
    assert "laptop (" in choice
    program("stats", "--vault", "laptop")


def test_a_block_too_large_for_its_budget_is_told_of(filled: Program) -> None:
    said = " ".join(filled("prepare", "which port", "--max-tokens", "40").out.split())
    assert "memories were found and do not fit in 40 tokens" in said
    assert "--max-tokens" in said
    assert filled("prepare", "which port", "--max-tokens", "40", "--json").json["truncated"]


def test_a_receipt_shows_the_claim_and_as_many_sources_as_asked_for(filled: Program) -> None:
    filled("reflect", "--with", "extractive")
    [top] = filled("search", "port", "--tier", "2", "-n", "1", "--json").json["memories"]
    sources = filled("inspect", top["id"], "--json").json["sources"]
    assert len(sources) == 5
    assert sources[3]["support"] < 0.01, "a source that is not shown unless it is asked for"
    for limit in range(1, 6):
        shown = filled("inspect", top["id"], "--depth", "1", "--limit", str(limit)).out
        assert shown.count("  support ") == limit
        assert (f"{5 - limit} more" in shown) == (limit < 5)
    head = filled("inspect", top["id"]).out.partition("└")[0].partition("├")[0]
    assert top["content"].split()[-1] in head


def test_one_session_alone_needs_to_be_named(filled: Program, server: Server) -> None:
    refused = filled("search", "port", "--session-only", code=2).err
    assert "session_only: goes with --session" in refused
    assert "8412" in filled("search", "port", "--session-only", "--session", "s").out
    headers = {"Authorization": f"Bearer {server.key()}"}
    url, body = f"{server.url}/v1/memory/search", {"query": "port", "session_only": True}
    answer = httpx2.post(url, json=body, headers=headers)
    assert (answer.status_code, answer.json()["issues"]) == (
        400,
        ["session_only: needs session_id"],
    )
    named = httpx2.post(url, json=body, headers={**headers, "X-Session-ID": "s"})
    assert named.status_code == 200


def test_one_is_counted_as_one(program: Program, tmp_path: Path) -> None:
    program("import", jsonl(tmp_path / "m.jsonl", {"content": "The port is 8412."}))
    assert "To read: 1 raw memory (" in program("reflect", "--with", "extractive").out


def test_a_vault_changes_its_embedder(filled: Program) -> None:
    filled.environment["TREERING_EMBEDDER"] = "hash-256"
    assert "treering reembed" in filled("search", "port", code=5).err
    changed = filled("reembed", "--json").json
    assert (changed["from"], changed["to"]) == ("hash-384", "hash-256")
    assert "8412" in filled("search", "port").out
    assert filled("stats", "--json").json["pending_vectors"] == 0
    assert filled("reembed", "--json").json["computed"] == 0


def test_a_vaults_file_is_a_target(tmp_path: Path) -> None:
    program = Program(["--vault", str(tmp_path / "one.db")])
    program("import", jsonl(tmp_path / "m.jsonl", {"content": "The port is 8412."}))
    assert "8412" in program("search", "port").out
    program.environment["TREERING_EMBEDDER"] = "hash-64"
    assert program("reembed", "--json").json["to"] == "hash-64"
