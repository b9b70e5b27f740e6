"""The Python clients: the same verbs for a URL, a data directory and a file, awaited or not."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from urllib.parse import unquote

import anyio
import httpx2
import pytest

from tests.faces.conftest import SCOPES, Wire
from tests.support.worlds import World, hash_embedder
from treering import AsyncVerbs, RemoteKeys, RemoteVault, Vault, Verbs, connect, connect_async
from treering.data_dir import DataDir
from treering.errors import Forbidden, InvalidRequest, NotFound, StorageFailure, Unauthorized

SAID = [{"role": "user", "content": "The red bike is in the shed."}]


@pytest.mark.promise("client.connect")
def test_one_call_opens_a_url_a_directory_or_a_file(wire: Wire, tmp_path: Path) -> None:
    folder = tmp_path / "data"
    data_dir = DataDir(folder, hash_embedder(), World().system())
    key = data_dir.create_key().key
    data_dir.close()
    for memory in (
        connect(wire.server.url, wire.key),
        connect(folder, key, embedder=hash_embedder()),
        connect(tmp_path / "m.db", embedder=hash_embedder()),
    ):
        with memory:
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


@pytest.mark.promise("client.scopes")
def test_a_key_that_manages_keys_sees_its_account_in_this_process_too(
    wire: Wire, tmp_path: Path
) -> None:
    data_dir = DataDir(tmp_path, hash_embedder(), World().system())
    manager = data_dir.create_key(scopes=SCOPES)
    other = data_dir.create_key()
    data_dir.close()
    with connect(tmp_path, other.key, embedder=hash_embedder()) as memory:
        memory.ingest(SAID)
        assert memory.usage().by_vault is None
    with connect(tmp_path, manager.key, embedder=hash_embedder()) as memory:
        used = memory.usage()
        assert used.by_vault is not None
        assert used.by_vault.keys() == {manager.vault_id, other.vault_id}
        assert memory.settings("account").scope == "account"
    with connect(tmp_path, vault=other.vault_id, embedder=hash_embedder()) as operator:
        assert (operator.usage().total.calls, operator.usage().by_vault) == (1, None)
    with connect(wire.server.url, wire.key) as far:
        assert far.usage().by_vault is not None


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


_NO_IDS = ["", ".", "..", "../memory", "a/b", "a/../../memory", "\ud800"]


@pytest.mark.promise("client.paths")
@pytest.mark.parametrize("odd", _NO_IDS)
def test_an_id_that_can_be_none_is_never_sent(odd: str) -> None:
    def nothing(request: httpx2.Request) -> httpx2.Response:
        raise AssertionError(f"{request.method} {request.url} was sent")

    nowhere = httpx2.MockTransport(nothing)
    keys = RemoteKeys("http://server", "mk_x", nowhere)
    vault = RemoteVault("http://server", "mk_x", nowhere)
    asked: list[Callable[[], object]] = [
        lambda: keys.revoke(odd),
        lambda: vault.memory(odd),
        lambda: vault.edit(odd, tier="L1"),
        lambda: vault.forget(odd),
        lambda: vault.set_tension(odd, "latent"),
        lambda: vault.drop_tension(odd),
        lambda: vault.build(odd),
    ]
    for ask in asked:
        with pytest.raises((NotFound, InvalidRequest)):
            ask()


@pytest.mark.promise("client.paths")
@pytest.mark.parametrize(
    "odd", ["a b", "a?b=c", "a#b", "a%2Fb", "%2e%2e", "a;b", "\x00", "é", "😀"]
)
def test_an_id_stays_one_piece_of_the_path(wire: Wire, odd: str) -> None:
    sent: list[tuple[str, str]] = []

    def answer(request: httpx2.Request) -> httpx2.Response:
        sent.append((request.method, unquote(request.url.raw_path.decode("ascii"))))
        return httpx2.Response(200, json={"id": odd, "status": "revoked", "deleted": True})

    transport = httpx2.MockTransport(answer)
    RemoteKeys("http://server", "mk_x", transport).revoke(odd)
    RemoteVault("http://server", "mk_x", transport).forget(odd)
    assert sent == [("DELETE", f"/v1/keys/{odd}"), ("DELETE", f"/v1/memories/{odd}")]
    with RemoteVault(wire.server.url, wire.key) as real, pytest.raises(NotFound) as missing:
        real.memory(odd)
    assert missing.value.extra == {"resource": "memory", "id": odd}


@pytest.mark.promise("client.options")
def test_what_a_target_cannot_heed_is_refused(tmp_path: Path) -> None:
    folder, file = tmp_path / "data", tmp_path / "m.db"
    data_dir = DataDir(folder, hash_embedder(), World().system())
    own, other = data_dir.create_key(name="own"), data_dir.create_key(name="other")
    data_dir.close()
    url, embedder = "http://127.0.0.1:9", hash_embedder()
    wrong: list[tuple[str, Callable[[], object]]] = [
        ("vault", lambda: connect(url, "mk_x", vault="own")),
        ("embedder", lambda: connect(url, "mk_x", embedder=embedder)),
        ("vault", lambda: connect(file, vault="own", embedder=embedder)),
        ("key", lambda: connect(file, "mk_x", embedder=embedder)),
        ("vault", lambda: connect(folder, own.key, vault="other", embedder=embedder)),
        ("vault", lambda: connect(folder, vault="", embedder=embedder)),
        ("key", lambda: connect(folder, "", embedder=embedder)),
        ("key", lambda: connect(url, " ")),
        ("target", lambda: connect("", embedder=embedder)),
        ("url", lambda: connect("http://h:port", "mk_x")),
        ("vault", lambda: connect_async(url, "mk_x", vault="own")),
    ]
    for name, open_it in wrong:
        with pytest.raises(InvalidRequest) as refused:
            open_it()
        assert refused.value.issues[0].startswith(f"{name}: ")
    assert not file.exists()
    for vault in ("own", own.vault_id):
        connect(folder, own.key, vault=vault, embedder=embedder).close()
    with pytest.raises(InvalidRequest):
        connect(folder, own.key, vault=other.vault_id, embedder=embedder)


@pytest.mark.promise("client.malformed-key")
@pytest.mark.parametrize("key", ["mk_…", "sk-other", "mk_a b", "mk_x\n", "mk_x:admin", "mk_"])
def test_a_key_that_can_be_none_is_unauthorized_at_once(key: str) -> None:
    for open_it in (connect, RemoteKeys):
        with pytest.raises(Unauthorized):
            open_it("http://127.0.0.1:9", key)


@pytest.mark.promise("upload.same-problems")
def test_a_bad_line_has_the_same_problem_here_and_there(wire: Wire, tmp_path: Path) -> None:
    lines: list[str | bytes] = [
        '{"content": "good"}',
        "no json",
        "",
        '{"content": "x", "colour": "red"}',
        b'{"content": "\xff"}',
        '{"role": "user"}',
        '{"content": "rules", "role": "system"}',
        '"text"',
    ]
    with (
        connect(wire.server.url, wire.key) as there,
        connect(tmp_path / "m.db", embedder=hash_embedder()) as here,
    ):
        far, near = there.upload(lines), here.upload(lines)
    assert (far.stats, far.errors) == (near.stats, near.errors)
    assert [error.line for error in far.errors] == [2, 4, 5, 6, 7, 8]


def test_a_client_of_a_server_needs_no_numpy() -> None:
    code = (
        "import sys\nfrom treering import connect\n"
        "connect('http://127.0.0.1:9', 'mk_x').close()\n"
        "print({'numpy', 'onnxruntime', 'apsw', 'fastapi'} & set(sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "set()"
