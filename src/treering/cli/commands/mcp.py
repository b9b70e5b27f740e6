"""MCP over stdin and stdout, for programs that start their servers themselves."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from treering.access import OAUTH_SCOPES, READ, STATS
from treering.cli.options import on_vault
from treering.cli.output import Output
from treering.discretion import without_held
from treering.errors import InvalidRequest, NotFound, NotReady
from treering.requests import Request
from treering.verbs import Verbs

_READ_ONLY = frozenset({READ, STATS})


@on_vault(create=True, has_json=False)
def mcp(
    vault: Verbs,
    output: Output,
    scopes: Annotated[
        str | None,
        typer.Option(
            metavar="A,B", help="Offer the tools of these scopes alone. (default: what the key has)"
        ),
    ] = None,
    read_only: Annotated[
        bool, typer.Option("--read-only", help="Offer only tools that change nothing.")
    ] = False,
) -> None:
    """Serve MCP over stdin and stdout, for a program that starts it so.

    Ends when stdin does. On a server (--url) the key decides what is offered; locally everything
    is, unless --scopes or --read-only says less. Local storage that is not there is made.
    """
    # The MCP library takes most of a second to import, which --help need not wait for.
    from treering.mcp.server import Door, build_server  # noqa: PLC0415
    from treering.mcp.stdio import serve_stdio  # noqa: PLC0415

    allowed = _wanted(scopes, read_only) & _held(vault)

    def perform(request: Request[Any]) -> Any:
        reply = vault.perform(request)
        return reply if READ in allowed else without_held(request, reply)

    door = Door(allowed, perform)
    serve_stdio(build_server(lambda _: door))


def _wanted(scopes: str | None, read_only: bool) -> frozenset[str]:
    if scopes is None:
        return _READ_ONLY if read_only else frozenset(OAUTH_SCOPES)
    wanted = frozenset(scope.strip() for scope in scopes.split(","))
    if read_only:
        raise InvalidRequest("scopes: say which with --scopes or with --read-only, not both")
    if not wanted <= frozenset(OAUTH_SCOPES):
        raise InvalidRequest(f"scopes: must be some of {', '.join(OAUTH_SCOPES)}")
    return wanted


def _held(vault: Verbs) -> frozenset[str]:
    """What the key that opened the vault allows, as far as it can be known."""
    # They import numpy, the HTTP library and the MCP library, which --help need not wait for.
    from treering.client import RemoteVault  # noqa: PLC0415
    from treering.client.local import LocalVault  # noqa: PLC0415
    from treering.mcp.tools import BY_NAME  # noqa: PLC0415

    everything = frozenset(OAUTH_SCOPES)
    if isinstance(vault, LocalVault):
        return vault.scopes
    if not isinstance(vault, RemoteVault):
        return everything
    try:
        offered = vault.tool_names()
    except (NotReady, NotFound) as error:
        typer.echo(f"warning: {error.message} Every tool is offered.", err=True)
        return everything
    return frozenset(scope for name in offered if name in BY_NAME for scope in BY_NAME[name].scopes)
