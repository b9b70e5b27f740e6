"""Keys: made, narrowed, listed, expired and revoked."""

from __future__ import annotations

import base64
from typing import Any

import httpx2
import pytest

from tests.faces.conftest import SCOPES, Wire
from treering import access
from treering.errors import Conflict, InvalidRequest
from treering.store.control import KeyRecord, VaultRecord

DEFAULT = ["memories:delete", "memories:read", "memories:reflect", "memories:write", "stats:read"]
SAID = {"messages": [{"role": "user", "content": "hello"}]}


def made(wire: Wire, **body: Any) -> dict[str, Any]:
    response = wire.post("/v1/keys", body)
    assert response.status_code == 201
    key: dict[str, Any] = response.json()
    return key


def status(wire: Wire, key: str) -> int:
    return wire.with_key(key).get("/v1/memory/stats").status_code


@pytest.mark.promise("keys.create", "keys.default-scopes")
def test_a_new_key_is_shown_once_with_what_it_may_do(wire: Wire) -> None:
    reply = made(wire, name="bob")
    assert set(reply) == {
        "id", "key", "name", "prefix", "vault_id", "scopes", "created_at", "expires_at",
    }  # fmt: skip
    assert (reply["name"], reply["scopes"], reply["expires_at"]) == ("bob", DEFAULT, None)
    assert reply["key"].startswith("mk_")
    assert reply["key"].startswith(reply["prefix"])
    assert len(base64.urlsafe_b64decode(reply["key"][3:] + "=")) * 8 >= 192
    listed = {key["id"]: key for key in wire.get("/v1/keys").json()["keys"]}
    assert "key" not in listed[reply["id"]]
    assert listed[reply["id"]]["status"] == "active"


@pytest.mark.promise("keys.list")
def test_a_listed_key_has_every_field_of_the_contract(wire: Wire) -> None:
    never_used = made(wire, name="new")
    expiring = made(wire, expires_in_days=1)
    listed = {key["id"]: key for key in wire.get("/v1/keys").json()["keys"]}
    for key in listed.values():
        assert set(key) == {
            "id", "name", "prefix", "vault_id", "scopes", "created_at", "expires_at", "status",
            "last_used_at",
        }  # fmt: skip
    assert listed[never_used["id"]]["last_used_at"] is None
    assert listed[never_used["id"]]["expires_at"] is None
    assert listed[expiring["id"]]["expires_at"] == expiring["expires_at"]
    document = wire.get("/openapi.json").json()["components"]["schemas"]
    assert set(document["ListedKey"]["required"]) == set(listed[never_used["id"]])
    assert "status" not in document["KeyReply"]["properties"]


@pytest.mark.promise("keys.vault")
def test_a_key_is_of_a_new_vault_unless_the_same_is_asked_for(wire: Wire) -> None:
    wire.post("/v1/memory/ingest", SAID)
    own, new = made(wire, vault="same"), made(wire)
    counts = [
        wire.with_key(key["key"]).get("/v1/memory/stats").json()["memories"] for key in (own, new)
    ]
    assert counts == [1, 0]
    assert own["vault_id"] != new["vault_id"]


@pytest.mark.promise("keys.never-grants-more")
def test_a_key_never_grants_what_it_does_not_hold(wire: Wire) -> None:
    small = made(wire, scopes=["keys:manage", "memories:read"])
    through_small = wire.with_key(small["key"])
    refused = through_small.post("/v1/keys", {"scopes": ["memories:read", "memories:write"]})
    assert (refused.status_code, refused.json()["requiredScope"]) == (403, "memories:write")
    assert made(through_small)["scopes"] == ["memories:read"]
    through_suffix = wire.with_key(f"{wire.key}:read")
    assert through_suffix.post("/v1/keys", {}).status_code == 403


