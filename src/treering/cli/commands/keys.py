"""Keys: making, listing and revoking them, in local storage or on a server."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated

import typer
from rich.table import Table

from treering.cli.options import DataDirectory, Json, Key, Url, output_for, target_of
from treering.cli.output import Output, day_and_minute, shown
from treering.cli.storage import local_storage
from treering.cli.tables import pairs
from treering.cli.target import Target
from treering.errors import Conflict, InvalidRequest
from treering.replies import KeyReply, ListedKey
from treering.requests import refuse_blank

if TYPE_CHECKING:
    from treering.client import RemoteKeys
    from treering.data_dir import DataDir

app = typer.Typer(no_args_is_help=True, help="Make, list and revoke memory keys.")


@app.command()
def create(
    ctx: typer.Context,
    name: Annotated[str, typer.Option("--name", help="What the key is called.")] = "",
    scopes: Annotated[
        str | None,
        typer.Option(help="Comma-separated. (default: all but keys:manage and providers:use)"),
    ] = None,
    vault: Annotated[
        str | None,
        typer.Option(
            help="An existing vault by name or id; on a server `same`, the vault of the key that "
            "asks. (default: a new, empty vault, called as the key)"
        ),
    ] = None,
    expires_in_days: Annotated[
        int | None, typer.Option(help="1 to 3,650. (default: never)")
    ] = None,
    key: Annotated[
        str | None,
        typer.Option(
            metavar="mk_…",
            help="In local storage: the key itself, set by hand. With --url: the key that asks. "
            "(env TREERING_KEY)",
        ),
    ] = None,
    url: Url = None,
    data_dir: DataDirectory = None,
    as_json: Json = False,
) -> None:
    """Make a key; it is shown this once."""
    output = output_for(ctx, as_json=as_json)
    refuse_blank(vault=vault)
    target = _target(url, data_dir, key)
    wanted = None if scopes is None else [scope.strip() for scope in scopes.split(",")]
    if target.url is not None:
        with _remote(target) as keys:
            made = keys.create(
                name=name, vault=vault or "new", scopes=wanted, expires_in_days=expires_in_days
            )
    else:
        if key is not None:
            typer.echo(
                "warning: a key set by hand is as safe as it is hard to guess; "
                "leave --key out for 256 random bits",
                err=True,
            )
        with local_storage(target.data_dir, create=True) as storage:
            if vault is None:
                _refuse_second_vault(storage, name)
            vault_id = None if vault is None else storage.vault_named(vault).id
            made = storage.create_key(
                name=name,
                vault_id=vault_id,
                scopes=wanted,
                expires_in_days=expires_in_days,
                secret=key,
            )
    _show_new(output, made, is_new_vault=vault in (None, "new"))


@app.command("list")
def list_keys(
    ctx: typer.Context,
    url: Url = None,
    key: Key = None,
    data_dir: DataDirectory = None,
    as_json: Json = False,
) -> None:
    """List the keys, oldest first; never the secrets."""
    output = output_for(ctx, as_json=as_json)
    target = _target(url, data_dir, key)
    if target.url is not None:
        with _remote(target) as keys:
            reply = keys.list()
        vaults = {}
    else:
        with local_storage(target.data_dir) as storage:
            reply = storage.keys()
            vaults = _names_of(storage)
    output.show(reply, _table(reply.keys, vaults) if reply.keys else "There are no keys yet.")


@app.command()
def revoke(
    ctx: typer.Context,
    key_id: Annotated[str, typer.Argument(metavar="ID", help="As `keys list` shows it.")],
    url: Url = None,
    key: Key = None,
    data_dir: DataDirectory = None,
    as_json: Json = False,
) -> None:
    """Revoke a key at once; its vault stays."""
    output = output_for(ctx, as_json=as_json)
    target = _target(url, data_dir, key)
    if target.url is not None:
        with _remote(target) as keys:
            reply = keys.revoke(key_id)
    else:
        with local_storage(target.data_dir) as storage:
            reply = storage.revoke_key(key_id)
    output.show(reply, "Revoked.")


def _target(url: str | None, data_dir: str | None, key: str | None) -> Target:
    return target_of({"url": url, "key": key, "data_dir": data_dir, "vault": None})


@contextmanager
def _remote(target: Target) -> Iterator[RemoteKeys]:
    # Imports the HTTP library, which --help need not wait for.
    from treering.client import RemoteKeys  # noqa: PLC0415

    if target.url is None or target.key is None:
        raise InvalidRequest("key: name a key with keys:manage by --key or TREERING_KEY")
    keys = RemoteKeys(target.url, target.key)
    try:
        yield keys
    finally:
        keys.close()


def _refuse_second_vault(storage: DataDir, name: str) -> None:
    """Raise Conflict for a name that a vault has: vaults are chosen by name at the command line."""
    if name and name in {vault.name for vault in storage.vaults()}:
        raise Conflict(
            f"There is a vault called {name} already; make the key for it with --vault, or give "
            "--name another name for a vault of its own."
        )


def _names_of(storage: DataDir) -> dict[str, str]:
    """The vaults' names by id, where a name tells a vault from the others."""
    named = Counter(vault.name for vault in storage.vaults())
    return {
        vault.id: vault.name for vault in storage.vaults() if vault.name and named[vault.name] == 1
    }


def _show_new(output: Output, made: KeyReply, *, is_new_vault: bool) -> None:
    output.show(
        made,
        shown(made.key),
        pairs(
            [
                ("id", made.id),
                ("name", made.name),
                ("vault", f"{made.vault_id}{', new and empty' if is_new_vault else ''}"),
                ("scopes", ", ".join(made.scopes)),
                ("expires", day_and_minute(made.expires_at or "never")),
            ]
        ),
        "Keep the key now: it is not stored and can't be shown again.",
    )


def _table(keys: list[ListedKey], vaults: dict[str, str]) -> Table:
    """The keys; a vault by its name where that is known, and else by its id's start."""
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0))
    for name in ("id", "prefix", "name", "vault", "status", "last used"):
        table.add_column(name, overflow="fold", no_wrap=name == "id")
    for key in keys:
        used = day_and_minute(key.last_used_at) if key.last_used_at else "never"
        vault = shown(vaults.get(key.vault_id, f"{key.vault_id[:8]}…"))
        table.add_row(key.id, shown(key.prefix), shown(key.name), vault, key.status, used)
    return table
