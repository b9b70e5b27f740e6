"""The commands on levels: what enters a prompt and why, contradictions, the self-model."""

from __future__ import annotations

import json

import pytest

from tests.cli.conftest import Program
from tests.cli.test_output import DRIVES
from tests.conftest import Server

UNKNOWN_ID = "00000000-0000-4000-8000-000000000000"
HELD, OTHER = "The auth service listens on port 5433.", "The auth service listens on port 6000."
EVIL = "evil \x1b[31mred\x1b]0;title\x07 [bold]loud[/bold] \u202e is at https://evil.example \ud800"


@pytest.fixture
def taught(program: Program) -> Program:
    """The program over a vault that holds two statements that contradict each other."""
    assert "stored" in program("remember", HELD).out
    assert "1 contradiction found" in program("remember", OTHER, "--domain", "infra").out
    return program


def test_what_is_remembered_is_in_the_next_block(program: Program) -> None:
    reply = program("remember", HELD, "--domain", "infra", "--json").json
    [stored] = reply["stored"]
    assert (stored["tier"], stored["source"], stored["domains"]) == ("L1", "api", ["infra"])
    block = program("block", "What is next?", "--json").json
    assert [(one["id"], one["reason"]) for one in block["entries"]] == [(stored["id"], "index")]
    assert "merged" in program("remember", HELD).out
    out = program("block", "What is next?").out
    assert f"- {HELD}" in out
    assert f"L1    index      {stored['id']}" in out
    assert f"{block['totalTokens']} tokens for 1 entry; not truncated." in out


def test_remember_puts_a_statement_at_a_level(program: Program) -> None:
    [stored] = program("remember", HELD, "--level", "l2", "--json").json["stored"]
    assert stored["tier"] == "L2"
    program("remember", HELD, "--level", "L0", code=2)


def test_a_secret_is_refused_and_shown_masked(program: Program) -> None:
    secret = "ghp_" + "a1B2" * 9
    ran = program("remember", f"The token is {secret}", code=2)
    assert "refused holds a secret  The token is [secret]" in ran.out
    assert secret not in ran.out
    mixed = program("remember", HELD, "ok, thanks!", "--json").json
    assert (mixed["counts"]["stored"], mixed["counts"]["rejected"]) == (1, 1)


def test_a_block_says_what_was_left_out(taught: Program) -> None:
    reply = taught("block", "hello", "--max-tokens", "0", "--json").json
    assert (reply["truncated"], [one["reason"] for one in reply["entries"]]) == (True, ["tension"])
    out = taught("block", "hello", "--max-tokens", "0").out
    assert "### Unresolved Contradictions" in out
    assert f"{reply['totalTokens']} tokens for 1 entry; truncated" in out


def test_a_transcript_triggers_nothing(taught: Program) -> None:
    def reasons(*arguments: str) -> set[str]:
        entries = taught("block", "why is port 5433 closed", *arguments, "--json").json["entries"]
        return {one["reason"] for one in entries}

    assert "trigger" in reasons()
    assert "trigger" not in reasons("--transcript", "user: port 5433 is closed")


def test_candidates_are_named_until_they_are_recalled(program: Program) -> None:
    [stored] = program("remember", "Tomatoes are planted in May.", "--level", "L2", "--json").json[
        "stored"
    ]
    named = program("block", "When are tomatoes planted").out
    assert "No block" in named
    assert stored["id"] in named.partition("until --recall")[2]
    recalled = program("block", "-", "--recall", "1", stdin="When are tomatoes planted").out
    assert "### Recalled\n- Tomatoes are planted in May." in recalled
    assert "until --recall" not in recalled


def test_an_empty_vault_costs_nothing(program: Program) -> None:
    program("remember", HELD)
    program("wipe", "--yes")
    assert "No block" in program("block", "hello").out


def test_a_memory_is_moved_and_shown(taught: Program) -> None:
    [entry] = [
        one for one in taught("block", "hi", "--json").json["entries"] if one["gist"] == HELD
    ]
    assert f"L1  {HELD}" in taught("level", entry["id"]).out
    assert f"L0  {HELD}" in taught("level", entry["id"], "l0").out
    assert "### Pinned" in taught("block", "hi", "--max-tokens", "0").out
    assert taught("level", entry["id"], "L3", "--json").json["tier"] == "L3"
    assert "### Pinned" not in taught("block", "hi").out
    taught("level", entry["id"], "L4", code=2)
    taught("level", UNKNOWN_ID, "L1", code=4)
    taught("level", UNKNOWN_ID, code=4)