@pytest.mark.promise("keys.checked")
@pytest.mark.parametrize(
    "body",
    [
        {"scopes": []},
        {"scopes": ["memories:all"]},
        {"scopes": "memories:read"},
        {"vault": "other"},
        {"expires_in_days": 0},
        {"expires_in_days": True},
        {"expires_in_days": 1.5},
        {"name": "a\nb"},
        {"name": "x" * 201},
        {"colour": "red"},
    ],
)
def test_a_key_that_cannot_be_is_refused(wire: Wire, body: dict[str, Any]) -> None:
    response = wire.post("/v1/keys", body)
    assert (response.status_code, response.json()["error"]) == (400, "InvalidRequest")


@pytest.mark.promise("keys.revoked-at-once")
def test_a_revoked_key_works_no_more(wire: Wire) -> None:
    key = made(wire)
    assert status(wire, key["key"]) == 200
    response = wire.request("DELETE", f"/v1/keys/{key['id']}")
    assert (response.status_code, response.json()) == (200, {"id": key["id"], "status": "revoked"})
    assert status(wire, key["key"]) == 401
    listed = {each["id"]: each for each in wire.get("/v1/keys").json()["keys"]}
    assert listed[key["id"]]["status"] == "revoked"
    assert listed[key["id"]]["last_used_at"] is not None


@pytest.mark.promise("keys.expiry")
def test_a_key_expires_to_the_millisecond(wire: Wire) -> None:
    key = made(wire, expires_in_days=2)
    clock = wire.server.world.clock
    clock.advance(seconds=2 * 86_400 - 0.001)
    assert status(wire, key["key"]) == 200
    clock.advance(seconds=0.001)
    assert status(wire, key["key"]) == 401


@pytest.mark.promise("keys.manage-own-account")
def test_managing_keys_ends_at_the_account(wire: Wire, key_of_another_account: KeyRecord) -> None:
    listed = [key["id"] for key in wire.get("/v1/keys").json()["keys"]]
    assert key_of_another_account.id not in listed
    refused = wire.request("DELETE", f"/v1/keys/{key_of_another_account.id}")
    assert (refused.status_code, refused.json()["resource"]) == (404, "key")


@pytest.fixture
def key_of_another_account(wire: Wire) -> KeyRecord:
    """A key of another account, which only the control plane can make today."""
    control, world = wire.server.data_dir._control, wire.server.world
    system, now = world.system(), world.clock.now()
    with control._database.writing() as connection:
        account = system.new_id()
        connection.execute("INSERT INTO account VALUES (?, 'other', ?)", (account, now + 1))
    vault = VaultRecord(system.new_id(), account, "theirs", now)
    control.add_vault(vault)
    record = KeyRecord(
        system.new_id(), account, vault.id, "theirs", "mk_x", system.random(32), frozenset(), now
    )
    control.add_key(record)
    return record


@pytest.mark.promise("keys.needs-manage")
@pytest.mark.parametrize(("method", "path"), [("POST", ""), ("GET", ""), ("DELETE", "/x")])
def test_keys_need_keys_manage(wire: Wire, method: str, path: str) -> None:
    key = wire.server.key()
    body: dict[str, Any] | None = {} if method == "POST" else None
    response = wire.with_key(key).request(method, f"/v1/keys{path}", json=body)
    assert (response.status_code, response.json()["requiredScope"]) == (403, "keys:manage")


@pytest.mark.promise("keys.headers")
def test_a_key_is_taken_from_three_headers(wire: Wire, anyone: httpx2.Client) -> None:
    for headers in (
        {"Authorization": f"Bearer {wire.key}"},
        {"Authorization": f"bearer {wire.key}"},
        {"x-api-key": wire.key},
        {"X-Memory-Key": wire.key},
        {"X-Memory-Key": wire.key, "Authorization": "Bearer sk-the-providers-own"},
    ):
        assert anyone.get("/v1/memory/stats", headers=headers).status_code == 200


@pytest.mark.promise("keys.unauthorized")
@pytest.mark.parametrize(
    "key",
    [
        "",
        "mk_",
        "mk_unknown",
        "sk-other",
        "mk_a b",
        "mk_é",
        "mk_x:admin",
        "mk_x:",
        "mk_" + "x" * 600,
    ],
)
def test_another_key_is_unauthorized(anyone: httpx2.Client, key: str) -> None:
    headers = [(b"x-api-key", key.encode("latin-1"))]
    response = anyone.get("/v1/memory/stats", headers=headers)
    assert (response.status_code, response.json()["error"]) == (401, "Unauthorized")
    assert response.headers["WWW-Authenticate"] == "Bearer"


