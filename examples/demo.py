"""Treering in under a minute: a real server, a sample conversation, and every claim with receipts.

Run it with `make demo`. It needs no network and no model, leaves nothing behind, and fails unless
every step did what it says.
"""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from treering import Verbs, connect

HERE = Path(__file__).parent
CONVERSATION = HERE / "conversation.jsonl"
LINES = sum(1 for line in CONVERSATION.open(encoding="utf-8") if line.strip())
TREERING = [sys.executable, "-m", "treering"]
BATCH_TOKENS = "1000"


def main() -> None:
    """Run the demo."""
    with tempfile.TemporaryDirectory(prefix="treering-demo-") as folder:
        head("A server", "One process, one folder. It never calls a model.")
        with server(Path(folder)) as url:
            key = make_key(Path(folder))
            shell = Shell({"TREERING_URL": url, "TREERING_KEY": key})
            with connect(url, key) as vault:
                tell(shell, vault)
    print("\nEverything above was checked as it ran. The server is stopped, its folder is gone.")


def tell(shell: Shell, vault: Verbs) -> None:
    """The story, one step after the other."""
    remember(shell, vault)
    recall(shell, vault)
    consolidate(shell, vault)
    drill_down(shell, vault)
    prepare(shell, vault)


def remember(shell: Shell, vault: Verbs) -> None:
    """Import the conversation, twice."""
    head(
        "Remember",
        f"{LINES} messages from six evenings: two people and an assistant build Kettlewater,",
        "which measures rain barrels. Stored verbatim; running it again stores nothing twice.",
    )
    shell.run("import", shown_path(CONVERSATION))
    shell.run("import", shown_path(CONVERSATION))
    check(vault.stats().by_kind["message"] == LINES, "every line is stored, and once")


def recall(shell: Shell, vault: Verbs) -> None:
    """Search it."""
    question = "Why was MQTT dropped?"
    head("Recall", "Words, meaning and the conversation around a message count together.")
    shell.run("search", question, "--limit", "3")
    found = [memory.content for memory in vault.search(question, limit=3).memories]
    check(any("HTTP" in text and "MQTT" in text for text in found), "the decision is found")


def consolidate(shell: Shell, vault: Verbs) -> None:
    """Pay the reflection debt, tier 1 to 3."""
    head(
        "Consolidate",
        "Raw messages become reflections, reflections become high-level ones. They layer on top;",
        "nothing is replaced. Your side writes them: your model, your program, or as here no",
        "model at all. What nothing covers yet is the vault's debt.",
    )
    before = vault.debt().unconsolidated
    check(before.raw.units == LINES, "all of it is debt before")
    shell.run("debt")
    shell.run("reflect", "--with", "extractive", "--max-tokens", BATCH_TOKENS)
    shell.run("debt")
    after = vault.debt().unconsolidated
    check(after.raw.units == 0 and after.tier2.count == 0, "no debt is left")
    counted = vault.stats()
    check(counted.by_kind["message"] == LINES, "no message was lost by it")
    check(counted.by_tier["2"] > counted.by_tier["3"] > 0, "both upper tiers exist")


def drill_down(shell: Shell, vault: Verbs) -> None:
    """From a high-level reflection to the words that were said."""
    head(
        "Drill down",
        "Every claim has receipts: from a high-level reflection to the reflections under it, and",
        "on to the very messages, those that back it most first.",
    )
    top = vault.search("what was decided about MQTT and HTTP", tiers=[3], limit=1).memories[0]
    print(f'  tier 3 says: "{top.content}"')
    shell.run("inspect", top.id, "--limit", "3")
    said = {json.loads(line)["content"] for line in CONVERSATION.open(encoding="utf-8")}
    reflections = vault.inspect(top.id).sources or []
    check(len(reflections) > 1, "it stands on several reflections")
    messages = [row for source in reflections for row in vault.inspect(source.id).sources or []]
    check({row.content for row in messages} <= said, "and those on messages as they were said")
    check({row.tier for row in messages} == {1}, "which are tier 1")


