"""The Python clients: the same verbs for a URL, a data directory and a file, awaited or not."""

from __future__ import annotations

from pathlib import Path

import anyio
import pytest

from tests.faces.conftest import Wire
from tests.support.worlds import World, hash_embedder
from treering import AsyncVerbs, RemoteKeys, Vault, Verbs, connect, connect_async
from treering.data_dir import DataDir
from treering.errors import Forbidden, InvalidRequest, StorageFailure, Unauthorized

SAID = [{"role": "user", "content": "The red bike is in the shed."}]


@pytest.mark.promise("client.connect")
def test_one_call_opens_a_url_a_directory_or_a_file(wire: Wire, tmp_path: Path) -> None:
    folder = tmp_path / "data"
    data_dir = DataDir(folder, hash_embedder(), World().system())
    key = data_dir.create_key().key
    data_dir.close()
    for target, secret in ((wire.server.url, wire.key), (folder, key), (tmp_path / "m.db", None)):
        with connect(target, secret, embedder=hash_embedder()) as memory:
            memory.ingest(SAID)
            assert memory.search("bike").count == 1


@pytest.mark.promise("client.connect")
def test_a_url_needs_a_key_and_a_file_has_none(tmp_path: Path) -> None:
    with pytest.raises(InvalidRequest):
        connect("http://127.0.0.1:9")
    with pytest.raises(InvalidRequest):
        connect(tmp_path / "m.db", "mk_x", embedder=hash_embedder())


@pytest.mark.promise("client.scopes")
def test_a_key_has_its_scopes_in_this_process_too(tmp_path: Path) -> None:
    data_dir = DataDir(tmp_path, hash_embedder(), World().system())
    key = data_dir.create_key(scopes=["memories:write"]).key
    data_dir.close()
    with connect(tmp_path, key, embedder=hash_embedder()) as memory:
        assert memory.ingest(SAID).stored == 1
        with pytest.raises(Forbidden):
            memory.search("bike")
    with pytest.raises(Unauthorized):
        connect(tmp_path, "mk_unknown", embedder=hash_embedder())


@pytest.mark.promise("client.async")
def test_the_verbs_can_be_awaited(tmp_path: Path) -> None:
    async def main() -> None:
        async with connect_async(tmp_path / "m.db", embedder=hash_embedder()) as memory:
            await memory.ingest(SAID)
            assert (await memory.search("bike")).count == 1
            with pytest.raises(InvalidRequest):
                await memory.search("")

    anyio.run(main)


@pytest.mark.promise("client.async")
def test_an_awaited_vault_is_closed_like_the_one_that_blocks(wire: Wire, tmp_path: Path) -> None:
    closed: list[str] = []

    class Closing(Vault):
        def close(self) -> None:
            closed.append("overridden")
            super().close()

    async def leave(memory: AsyncVerbs) -> None:
        async with memory:
            await memory.stats()
        with pytest.raises((StorageFailure, RuntimeError)):
            await memory.stats()

    embedder = hash_embedder()
    anyio.run(leave, connect_async(tmp_path / "m.db", embedder=embedder))
    anyio.run(leave, connect_async(wire.server.url, wire.key))
    anyio.run(leave, AsyncVerbs(Closing.open(tmp_path / "m.db", embedder=embedder)))
    assert closed == ["overridden"]


@pytest.mark.promise("client.async")
def test_every_verb_has_its_awaited_twin() -> None:
    own = {name for name, value in vars(AsyncVerbs).items() if not name.startswith("_")}
    verbs = {
        name
        for name in dir(Verbs)
        if not name.startswith("_") and callable(getattr(Verbs, name)) and name != "perform"
    }
    assert own - {"blocking"} == verbs


@pytest.mark.promise("client.keys")
def test_keys_are_managed_over_http(wire: Wire) -> None:
    keys = RemoteKeys(wire.server.url, wire.key)
    made = keys.create(name="bob", scopes=["memories:read"], expires_in_days=3)
    assert (made.name, made.scopes) == ("bob", ["memories:read"])
    assert made.id in [key.id for key in keys.list().keys]
    assert keys.revoke(made.id).status == "revoked"
    keys.close()
