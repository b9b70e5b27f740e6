"""The server, in the foreground until it is told to stop."""

from __future__ import annotations

import errno
import ipaddress
import signal
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from treering.cli.options import Json, load_settings, output_for
from treering.cli.output import Output
from treering.cli.target import exposed, usable_data_dir
from treering.descriptors import raised_descriptors, vaults_within
from treering.errors import Conflict, StorageFailure
from treering.requests import refuse_blank

if TYPE_CHECKING:
    from treering.data_dir import DataDir
    from treering.settings import Settings

_GRACE_S = 10
_BACKLOG = 128
_CONNECTIONS = 512


def serve(
    ctx: typer.Context,
    host: Annotated[
        str | None, typer.Option(help="Address. (env TREERING_HOST) (default: 127.0.0.1)")
    ] = None,
    port: Annotated[
        int | None,
        typer.Option(
            help="Port; 0 takes a free one. (env TREERING_PORT) (default: 8787)", min=0, max=65535
        ),
    ] = None,
    data_dir: Annotated[
        str | None,
        typer.Option(
            metavar="DIR",
            help="Storage. (env TREERING_DATA_DIR) (default: the user's data directory)",
        ),
    ] = None,
    as_json: Json = False,
) -> None:
    """Serve the HTTP API until SIGTERM or Ctrl-C."""
    output = output_for(ctx, as_json=as_json)
    refuse_blank(host=host, data_dir=data_dir)
    given = {"host": host, "port": port, "data_dir": Path(data_dir) if data_dir else None}
    changes = {name: value for name, value in given.items() if value is not None}
    settings = load_settings(**changes)
    _warn_of_variables(settings)
    with _storage(settings) as storage, listening(settings.host, settings.port) as listener:
        url = _url(settings.host, listener.getsockname()[1])
        _announce(output, settings, url)
        _run(storage, settings, listener)


@contextmanager
def _storage(settings: Settings) -> Iterator[DataDir]:
    # numpy and the model's runtime take most of a second, which --help need not wait for.
    from treering.data_dir import DataDir  # noqa: PLC0415
    from treering.settings import embedder_of, level_settings_of  # noqa: PLC0415
    from treering.system import System  # noqa: PLC0415

    path = usable_data_dir(settings.data_dir, create=True)
    if warning := exposed(path):
        typer.echo(f"warning: {warning}", err=True)
    levels, _ = level_settings_of(settings)
    ceiling = settings.index_memory_mb << 20
    open_vaults = vaults_within(raised_descriptors())
    storage = DataDir(path, embedder_of(settings), System(), ceiling, levels, open_vaults)
    try:
        yield storage
    finally:
        storage.close()


@contextmanager
def listening(host: str, port: int) -> Iterator[socket.socket]:
    """A listening socket, so that a port that is taken is known before anything is announced."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        listener = socket.create_server((host, port), family=family, backlog=_BACKLOG)
    except OSError as error:
        taken = error.errno == errno.EADDRINUSE
        why = "is in use" if taken else f"can't be listened on ({error.strerror})"
        raise Conflict(f"{host} port {port} {why}; choose another with --host or --port.") from None
    with listener:
        # Accepted connections inherit it (Linux, BSD). asyncio sets it only on sockets made for TCP
        # by name, and without it a response's body waits some 40 ms for the client's ACK.
        listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        yield listener


def _announce(output: Output, settings: Settings, url: str) -> None:
    if not _is_loopback(settings.host):
        typer.echo(
            "note: this address is open to other machines; memory keys are the only protection",
            err=True,
        )
    storage = str(settings.data_dir.resolve())
    if output.as_json:
        output.document({"url": url, "data_dir": storage, "embedder": settings.embedder})
    else:
        typer.echo(f"storage   {storage}\nembedder  {settings.embedder}\nserving   {url}")


def _run(storage: DataDir, settings: Settings, listener: socket.socket) -> None:
    # The web framework takes most of a second to import, which --help need not wait for.
    import uvicorn  # noqa: PLC0415

    from treering.http.app import create_app  # noqa: PLC0415
    from treering.http.protocol import DeadlineProtocol  # noqa: PLC0415
    from treering.logs import log_to_stderr  # noqa: PLC0415

    log_to_stderr(settings.log_level)
    config = uvicorn.Config(
        create_app(storage, settings),
        log_level=settings.log_level,
        access_log=False,
        http=DeadlineProtocol,
        proxy_headers=bool(settings.trusted_proxies),
        forwarded_allow_ips=settings.trusted_proxies,
        limit_concurrency=_CONNECTIONS,
        backlog=_BACKLOG,
        timeout_graceful_shutdown=_GRACE_S,
    )
    server = uvicorn.Server(config)
    # Once it has shut down in order, uvicorn raises the signal that made it do so again.
    for name in (signal.SIGINT, signal.SIGTERM):
        signal.signal(name, _ignore)
    server.run(sockets=[listener])
    if not server.started:
        raise StorageFailure("The server could not start; its log says why.")


def _ignore(number: int, frame: Any) -> None:
    """Go on to the end of the command."""


def _warn_of_variables(settings: Settings) -> None:
    # Imports numpy by way of the embedders, which --help need not wait for.
    from treering.settings import level_settings_of, unknown_variables  # noqa: PLC0415

    for problem in level_settings_of(settings)[1]:
        typer.echo(f"warning: {problem}", err=True)
    for name in unknown_variables():
        typer.echo(f"warning: {name} is no setting of Treering; is it misspelt?", err=True)


def _url(host: str, port: int) -> str:
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


def _is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"
