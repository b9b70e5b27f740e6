"""People who sign in to the server's pages: making, listing and deleting them."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer
from rich.table import Table

from treering.cli.options import DataDirectory, Json, Yes, output_for
from treering.cli.output import confirm, day_and_minute, shown
from treering.cli.storage import local_storage
from treering.errors import InvalidRequest
from treering.replies import PeopleReply

app = typer.Typer(no_args_is_help=True, help="Make people who may sign in, and manage them.")

Name = Annotated[
    str,
    typer.Option(
        "--name", "--email", metavar="NAME", help="What they sign in by; an address will do."
    ),
]
PasswordStdin = Annotated[
    bool, typer.Option("--password-stdin", help="Read the password from standard input.")
]


@app.command()
def create(
    ctx: typer.Context,
    name: Name = "admin",
    password_stdin: PasswordStdin = False,
    data_dir: DataDirectory = None,
    as_json: Json = False,
) -> None:
    """Make a person with a password; they can then allow programs to use the vaults."""
    output = output_for(ctx, as_json=as_json)
    password = _password(password_stdin)
    with local_storage(_path(data_dir), create=True) as storage:
        made = storage.people.create(name, password)
    output.show(made, f"Made {shown(made.name)}, who can sign in under /login of the server.")


@app.command()
def password(
    ctx: typer.Context,
    name: Name = "admin",
    password_stdin: PasswordStdin = False,
    data_dir: DataDirectory = None,
    as_json: Json = False,
) -> None:
    """Set a person's password, and sign them out everywhere."""
    output = output_for(ctx, as_json=as_json)
    new = _password(password_stdin)
    with local_storage(_path(data_dir)) as storage:
        changed = storage.people.set_password(name, new)
    output.show(changed, f"The password of {shown(changed.name)} is set; all sessions are ended.")


@app.command("list")
def list_people(ctx: typer.Context, data_dir: DataDirectory = None, as_json: Json = False) -> None:
    """List the people, oldest first."""
    output = output_for(ctx, as_json=as_json)
    with local_storage(_path(data_dir)) as storage:
        reply = storage.people.all()
    output.show(
        reply,
        _table(reply)
        if reply.people
        else "There is nobody yet; `treering admin create` makes someone.",
    )


@app.command()
def delete(
    ctx: typer.Context,
    name: Annotated[str, typer.Argument(metavar="NAME", help="As `admin list` shows it.")],
    yes: Yes = False,
    data_dir: DataDirectory = None,
    as_json: Json = False,
) -> None:
    """Delete a person, their sessions and what they allowed programs; the vaults stay."""
    output = output_for(ctx, as_json=as_json)
    with local_storage(_path(data_dir)) as storage:
        found = storage.people.named(name)
        if not yes:
            confirm(f"Delete {shown(found.name)}?", "yes")
        gone = storage.people.delete(name)
    output.show(gone, f"Deleted {shown(gone.name)}.")


def _password(from_stdin: bool) -> str:
    """A new password: the first line of standard input, or what is typed twice, unseen."""
    if from_stdin:
        return sys.stdin.readline().rstrip("\r\n")
    try:
        typed: str = typer.prompt("Password", hide_input=True, confirmation_prompt=True, err=True)
    except typer.Abort as error:
        # Ctrl-C ends in the same error, and is no wrong input.
        if not isinstance(error.__context__, EOFError):
            raise
        raise InvalidRequest(
            "password: standard input has none to read; type it in a terminal, or give it by "
            "--password-stdin"
        ) from None
    return typed


def _path(data_dir: str | None) -> Path | None:
    return Path(data_dir) if data_dir else None


def _table(reply: PeopleReply) -> Table:
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0))
    for heading in ("name", "made"):
        table.add_column(heading, overflow="fold")
    for person in reply.people:
        table.add_row(shown(person.name), day_and_minute(person.created_at))
    return table
