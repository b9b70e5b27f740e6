"""The options that every command on a vault has, in one place."""

from __future__ import annotations

import inspect
import os
from collections.abc import Callable
from typing import TYPE_CHECKING, Annotated, Any

import typer

from treering.cli.output import Output
from treering.cli.target import Given, Target, chosen
from treering.requests import refuse_blank

if TYPE_CHECKING:
    from treering.settings import Settings

_WHERE = "Where the vault is"
_JSON = "treering.as_json"

Command = Callable[..., None]

Json = Annotated[
    bool, typer.Option("--json", help="Print one JSON document and nothing else.", is_eager=True)
]
Url = Annotated[
    str | None,
    typer.Option(
        "--url",
        help="A Treering server. (env TREERING_URL)",
        rich_help_panel=_WHERE,
        metavar="URL",
    ),
]
Key = Annotated[
    str | None,
    typer.Option(
        "--key",
        help="The memory key for it. (env TREERING_KEY)",
        rich_help_panel=_WHERE,
        metavar="mk_…",
    ),
]
DataDirectory = Annotated[
    str | None,
    typer.Option(
        "--data-dir",
        help="Local storage, without a server. (env TREERING_DATA_DIR) "
        "(default: the user's data directory)",
        rich_help_panel=_WHERE,
        metavar="DIR",
    ),
]
VaultName = Annotated[
    str | None,
    typer.Option(
        "--vault",
        help="A vault of the data directory by name or id, or a vault's file. (env TREERING_VAULT)",
        rich_help_panel=_WHERE,
        metavar="NAME",
    ),
]
TierFilter = Annotated[
    list[int] | None,
    typer.Option("--tier", help="1, 2 or 3; may be given several times. (default: all)"),
]
ImportanceFilter = Annotated[
    int | None,
    typer.Option("--importance", help="The least importance, 1 to 10; leaves out tier 1."),
]
Session = Annotated[str | None, typer.Option("--session", help="A session's id.", metavar="ID")]
Yes = Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")]


def on_vault(*, create: bool = False, has_json: bool = True) -> Callable[[Command], Command]:
    """Give a command `(vault, output, …)` the options that name its vault, and open it.

    `create` makes local storage that is not there; `has_json` is for a command that prints.
    """

    def decorate(command: Command) -> Command:
        def run(ctx: typer.Context, **arguments: Any) -> None:
            output = output_for(ctx, as_json=arguments.pop("as_json", False))
            target = target_of(arguments)
            with target.open(load_settings, create=create) as vault:
                command(vault, output, **arguments)

        return _with_signature(
            run, command, skip=2, extra=_options_with_json if has_json else _vault_options
        )

    return decorate


def output_for(ctx: typer.Context, *, as_json: bool) -> Output:
    """The command's output; remembers how an error is to be shown."""
    ctx.meta[_JSON] = as_json
    return Output(as_json=as_json)


def wants_json(ctx: typer.Context) -> bool:
    """Whether the command that runs under `ctx` was asked for JSON."""
    return bool(ctx.meta.get(_JSON))


def target_of(arguments: dict[str, Any]) -> Target:
    """The target that the options in `arguments`, which are taken out, and the environment name.

    Raises InvalidRequest for an option that is given as nothing: a shell's variable that is unset
    never means the default.
    """
    given = {name: arguments.pop(name) for name in _TARGET_VARIABLES}
    refuse_blank(**given)
    options = Given(**given)
    environment = Given(
        **{name: os.environ.get(variable) or None for name, variable in _TARGET_VARIABLES.items()}
    )
    return chosen(options, environment)


def load_settings(**changes: Any) -> Settings:
    """The settings of the environment with `changes`; raises InvalidRequest for unusable values."""
    # Imports numpy by way of the embedders, which --help need not wait for.
    from treering import settings  # noqa: PLC0415

    return settings.load_settings(**changes)


_TARGET_VARIABLES = {
    "url": "TREERING_URL",
    "key": "TREERING_KEY",
    "data_dir": "TREERING_DATA_DIR",
    "vault": "TREERING_VAULT",
}


def _vault_options(
    url: Url = None, key: Key = None, data_dir: DataDirectory = None, vault: VaultName = None
) -> None:
    """Never called: its signature is what a command on a vault has besides its own."""


def _options_with_json(
    url: Url = None,
    key: Key = None,
    data_dir: DataDirectory = None,
    vault: VaultName = None,
    as_json: Json = False,
) -> None:
    """Never called either: the same for a command that prints."""


def _with_signature(run: Command, command: Command, skip: int, extra: Command) -> Command:
    """`run` under the name of `command`, with its parameters after `skip` and those of `extra`."""
    context = inspect.Parameter(
        "ctx", inspect.Parameter.POSITIONAL_OR_KEYWORD, annotation=typer.Context
    )
    own = list(inspect.signature(command, eval_str=True).parameters.values())[skip:]
    shared = list(inspect.signature(extra, eval_str=True).parameters.values())
    parameters = [
        parameter.replace(kind=inspect.Parameter.KEYWORD_ONLY) for parameter in (*own, *shared)
    ]
    run.__name__, run.__doc__ = command.__name__, command.__doc__
    run.__annotations__ = {
        parameter.name: parameter.annotation for parameter in (context, *parameters)
    }
    run.__signature__ = inspect.Signature([context, *parameters])  # type: ignore[attr-defined]  # read by inspect, unknown to typeshed
    return run
