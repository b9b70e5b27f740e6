"""What attackers try, refused: with codes, tokens, addresses, forms and floods."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tests.oauth.browser import Browser, answered, form_to, forms_in
from tests.oauth.conftest import (
    CHALLENGE,
    NAME,
    PASSWORD,
    RETURN,
    VERIFIER,
    Host,
    Signed,
    hosted,
)
from treering.errors import InvalidRequest, NotFound, Unauthorized
from treering.oauth import Asked, Choice, OAuthProblem, ReturnAddress
from treering.oauth.clients import MOST_UNUSED
from treering.people import Person

EVIL = "https://evil.example/cb"


@pytest.mark.promise("oauth.replay")
def test_a_code_that_comes_twice_ends_the_connection(host: Host, client_id: str, code: str) -> None:
    tokens = host.exchange(client_id, code).json()
    assert host.opens(tokens["access_token"])
    again = host.exchange(client_id, code)
    assert (again.status_code, again.json()["error"]) == (400, "invalid_grant")
    assert not host.opens(tokens["access_token"])
    refreshed = host.refresh(client_id, tokens["refresh_token"])
    assert refreshed.json()["error"] == "invalid_grant"


@pytest.mark.promise("oauth.replay")
def test_of_two_who_bring_a_code_at_once_neither_keeps_more_than_one_family(
    host: Host, client_id: str, code: str
) -> None:
    with ThreadPoolExecutor(4) as pool:
        answers = list(pool.map(lambda _: host.exchange(client_id, code), range(4)))
    given = [answer.json()["access_token"] for answer in answers if answer.is_success]
    assert len(given) <= 1
    assert not [token for token in given if host.opens(token)]


@pytest.mark.promise("oauth.replay")
def test_a_refresh_token_that_comes_twice_ends_the_connection(host: Host, signed: Signed) -> None:
    renewed = host.refresh(signed.client_id, signed.refresh).json()
    assert renewed["refresh_token"] != signed.refresh
    assert host.opens(renewed["access_token"])
    stolen = host.refresh(signed.client_id, signed.refresh)
    assert (stolen.status_code, stolen.json()["error"]) == (400, "invalid_grant")
    for token in (signed.access, renewed["access_token"]):
        assert not host.opens(token)
    after = host.refresh(signed.client_id, renewed["refresh_token"])
    assert after.json()["error"] == "invalid_grant"


@pytest.mark.promise("oauth.replay")
def test_what_comes_twice_ends_the_connection_however_it_comes(
    host: Host, browser: Browser, client_id: str
) -> None:
    def connect() -> tuple[str, dict[str, str]]:
        code = answered(browser.answer(host.authorize_url(client_id)))["code"]
        return code, host.exchange(client_id, code).json()

    code, given = connect()
    host.exchange(client_id, code, code_verifier="w" * 43)
    assert not host.opens(given["access_token"])
    code, given = connect()
    host.world.clock.advance(minutes=5)
    assert host.opens(given["access_token"])
    host.exchange(client_id, code)
    assert not host.opens(given["access_token"])
    _, given = connect()
    renewed = host.refresh(client_id, given["refresh_token"]).json()
    host.refresh(client_id, given["refresh_token"], scope="keys:manage")
    assert not host.opens(renewed["access_token"])


@pytest.mark.promise("oauth.pkce")
def test_a_stolen_code_is_worth_nothing_without_its_verifier(
    host: Host, client_id: str, code: str
) -> None:
    for verifier in ("w" * 43, VERIFIER[:-1], VERIFIER + "v", "é" * 43, "v" * 129):
        refused = host.exchange(client_id, code, code_verifier=verifier)
        assert refused.json()["error"] == "invalid_grant"
    assert host.exchange(client_id, code, code_verifier="").json()["error"] == "invalid_request"
    thief = host.register()
    assert host.exchange(thief, code).json()["error"] == "invalid_grant"
    assert host.exchange(client_id, code).is_success, "its own client can still have it"


@pytest.mark.promise("oauth.pkce")
@pytest.mark.parametrize(
    "changes",
    [
        {"code_challenge_method": "plain"},
        {"code_challenge_method": None},
        {"code_challenge": None},
        {"code_challenge": "short"},
        {"response_type": "token"},
        {"response_type": None},
        {"response_mode": "fragment"},
        {"scope": "keys:manage"},
        {"resource": "https://elsewhere.example/mcp"},
        {"resource": "http://127.0.0.1/mcp"},
    ],
)
def test_a_request_that_will_not_do_gets_no_form_and_no_redirect(
    host: Host, browser: Browser, client_id: str, changes: dict[str, str | None]
) -> None:
    page = browser.get(host.authorize_url(client_id, **changes))
    assert page.status_code == 400
    assert "location" not in page.headers
    assert not forms_in(page)
    assert f'href="{RETURN}?error=' in page.text, "the person may tell the program"


@pytest.mark.promise("oauth.open-redirect")
@pytest.mark.parametrize(
    "redirect_uri",
    [
        EVIL,
        "http://127.0.0.1:4321/callback/../evil",
        "http://127.0.0.1:4321/callback?next=https://evil.example",
        "http://127.0.0.1:4321@evil.example/callback",
        "http://127.0.0.1.evil.example:4321/callback",
        "http://localhost:4321/callback",
        "https://127.0.0.1:4321/callback",
        "//evil.example/callback",
        "javascript:alert(1)",
    ],
)
def test_nobody_is_sent_to_an_address_that_was_not_registered(
    host: Host, browser: Browser, client_id: str, redirect_uri: str
) -> None:
    for changes in ({}, {"response_type": "token"}, {"code_challenge_method": "plain"}):
        page = browser.get(host.authorize_url(client_id, redirect_uri=redirect_uri, **changes))
        assert page.status_code == 400
        assert "location" not in page.headers
        assert "href" not in page.text.replace('href="/pages.css"', "")


@pytest.mark.promise("oauth.open-redirect")
def test_nor_by_an_unknown_client_or_by_saying_a_thing_twice(
    host: Host, browser: Browser, client_id: str
) -> None:
    two = host.authorize_url(client_id) + "&redirect_uri=https%3A%2F%2Fevil.example%2Fcb"
    other = host.register(EVIL)
    mixed = host.authorize_url(client_id) + f"&client_id={other}"
    unknown = host.authorize_url("unknown", redirect_uri=EVIL)
    for url in (two, mixed, unknown, "/authorize", "/authorize?%ff", "/authorize?client_id=%00"):
        page = browser.get(url)
        assert page.status_code == 400, url
        assert "location" not in page.headers


@pytest.mark.promise("oauth.open-redirect")
def test_a_link_to_this_server_leads_nowhere_else(
    host: Host, new_browser: Callable[[], Browser]
) -> None:
    evil = host.register(EVIL)
    url = host.authorize_url(evil, redirect_uri=EVIL, code_challenge_method="plain")
    stranger = new_browser()
    assert stranger.get(url).headers["location"].startswith("/login?next=")
    for wanted in (
        EVIL,
        "//evil.example",
        "/\\evil.example",
        "/authorize@evil.example",
        "https:/connections",
        "/connections\r\nX: y",
        "/v1/keys",
        "javascript:alert(1)",
    ):
        page = stranger.get("/login", params={"next": wanted})
        form = form_to(page, "/login")
        assert form.value("next") == "/connections"
        sent = stranger.send(form, form.filled(name=NAME, password=PASSWORD, next=wanted))
        assert sent.headers["location"] == "/connections"
        stranger.client.cookies.clear()


@pytest.mark.promise("oauth.audience")
def test_a_token_for_elsewhere_is_neither_made_nor_taken(
    host: Host, browser: Browser, signed: Signed
) -> None:
    elsewhere = "https://elsewhere.example/mcp"
    code = answered(browser.answer(host.authorize_url(signed.client_id)))["code"]
    mixed = host.exchange(signed.client_id, code, resource=elsewhere)
    assert mixed.json()["error"] == "invalid_target"
    mixed = host.refresh(signed.client_id, signed.refresh, resource=elsewhere)
    assert mixed.json()["error"] == "invalid_target"
    other_name = host.url.replace("127.0.0.1", "localhost").removeprefix("http://")
    assert host.at_mcp(signed.access, Host=other_name).status_code == 401
    assert host.at_mcp(signed.access, Host="evil.example").status_code == 401
    with pytest.raises(Unauthorized):
        host.data_dir.grant_for(signed.access, elsewhere)
    assert host.opens(signed.access)
    form = {"client_id": signed.client_id, "grant_type": "refresh_token"}
    form["refresh_token"] = signed.refresh
    moved = host.program.post("/token", data=form, headers={"Host": other_name})
    assert moved.json()["error"] == "invalid_target"


@pytest.mark.promise("oauth.wall")
def test_a_token_stays_in_its_vault(host: Host, browser: Browser, client_id: str) -> None:
    url = host.authorize_url(client_id)
    tokens = []
    for name in ("one", "two"):
        code = answered(browser.answer(url, vault="new", new_vault=name))["code"]
        tokens.append(host.exchange(client_id, code).json()["access_token"])
    mine, other = tokens
    host.tool(mine, "store_memory", content="The auth service listens on port 5433.")
    searched = {"query": "auth service port"}
    [found] = host.tool(mine, "search_memories", **searched)["structuredContent"]["memories"]
    assert host.tool(other, "search_memories", **searched)["structuredContent"]["count"] == 0
    looked_up = host.tool(other, "inspect_memory", memory_id=found["id"])
    assert looked_up["isError"]
    assert "5433" not in str(looked_up)


@pytest.mark.promise("oauth.scopes")
def test_a_tool_needs_its_scope_of_the_token(host: Host, browser: Browser, client_id: str) -> None:
    url = host.authorize_url(client_id, scope="memories:read")
    token = host.exchange(client_id, answered(browser.answer(url))["code"]).json()["access_token"]
    assert not host.tool(token, "search_memories", query="port")["isError"]
    refused = host.tool(token, "store_memory", content="The port is 5433.")
    assert "connection was not given the scope memories:write; connect again" in str(refused)
    assert "key" not in str(refused)
    assert refused["isError"]
    data = host.at_mcp("mo_unknown").json()["error"]["data"]
    assert (data["error"], "sign in again" in data["message"]) == ("Unauthorized", True)
    headers = {"Authorization": f"Bearer {token}"}
    elsewhere = host.program.get("/v1/stats", headers=headers)
    assert (elsewhere.status_code, elsewhere.headers["WWW-Authenticate"]) == (401, "Bearer")
    assert "holds at /mcp alone" in elsewhere.json()["message"]


@pytest.mark.promise("oauth.wall")
def test_a_form_can_name_no_vault_but_the_accounts_own(
    host: Host, browser: Browser, client_id: str
) -> None:
    url = host.authorize_url(client_id)
    before = host.data_dir.vaults()
    for vault in ("unknown", "NEW", "00000000-0000-0000-0000-00000000ffff"):
        assert browser.answer(url, vault=vault).status_code == 400
    assert host.data_dir.vaults() == before


@pytest.mark.promise("oauth.scopes")
def test_a_form_can_name_no_scope_that_was_not_asked_for(
    host: Host, browser: Browser, client_id: str
) -> None:
    url = host.authorize_url(client_id, scope="memories:read")
    wanted = ["memories:read", "memories:delete", "keys:manage", "providers:use"]
    code = answered(browser.answer(url, scope=wanted))["code"]
    assert host.exchange(client_id, code).json()["scope"] == "memories:read"
    assert browser.answer(url, scope=wanted[1:]).status_code == 400


@pytest.mark.promise("oauth.flood")
def test_one_address_registers_only_so_often(tmp_path: Path) -> None:
    with hosted(tmp_path) as host:
        body = {"redirect_uris": [RETURN]}
        answers = [host.program.post("/register", json=body) for _ in range(25)]
        assert [answer.status_code for answer in answers] == [201] * 20 + [429] * 5
        assert answers[-1].json()["error"] == "temporarily_unavailable"
        assert answers[-1].headers["Retry-After"] == "60"


@pytest.mark.promise("oauth.flood")
def test_a_flood_displaces_itself_and_no_client_in_use(host: Host, signed: Signed) -> None:
    clients = host.data_dir.clients
    flood = [host.register() for _ in range(MOST_UNUSED + 10)]
    for gone in flood[:10]:
        with pytest.raises(OAuthProblem, match="invalid_client"):
            clients.known(gone)
    assert clients.known(flood[10]).id == flood[10]
    host.world.clock.advance(days=1.1)
    latest = host.register()
    with pytest.raises(OAuthProblem):
        clients.known(flood[-1])
    assert clients.known(latest).id == latest
    assert host.refresh(signed.client_id, signed.refresh).is_success


def test_a_request_for_a_client_that_has_gone_is_a_page(host: Host, browser: Browser) -> None:
    stale = host.authorize_url("00000000-0000-0000-0000-000000000000")
    assert "have it connect anew" in browser.get(stale).text
    assert host.token(grant_type="refresh_token", client_id="x").status_code == 401


@pytest.mark.parametrize(
    ("form", "error"),
    [
        ({"grant_type": "password"}, "unsupported_grant_type"),
        ({"grant_type": "client_credentials"}, "unsupported_grant_type"),
        ({}, "invalid_request"),
        ({"grant_type": "authorization_code"}, "invalid_request"),
        ({"grant_type": "refresh_token", "refresh_token": "mr_x"}, "invalid_grant"),
        ({"grant_type": "authorization_code", "code": "x", "code_verifier": "y"}, "invalid_grant"),
    ],
)
def test_the_token_endpoint_names_what_is_wrong(
    host: Host, client_id: str, form: dict[str, str], error: str
) -> None:
    refused = host.token(client_id=client_id, **form)
    assert (refused.status_code, refused.json()["error"]) == (400, error)
    assert refused.headers["Cache-Control"] == "no-store"


@pytest.mark.parametrize(
    ("body", "kind"),
    [
        (b"{}", "application/json"),
        (b"grant_type=\xff", "application/x-www-form-urlencoded"),
        (b"grant_type=%ff", "application/x-www-form-urlencoded"),
        (b"&".join(b"a=b" for _ in range(101)), "application/x-www-form-urlencoded"),
        (b"client_id=a&client_id=b", "application/x-www-form-urlencoded"),
        (b"x=" + b"y" * 70_000, "application/x-www-form-urlencoded"),
    ],
)
def test_a_body_that_is_no_form_is_refused(host: Host, body: bytes, kind: str) -> None:
    for path in ("/token", "/revoke"):
        refused = host.program.post(path, content=body, headers={"Content-Type": kind})
        assert refused.status_code in (400, 413)
        assert refused.json()["error"] == "invalid_request"
    assert host.program.post("/login", content=body, headers={"Content-Type": kind}).is_client_error


@pytest.mark.promise("oauth.wall")
def test_an_account_reaches_nothing_of_another(host: Host, signed: Signed) -> None:
    storage = host.data_dir
    grant = storage.grant_for(signed.access, host.resource)
    stranger = Person("a person", "another account", "stranger")
    to = ReturnAddress(storage.clients.known(signed.client_id), RETURN, None, host.url)
    asked = Asked(to, ("memories:read",), CHALLENGE, host.resource)
    choice = Choice(grant.vault_id, "", frozenset({"memories:read"}))
    with pytest.raises(InvalidRequest, match="vault"):
        storage.connections.allow(stranger, asked, choice)
    with pytest.raises(NotFound):
        storage.connections.revoke(grant.key_id, stranger.account_id)
    assert storage.connections.listed(stranger.account_id) == []
    assert host.opens(signed.access)
