"""How long a key holds, and when it was last used."""

from __future__ import annotations

import threading

import pytest

from tests.faces.conftest import Wire
from treering.data_dir import DataDir
from treering.errors import StorageFailure, Unauthorized


def test_a_key_that_cannot_be_noted_as_used_works_all_the_same(
    data_dir: DataDir, monkeypatch: pytest.MonkeyPatch
) -> None:
    locked = threading.Event()

    def used_key(key_id: str, now: int) -> None:
        assert locked.wait(30)
        raise StorageFailure

    monkeypatch.setattr(data_dir._uses, "_store_use", used_key)
    made = data_dir.create_key()
    assert data_dir.grant_for(str(made.key)).key_id == made.id, "while the other holds the lock"
    assert [key.last_used_at for key in data_dir.keys().keys] != [None]
    locked.set()
    data_dir._uses._storing.wait(30)
    assert [key.last_used_at for key in data_dir.keys().keys] == [None]


def test_the_last_use_of_a_key_is_kept(data_dir: DataDir) -> None:
    made = data_dir.create_key()
    data_dir.grant_for(str(made.key))
    data_dir._uses._storing.wait(30)
    [record] = data_dir._control.keys()
    assert record.last_used is not None


def test_a_key_ends_with_the_key_that_made_it(wire: Wire) -> None:
    maker = wire.post(
        "/v1/keys", {"scopes": ["keys:manage", "stats:read"], "expires_in_days": 2}
    ).json()
    through = wire.with_key(maker["key"])
    for asked in ({}, {"expires_in_days": 30}):
        assert through.post("/v1/keys", asked).json()["expires_at"] == maker["expires_at"]
    shorter = through.post("/v1/keys", {"expires_in_days": 1}).json()
    assert shorter["expires_at"] < maker["expires_at"]


def test_revoking_a_key_revokes_what_was_made_with_it(wire: Wire) -> None:
    scopes = {"scopes": ["keys:manage", "stats:read"]}
    child = wire.post("/v1/keys", scopes).json()
    grandchild = wire.with_key(child["key"]).post("/v1/keys", scopes).json()
    sibling = wire.post("/v1/keys", scopes).json()
    wire.request("DELETE", f"/v1/keys/{child['id']}")
    for key, expected in ((child, 401), (grandchild, 401), (sibling, 200)):
        assert wire.with_key(key["key"]).get("/v1/memory/stats").status_code == expected
    assert wire.get("/v1/memory/stats").status_code == 200


def test_a_key_that_is_revoked_meanwhile_makes_none(data_dir: DataDir) -> None:
    made = data_dir.create_key(scopes=["keys:manage"])
    grant = data_dir.grant_for(str(made.key))
    data_dir.revoke_key(made.id)
    with pytest.raises(Unauthorized):
        data_dir.create_key(granted_by=grant)
