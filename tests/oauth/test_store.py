"""What every control store does with people, sessions, clients, connections and tokens."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from treering.errors import Conflict, Unauthorized
from treering.store.control import ControlStore, VaultRecord
from treering.store.oauth import ClientRecord, CodeRecord, ConnectionRecord, NewToken
from treering.store.people import PersonRecord, SessionRecord
from treering.store.sqlite.control import SqliteControlStore

SCOPES = frozenset({"memories:read", "stats:read"})
PERSON = PersonRecord("person", "account", "Ada", "ada", "a hash", 1)
CLIENT = ClientRecord("client", "Program", ("https://a.example/cb", "app:cb"), 1)
CONNECTION = ConnectionRecord(
    id="connection",
    client_id="client",
    person_id="person",
    vault_id="vault",
    account_id="account",
    scopes=SCOPES,
    resource="https://here.example/mcp",
    created=10,
    code=CodeRecord(b"code", "https://a.example/cb", "challenge", 70),
)
ACCESS = NewToken(b"access", "access", SCOPES, 20, 100)
REFRESH = NewToken(b"refresh", "refresh", SCOPES, 20, 1_000)


@pytest.fixture
def store(tmp_path: Path) -> Iterator[ControlStore]:
    opened = SqliteControlStore(tmp_path / "control.db")
    opened.ensure_account("account", "default", 0)
    opened.add_vault(VaultRecord("vault", "account", "notes", 0))
    opened.people.add_person(PERSON)
    opened.oauth.add_client(CLIENT, 10, 0)
    yield opened
    opened.close()


@pytest.fixture
def connected(store: ControlStore) -> ControlStore:
    store.oauth.add_connection(CONNECTION)
    assert store.oauth.redeem("connection", [ACCESS, REFRESH], 20)
    return store


def test_people_are_found_by_login(store: ControlStore) -> None:
    assert store.people.person("ada") == PERSON
    assert store.people.person("Ada") is None
    other = replace(PERSON, id="other", login="bob", created=0)
    store.people.add_person(other)
    assert store.people.people() == [other, PERSON]
    with pytest.raises(Conflict):
        store.people.add_person(replace(PERSON, id="third"))


def test_a_session_is_of_a_person_until_it_ends(store: ControlStore) -> None:
    people = store.people
    people.add_session(SessionRecord(b"one", "person", 10, 20), "a hash")
    assert people.signed_in(b"one", 19) == PERSON
    assert people.signed_in(b"one", 20) is None
    assert people.signed_in(b"two", 10) is None
    people.add_session(SessionRecord(b"two", "person", 20, 30), "a hash")
    assert people.signed_in(b"one", 10) is None, "what is over is cleared away"
    people.delete_session(b"two")
    assert people.signed_in(b"two", 20) is None


def test_a_session_needs_the_password_that_holds(store: ControlStore) -> None:
    people = store.people
    session = SessionRecord(b"one", "person", 10, 20)
    people.add_session(session, "a hash")
    people.set_password("person", "another hash")
    assert people.signed_in(b"one", 10) is None
    with pytest.raises(Unauthorized):
        people.add_session(session, "a hash")
    people.add_session(session, "another hash")
    people.delete_person("person")
    assert people.signed_in(b"one", 10) is None
    with pytest.raises(Unauthorized):
        people.add_session(session, "another hash")


def test_clients_that_nobody_used_are_forgotten_first(store: ControlStore) -> None:
    oauth = store.oauth
    oauth.add_connection(CONNECTION)
    for number in range(5):
        oauth.add_client(replace(CLIENT, id=f"unused {number}", created=number + 2), 3, 0)
    assert oauth.client("client") == CLIENT
    assert [oauth.client(f"unused {number}") is None for number in range(5)] == [
        True, True, False, False, False,
    ]  # fmt: skip
    oauth.add_client(replace(CLIENT, id="late", created=50), 3, unused_before=6)
    assert oauth.client("unused 3") is None
    assert oauth.client("unused 4") is not None


def test_a_connection_is_found_by_its_code_and_redeemed_once(store: ControlStore) -> None:
    oauth = store.oauth
    oauth.add_connection(CONNECTION)
    assert oauth.connection_of_code(b"code") == CONNECTION
    assert oauth.connection_of_code(b"other") is None
    assert oauth.connections("account", 20) == [], "nobody has fetched it yet"
    assert oauth.redeem("connection", [ACCESS, REFRESH], 20)
    assert not oauth.redeem("connection", [replace(ACCESS, hash=b"again")], 21)
    assert oauth.token(b"again") is None
    found = oauth.connection_of_code(b"code")
    assert found == replace(CONNECTION, redeemed=20)
    assert not oauth.redeem("unknown", [], 20)


@pytest.mark.parametrize(
    "lacking",
    [
        replace(CONNECTION, client_id="gone"),
        replace(CONNECTION, person_id="gone"),
        replace(CONNECTION, vault_id="gone"),
    ],
)
def test_a_connection_needs_all_that_it_connects(
    store: ControlStore, lacking: ConnectionRecord
) -> None:
    with pytest.raises(Conflict):
        store.oauth.add_connection(lacking)
    assert store.oauth.connection_of_code(b"code") is None


def test_a_token_knows_its_connection(connected: ControlStore) -> None:
    token = connected.oauth.token(b"access")
    assert token is not None
    assert (token.kind, token.scopes, token.expires, token.replaced) == (
        "access",
        SCOPES,
        100,
        None,
    )
    assert token.connection == replace(CONNECTION, redeemed=20)
    connected.oauth.delete_token(b"access")
    assert connected.oauth.token(b"access") is None
    assert connected.oauth.token(b"refresh") is not None


def test_a_refresh_token_is_replaced_once_and_kept_to_be_known(connected: ControlStore) -> None:
    oauth = connected.oauth
    new = [replace(ACCESS, hash=b"a2"), replace(REFRESH, hash=b"r2")]
    assert oauth.rotate(b"refresh", new, 150)
    assert oauth.token(b"access") is None, "what has expired is cleared away"
    old = oauth.token(b"refresh")
    assert old is not None
    assert old.replaced == 150
    assert not oauth.rotate(b"refresh", [replace(ACCESS, hash=b"a3")], 151)
    assert oauth.token(b"a3") is None
    assert not oauth.rotate(b"a2", [], 151), "an access token is no refresh token"
    assert not oauth.rotate(b"unknown", [], 151)


def test_connections_are_listed_used_and_deleted_by_account(connected: ControlStore) -> None:
    oauth = connected.oauth
    (row,) = oauth.connections("account", 20)
    assert (row.id, row.client, row.person, row.vault) == ("connection", "Program", "Ada", "notes")
    assert (row.redirect_uri, row.scopes, row.created) == ("https://a.example/cb", SCOPES, 10)
    assert row.last_used is None
    oauth.used_connection("connection", 30)
    assert oauth.connections("account", 20)[0].last_used == 30
    assert oauth.connections("account", 1_000) == [], "it can't be renewed any more"
    assert oauth.connections("other", 20) == []
    assert not oauth.delete_connection("connection", "other")
    assert oauth.delete_connection("connection", "account")
    assert not oauth.delete_connection("connection")
    assert oauth.token(b"refresh") is None
    assert oauth.connection_of_code(b"code") is None


def test_what_is_over_is_cleared_away(connected: ControlStore) -> None:
    oauth = connected.oauth

    def add(number: int, now: int) -> None:
        code = replace(CONNECTION.code, hash=f"code {number}".encode(), expires=now + 60)
        oauth.add_connection(replace(CONNECTION, id=f"c{number}", created=now, code=code))

    add(1, 80)
    add(2, 150)
    assert oauth.connection_of_code(b"code 1") is None, "nobody fetched it in time"
    assert oauth.token(b"access") is None
    assert oauth.connection_of_code(b"code") is not None
    add(3, 1_000)
    assert oauth.connection_of_code(b"code") is None, "its last refresh token is over"


def test_a_person_takes_their_connections_along(connected: ControlStore) -> None:
    connected.people.delete_person("person")
    assert connected.oauth.token(b"access") is None
    assert connected.oauth.connections("account", 20) == []
    assert connected.oauth.client("client") is not None
