"""Moving a vault in local storage to the embedder that is configured."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

import typer

from treering.cli.options import (
    DataDirectory,
    Json,
    VaultName,
    load_settings,
    output_for,
    target_of,
)
from treering.cli.output import Output
from treering.cli.progress import progress_bar
from treering.cli.target import Target
from treering.errors import InvalidRequest, NotReady

if TYPE_CHECKING:
    from treering.settings import Settings
    from treering.vault import Vault

MAX_FAILURES = 3

_LOOK_EVERY_S = 0.2


def reembed(
    ctx: typer.Context,
    data_dir: DataDirectory = None,
    vault: VaultName = None,
    as_json: Json = False,
) -> None:
    """Make the embedder of TREERING_EMBEDDER the vault's own, and compute its vectors afresh.

    Local storage only. Searches by words work on meanwhile; after an interruption run it again.
    """
    output = output_for(ctx, as_json=as_json)
    target = target_of({"url": None, "key": None, "data_dir": data_dir, "vault": vault})
    if target.url is not None:
        raise InvalidRequest("url: reembed works on local storage; name it with --data-dir")
    with _opened(target, load_settings()) as found:
        before = found.embedder
        found.reembed()
        computed = _wait_filled(found, output)
        body = {"vault": found.id, "from": before, "to": found.embedder, "computed": computed}
    if output.as_json:
        output.document(body)
    else:
        output.say(f"{before} → {body['to']}: {computed:,} vectors computed.")


@contextmanager
def _opened(target: Target, settings: Settings) -> Iterator[Vault]:
    # numpy and the model's runtime take most of a second, which --help need not wait for.
    from treering.data_dir import DataDir  # noqa: PLC0415
    from treering.settings import embedder_of  # noqa: PLC0415
    from treering.system import System  # noqa: PLC0415
    from treering.vault import Vault  # noqa: PLC0415

    embedder, system = embedder_of(settings), System()
    path = target.path(settings, create=False)
    vault_id = None
    if target.file is None:
        storage = DataDir(path, embedder, system)
        try:
            vault_id = storage.vault_named(target.vault, create=False).id
            path = storage.file_of(vault_id)
        finally:
            storage.close()
    with Vault.open(
        path, embedder=embedder, system=system, vault_id=vault_id, reembed=True
    ) as vault:
        yield vault


def _wait_filled(vault: Vault, output: Output) -> int:
    """Wait until every vector is computed, and count them; raises NotReady when that fails."""
    pending = total = vault.pending_vectors
    failures = vault.failures
    with progress_bar(output, "computing vectors", total, counted=True) as advance:
        while pending:
            vault.wait_filled(_LOOK_EVERY_S)
            left = vault.pending_vectors
            if left == pending and vault.failures - failures >= MAX_FAILURES:
                raise NotReady(
                    f"The embedder does not answer; {left:,} vectors are still pending. "
                    "Run `treering reembed` again to go on."
                )
            if left < pending:
                advance(pending - left)
                failures = vault.failures
            pending = left
    return total