def prepare(shell: Shell, vault: Verbs) -> None:
    """What a prompt gets, and what that costs."""
    question = "Which port does the server use, and can we reach it from outside?"
    head(
        "Prepare a prompt",
        "This is the block that a model would get beside the user's question: fenced as notes,",
        "dated, with who said it, and with its price.",
    )
    shell.run("prepare", question, "--density", "low")
    block = vault.prepare([{"role": "user", "content": question}], density="low")
    check("8412" in block.context and "127.0.0.1" in block.context, "it answers the question")
    check(0 < block.tokens < 600, "at the price of a few lines")


class Shell:
    """Runs `treering` commands and shows them as a person would type them."""

    def __init__(self, variables: dict[str, str]) -> None:
        self._environment = environment() | variables

    def run(self, *arguments: str) -> None:
        """Run a command, with its output below it; raises CalledProcessError when it fails."""
        show_command(*arguments)
        done = subprocess.run(
            [*TREERING, *arguments],
            env=self._environment,
            cwd=HERE.parent,
            check=True,
            stdout=subprocess.PIPE,
            encoding="utf-8",
        )
        for line in done.stdout.rstrip().splitlines():
            print(f"  {line}".rstrip())


@contextmanager
def server(folder: Path) -> Iterator[str]:
    """The URL of a server that runs as long as the block does, and stops in order after it."""
    arguments = ["serve", "--port", "0", "--data-dir", str(folder)]
    show_command(*arguments)
    with (folder / "server.log").open("w", encoding="utf-8") as log:
        process = subprocess.Popen(
            [*TREERING, *arguments],
            env=environment(),
            stdout=subprocess.PIPE,
            stderr=log,
            encoding="utf-8",
        )
    assert process.stdout is not None
    url = ""
    try:
        for line in process.stdout:
            print(f"  {line}", end="")
            if line.startswith("serving"):
                url = line.split()[1]
                break
        check(url.startswith("http://"), "the server is up")
        yield url
    finally:
        process.terminate()
        code = process.wait(timeout=30)
        process.stdout.close()
    check(code == 0, "the server stops in order")


def make_key(folder: Path) -> str:
    """A memory key, made by the operator beside the server."""
    arguments = ["keys", "create", "--name", "demo", "--data-dir", str(folder), "--json"]
    show_command(*arguments)
    done = subprocess.run(
        [*TREERING, *arguments], env=environment(), check=True, capture_output=True, text=True
    )
    key = str(json.loads(done.stdout)["key"])
    check(key.startswith("mk_"), "there is a key")
    print(f"  a key to a vault of its own: {key[:9]}…")
    show_line("export TREERING_URL=… TREERING_KEY=…")
    return key


def environment() -> dict[str, str]:
    """This process's environment without its own Treering settings."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("TREERING_")}
    return kept | {"COLUMNS": "96", "PYTHONIOENCODING": "utf-8", "NO_COLOR": "1"}


def shown_path(path: Path) -> str:
    """`path` from the project's folder, in which the commands run."""
    return str(path.relative_to(HERE.parent))


def head(title: str, *lines: str) -> None:
    """A step's heading and what it shows."""
    print(f"\n\n{title}\n{'─' * len(title)}")
    for line in lines:
        print(line)


def show_command(*arguments: str) -> None:
    """A command as it would be typed."""
    show_line("treering " + " ".join(f'"{word}"' if " " in word else word for word in arguments))


def show_line(text: str) -> None:
    """A line at a prompt."""
    print(f"\n  $ {text}", flush=True)


def check(holds: bool, claim: str) -> None:
    """End the demo with an error unless the claim holds."""
    if not holds:
        raise SystemExit(f"The demo failed: it is not so that {claim}.")


if __name__ == "__main__":
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(encoding="utf-8", errors="backslashreplace")
    main()