@pytest.mark.promise("keys.unauthorized")
def test_a_misspelt_suffix_is_named_of_any_key(wire: Wire, anyone: httpx2.Client) -> None:
    made = wire.request("POST", "/v1/keys", json={"name": "x"}).json()["key"]
    said = [
        anyone.get("/v1/memory/stats", headers={"x-api-key": f"{key}:raed"})
        for key in (made, "mk_unknown")
    ]
    assert {answer.status_code for answer in said} == {401}
    assert said[0].text == said[1].text
    assert ":read, :write, :off" in said[0].json()["message"]


ALLOWED = {
    ":read": {"search": 200, "stats": 200, "ingest": 403, "checkout": 403, "delete-ids": 403},
    ":write": {"search": 403, "stats": 403, "ingest": 202, "checkout": 403, "delete-ids": 403},
    ":off": {"search": 403, "stats": 403, "ingest": 403, "checkout": 403, "delete-ids": 403},
}
CALLS: dict[str, tuple[str, str, Any]] = {
    "search": ("POST", "/v1/memory/search", {"query": "hello"}),
    "stats": ("GET", "/v1/memory/stats", None),
    "ingest": ("POST", "/v1/memory/ingest", SAID),
    "checkout": ("POST", "/v1/memory/consolidate/checkout", {"tier": 1}),
    "delete-ids": ("POST", "/v1/memory/delete-ids", {"ids": ["x"]}),
}


@pytest.mark.promise("keys.suffixes-narrow", "checkout.read-only")
@pytest.mark.parametrize("suffix", ALLOWED)
def test_a_suffix_narrows_a_key(wire: Wire, suffix: str) -> None:
    narrowed = wire.with_key(wire.key + suffix)
    for call, expected in ALLOWED[suffix].items():
        method, path, body = CALLS[call]
        assert narrowed.request(method, path, json=body).status_code == expected, call


@pytest.mark.promise("keys.suffixes-narrow")
@pytest.mark.parametrize("suffix", [":read", ":write", ":off"])
def test_a_suffix_never_widens_a_key(wire: Wire, suffix: str) -> None:
    key = wire.server.key(["memories:delete"])
    for method, path, body in (CALLS["search"], CALLS["stats"], CALLS["ingest"]):
        response = wire.with_key(key + suffix).request(method, path, json=body)
        assert response.status_code == 403


@pytest.mark.promise("keys.secret-not-stored")
def test_the_secret_is_not_in_the_files(wire: Wire) -> None:
    secret = made(wire)["key"]
    for file in wire.server.data_dir.path.glob("control.db*"):
        assert secret.encode() not in file.read_bytes()


@pytest.mark.promise("keys.by-hand")
def test_a_key_set_by_hand_is_taken_once(wire: Wire) -> None:
    data_dir = wire.server.data_dir
    data_dir.create_key(secret="mk_user-123")
    assert status(wire, "mk_user-123") == 200
    with pytest.raises(Conflict):
        data_dir.create_key(secret="mk_user-123")
    with pytest.raises(InvalidRequest):
        data_dir.create_key(secret="user-123")


def test_every_scope_is_known() -> None:
    assert set(SCOPES) == set(access.SCOPES) - {"providers:use"}


@pytest.mark.promise("keys.create")
@pytest.mark.parametrize(
    ("secret", "shown"),
    [
        ("mk_x", "mk_…"),
        ("mk_" + "x" * 16, "mk_…"),
        ("mk_" + "x" * 17, "mk_xx"),
        ("mk_" + "x" * 43, "mk_xxxxxx"),
    ],
)
def test_at_most_a_quarter_of_a_key_is_listed(secret: str, shown: str) -> None:
    assert access.shown_prefix(secret) == shown