def test_a_person_decides_a_contradiction(taught: Program) -> None:
    [row] = taught("tensions", "--json").json["tensions"]
    listed = taught("tensions", "--status", "active").out
    assert all(text in listed for text in (row["id"], HELD, OTHER, row["actionableQuestion"]))
    assert taught("tensions", row["id"], "--json").json == row
    assert "latent" in taught("tensions", row["id"], "--status", "latent").out
    assert "There is none." in taught("tensions", "--status", "active").out
    assert "Contradictions" not in taught("block", "hello").out
    taught("tensions", row["id"], "--status", "active")
    assert "Contradictions" in taught("block", "hello").out
    decided = taught(
        "tensions", row["id"], "--resolve", "Ines", "--pattern", "Auth is on 6000 since May."
    ).out
    assert decided.startswith("resolved")
    assert "Auth is on 6000 since May." in decided
    after = taught("block", "hello").out
    assert "Contradictions" not in after
    assert "- Auth is on 6000 since May." in after


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (["--resolve", "Ines"], 2),
        (["--pattern", "x is y"], 2),
        ([UNKNOWN_ID], 4),
        ([UNKNOWN_ID, "--status", "latent"], 4),
        ([UNKNOWN_ID, "--status", "resolved"], 2),
        ([UNKNOWN_ID, "--pattern", "x is y"], 2),
        ([UNKNOWN_ID, "--resolve", "Ines", "--status", "latent"], 2),
        ([UNKNOWN_ID, "--resolve", "Ines"], 4),
    ],
)
def test_what_is_no_decision_is_refused(taught: Program, arguments: list[str], code: int) -> None:
    assert taught("tensions", *arguments, code=code).err.startswith("error: ")
    tag = "NotFound" if code == 4 else "InvalidRequest"
    assert json.loads(taught("tensions", *arguments, "--json", code=code).err)["error"] == tag
    assert taught("tensions", "--json").json["tensions"][0]["status"] == "active"


def test_outcomes_make_a_guardrail(taught: Program) -> None:
    first = taught("outcome", "billing", "failure", "--pattern", "Forgot the tax rate").out
    assert "billing: reliability 0.533 after 1 outcome; weak" in first
    block = taught("block", "hello").out
    assert "Known failures: Forgot the tax rate" in block
    assert "L0    guardrail  billing " in block
    model = taught("outcome", " billing ", "success", "--strategy", "Read it first", "--json").json
    assert model["domains"]["billing"]["recommendedStrategies"] == ["Read it first"]
    assert "after 1 outcome." in taught("outcome", " docs ", "success").out
    taught("outcome", "billing", "success", "--pattern", "x", code=2)
    taught("outcome", "billing", "perhaps", code=2)
    said = taught("outcome", "billing", "failure", "--strategy", "x", code=2)
    assert "--strategy goes with success" in said.err


def test_stored_text_drives_no_terminal(program: Program) -> None:
    escaped = r"evil \x1b[31mred\x1b]0;title\x07 [bold]loud[/bold] \u202e"
    said = program("remember", EVIL).out
    block = program("block", "evil.example").out
    [entry] = program("block", "hello", "--json").json["entries"]
    level = program("level", entry["id"], "L0").out
    for out in (said, block, level):
        assert DRIVES.search(out) is None
        assert escaped in " ".join(out.split())
    ran = program("outcome", "\x1b[31m", "failure", "--pattern", EVIL, code=2)
    assert DRIVES.search(ran.err) is None
    assert program("block", "hello", "--json").out.isascii()


def test_the_same_commands_work_against_a_server(server: Server) -> None:
    program = Program(["--url", server.url, "--key", server.key()])
    program("remember", HELD, OTHER)
    [row] = program("tensions", "--json").json["tensions"]
    assert (
        program("tensions", row["id"], "--resolve", "Ines", "--json").json["resolvedBy"] == "Ines"
    )
    [first, _] = program("block", "hello", "--json").json["entries"]
    assert program("level", first["id"], "L0", "--json").json["tier"] == "L0"
    assert "0.533" in program("outcome", "billing", "failure").out
    reader = Program(["--url", server.url, "--key", f"{server.key()}:read"])
    reader("block", "hello")
    for command in (["remember", HELD], ["level", first["id"], "L1"], ["outcome", "x", "success"]):
        reader(*command, code=3)
