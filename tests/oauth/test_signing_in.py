"""People sign in and out: sessions, throttles, cookies, and the address of the server."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import httpx2
import pytest
from fastapi import Request

from tests.oauth.browser import Browser, answered, form_to
from tests.oauth.conftest import NAME, PASSWORD, RETURN, Host, hosted
from tests.support.worlds import World, hash_embedder
from treering.data_dir import DataDir
from treering.errors import Conflict, InvalidRequest, NotFound, RateLimited, Unauthorized
from treering.http.addresses import address_of
from treering.http.forms import query_of
from treering.people import People
from treering.people.people import SESSION_MS
from treering.settings import Settings
from treering.throttle import Throttle

ELSEWHERE = "https://memory.example.com"


@pytest.fixture
def data_dir(world: World, tmp_path: Path) -> Iterator[DataDir]:
    opened = DataDir(tmp_path, hash_embedder(), replace(world.system(), monotonic=float))
    yield opened
    opened.close()


@pytest.fixture
def people(data_dir: DataDir) -> People:
    data_dir.people.create(NAME, PASSWORD)
    return data_dir.people


def never(hashed: str | None, password: str) -> bool:
    """In place of the comparison, which is slow for good reason."""
    return False


@pytest.mark.promise("people.sessions")
def test_a_session_ends_by_time_by_signing_out_and_with_its_person(
    people: People, world: World
) -> None:
    first, second = (people.sign_in(NAME, PASSWORD, "here") for _ in range(2))
    found = people.signed_in(first)
    assert found is not None
    assert found.name == NAME
    people.sign_out(first)
    assert people.signed_in(first) is None
    assert people.signed_in(second) is not None
    world.clock.ms += SESSION_MS - 1
    assert people.signed_in(second) is not None
    world.clock.ms += 1
    assert people.signed_in(second) is None
    third = people.sign_in(NAME, PASSWORD, "here")
    people.delete(NAME)
    assert people.signed_in(third) is None
    with pytest.raises(Unauthorized):
        people.sign_in(NAME, PASSWORD, "here")


@pytest.mark.promise("people.password")
def test_a_new_password_ends_every_session(people: People) -> None:
    session = people.sign_in(NAME, PASSWORD, "here")
    people.set_password(NAME, "another password altogether")
    assert people.signed_in(session) is None
    with pytest.raises(Unauthorized, match="name or the password"):
        people.sign_in(NAME, PASSWORD, "here")
    assert people.signed_in(people.sign_in(NAME, "another password altogether", "here"))


@pytest.mark.promise("people.password")
@pytest.mark.parametrize("password", ["", "short", "x" * 11, "x" * 1_001, "lone \ud800 surrogate"])
def test_a_password_that_will_not_do_is_refused(data_dir: DataDir, password: str) -> None:
    with pytest.raises(InvalidRequest, match="password"):
        data_dir.people.create(NAME, password)
    assert data_dir.people.all().people == []


@pytest.mark.promise("people.password")
def test_passwords_are_hashed_by_argon2id_with_a_salt_each(data_dir: DataDir) -> None:
    for name in ("one", "two"):
        data_dir.people.create(name, PASSWORD)
    hashes = [person.password for person in data_dir._control.people.people()]
    assert all(each.startswith("$argon2id$v=19$m=65536,t=3,p=4$") for each in hashes)
    assert len(set(hashes)) == 2


@pytest.mark.promise("people.names")
def test_a_name_is_taken_once_whatever_its_case(people: People) -> None:
    for name in ("Admin", "ADMIN ", "ａｄｍｉｎ"):
        with pytest.raises(Conflict):
            people.create(name, PASSWORD)
    people.create("Straße@example.org", PASSWORD)
    assert people.sign_in("STRASSE@EXAMPLE.ORG", PASSWORD, "here")
    for name in ("", "  ", "a\nb", "\ud800", "x" * 201):
        with pytest.raises(InvalidRequest, match="name"):
            people.create(name, PASSWORD)
    assert [person.name for person in people.all().people] == [NAME, "Straße@example.org"]
    with pytest.raises(NotFound):
        people.set_password("nobody", PASSWORD)


@pytest.mark.promise("people.throttle")
def test_wrong_passwords_are_counted_by_name_and_by_address(
    people: People, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(people._passwords, "match", never)

    def tried(name: str, address: str) -> str:
        try:
            people.sign_in(name, "a wrong password", address)
        except (Unauthorized, RateLimited) as error:
            return error.tag
        raise AssertionError

    by_name = [tried(NAME, f"address {number}") for number in range(11)]
    assert by_name == ["Unauthorized"] * 10 + ["RateLimited"]
    with pytest.raises(RateLimited) as refused:
        people.sign_in(NAME, PASSWORD, "elsewhere")
    assert refused.value.extra["retry_after"] == 30
    unknown = [tried(f"nobody {number}", "one address") for number in range(31)]
    assert unknown == ["Unauthorized"] * 30 + ["RateLimited"]
    same = [tried("nobody", f"yet another {number}") for number in range(11)]
    assert same[-1] == "RateLimited", "a name that there is not is no different"


@pytest.mark.promise("people.throttle")
def test_right_passwords_cost_no_try(people: People) -> None:
    for _ in range(12):
        people.sign_in(NAME, PASSWORD, "here")


@pytest.mark.promise("people.throttle")
def test_an_unknown_name_takes_the_same_work(
    people: People, monkeypatch: pytest.MonkeyPatch
) -> None:
    compared: list[bool] = []
    match = people._passwords.match

    def counted(hashed: str | None, password: str) -> bool:
        compared.append(hashed is None)
        return match(hashed, password)

    monkeypatch.setattr(people._passwords, "match", counted)
    for name in (NAME, "nobody"):
        with pytest.raises(Unauthorized):
            people.sign_in(name, "a wrong password", "here")
    assert compared == [False, True]
    assert people._passwords._of_nobody.startswith("$argon2id$v=19$m=65536,t=3,p=4$")


def test_a_throttle_refills_and_stays_small() -> None:
    throttle = Throttle(burst=3, every_s=10.0, most_keys=100)
    assert [throttle.take("a", 0.0) for _ in range(4)] == [0.0, 0.0, 0.0, 10.0]
    assert throttle.take("a", 9.5) == 0.5
    assert throttle.take("a", 10.0) == 0.0
    assert throttle.take("a", 10.0) == 10.0
    throttle.give_back("a")
    throttle.give_back("never seen")
    assert throttle.take("a", 10.0) == 0.0
    assert [throttle.take("a", 1_000.0) for _ in range(4)] == [0.0, 0.0, 0.0, 10.0]
    for number in range(500):
        throttle.take(str(number), 1_000.0)
    assert len(throttle._full_at) == 100


@pytest.mark.promise("people.throttle")
def test_the_page_says_wrong_and_then_wait(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with hosted(tmp_path) as host:
        monkeypatch.setattr(host.data_dir.people._passwords, "match", never)
        browser = Browser(host.url)
        wrong = browser.sign_in("<b>", "a wrong password")
        assert (wrong.status_code, "name or the password is wrong" in wrong.text) == (403, True)
        assert "&lt;b&gt;" in wrong.text
        for number in range(29):
            browser.sign_in(f"nobody {number}", "a wrong password")
        refused = browser.sign_in(NAME, PASSWORD)
        assert refused.status_code == 429
        assert refused.headers["Retry-After"] == "10"
        browser.close()


@pytest.mark.promise("people.sessions")
def test_signing_out_ends_the_session_itself(host: Host, browser: Browser) -> None:
    kept = dict(browser.client.cookies)
    page = browser.get("/connections")
    assert NAME in page.text
    form = form_to(page, "/logout")
    assert browser.send(form, form.fields).headers["location"] == "/login"
    browser.client.cookies.update(kept)
    assert browser.get("/connections").headers["location"] == "/login?next=%2Fconnections"


@pytest.mark.promise("people.sessions")
def test_who_is_signed_in_need_not_sign_in_again(host: Host, browser: Browser) -> None:
    assert browser.get("/login").headers["location"] == "/connections"


@pytest.mark.promise("people.sessions")
def test_a_deleted_persons_session_and_connections_are_gone(
    host: Host, new_browser: Callable[[], Browser]
) -> None:
    host.data_dir.people.create("leaver", PASSWORD)
    browser = new_browser()
    browser.sign_in("leaver", PASSWORD)
    client_id = host.register()
    code = answered(browser.answer(host.authorize_url(client_id)))["code"]
    token = host.exchange(client_id, code).json()["access_token"]
    assert host.opens(token)
    form = form_to(browser.get(host.authorize_url(client_id)), "/authorize/answer")
    host.data_dir.people.delete("leaver")
    assert not host.opens(token)
    assert browser.get("/connections").headers["location"].startswith("/login")
    late = browser.send(form, [*form.fields, ("answer", "allow")])
    assert late.headers["location"].startswith("/login?next=%2Fauthorize")


@pytest.mark.promise("people.cookies")
def test_cookies_are_out_of_reach_of_scripts_and_other_sites(
    host: Host, new_browser: Callable[[], Browser]
) -> None:
    browser = new_browser()
    for answer in (browser.get("/login"), browser.sign_in(NAME, PASSWORD)):
        cookie = answer.headers["set-cookie"]
        assert "HttpOnly" in cookie
        assert "SameSite=lax" in cookie
        assert "Path=/" in cookie
        assert "Domain" not in cookie
        assert "Secure" not in cookie, "there is no https on this computer's own address"


@pytest.mark.promise("people.cookies", "oauth.public-url")
def test_behind_a_proxy_everything_goes_by_the_public_address(tmp_path: Path) -> None:
    with hosted(tmp_path, public_url=f"{ELSEWHERE}/") as host:
        named = {"Host": "127.0.0.1"}
        metadata = host.program.get("/.well-known/oauth-authorization-server", headers=named)
        assert metadata.json()["issuer"] == ELSEWHERE
        resource = f"{ELSEWHERE}/.well-known/oauth-protected-resource/mcp"
        assert resource in host.at_mcp(None).headers["WWW-Authenticate"]
        cookie = host.program.get("/login").headers["set-cookie"]
        assert cookie.startswith("__Host-treering_visit=")
        assert "; Secure" in cookie
        # The browser keeps a secure cookie for https alone: this one stands at the proxy's door.
        browser = Browser(host.url)
        browser.client.event_hooks = {"request": [_with_secure_cookies(browser)]}
        assert browser.sign_in(NAME, PASSWORD).status_code == 303
        client_id = host.register()
        url = host.authorize_url(client_id, resource=f"{ELSEWHERE}/mcp")
        sent = answered(browser.answer(url))
        assert sent["iss"] == ELSEWHERE
        tokens = host.exchange(client_id, sent["code"], resource=f"{ELSEWHERE}/mcp").json()
        assert host.opens(tokens["access_token"])
        browser.close()


def _with_secure_cookies(browser: Browser) -> Callable[[httpx2.Request], None]:
    def add(request: httpx2.Request) -> None:
        held = {cookie.name: cookie.value for cookie in browser.client.cookies.jar}
        request.headers["Cookie"] = "; ".join(f"{name}={value}" for name, value in held.items())

    return add


@pytest.mark.promise("oauth.public-url")
@pytest.mark.parametrize(
    "name", ["evil.example", "memory.local:8787", "127.0.0.1.evil.example", ""]
)
def test_a_name_that_only_the_caller_says_is_not_believed(host: Host, name: str) -> None:
    named = {"Host": name}
    for path in (
        "/.well-known/oauth-protected-resource",
        "/.well-known/oauth-authorization-server",
    ):
        refused = host.program.get(path, headers=named)
        assert refused.status_code == 400
        assert "TREERING_PUBLIC_URL" in refused.json()["error_description"]
    body = {"redirect_uris": [RETURN]}
    assert host.program.post("/register", json=body, headers=named).status_code == 400
    for path in ("/login", "/connections", "/authorize"):
        page = host.program.get(path, headers=named)
        assert page.status_code == 400
        assert "set-cookie" not in page.headers
    assert host.at_mcp(None, **named).headers["WWW-Authenticate"] == "Bearer"
    key = host.data_dir.create_key().key or ""
    assert host.program.get("/v1/memory/stats", headers={"x-api-key": key, **named}).is_success


@pytest.mark.promise("oauth.public-url")
@pytest.mark.parametrize(
    ("url", "kept"),
    [
        ("", ""),
        ("https://Memory.Example.com/", "https://memory.example.com"),
        ("https://memory.example.com:8443", "https://memory.example.com:8443"),
        ("http://localhost:8787", "http://localhost:8787"),
        ("http://[::1]:8787/", "http://[::1]:8787"),
    ],
)
def test_a_public_address_is_an_origin(url: str, kept: str) -> None:
    assert Settings(public_url=url).public_url == kept


@pytest.mark.promise("oauth.public-url")
@pytest.mark.parametrize(
    "url",
    [
        "memory.example.com",
        "http://memory.example.com",
        "ftp://memory.example.com",
        "https://",
        "https://user@memory.example.com",
        "https://memory.example.com/treering",
        "https://memory.example.com/?a",
        "https://memory.example.com/#a",
    ],
)
def test_another_address_is_refused_at_the_start(url: str) -> None:
    with pytest.raises(ValueError, match="must be"):
        Settings(public_url=url)


def test_a_query_in_raw_bytes_is_refused() -> None:
    request = Request({"type": "http", "query_string": b"client_id=\xff", "headers": []})
    with pytest.raises(InvalidRequest, match="query"):
        query_of(request)


@pytest.mark.promise("people.throttle")
@pytest.mark.parametrize(
    ("caller", "counted"),
    [
        ("203.0.113.9", "203.0.113.9"),
        ("2001:db8::1", "2001:db8::/64"),
        ("2001:db8::ffff:1", "2001:db8::/64"),
        ("2001:db8:1::1", "2001:db8:1::/64"),
        ("testclient", ""),
    ],
)
def test_an_ipv6_network_counts_as_one_address(caller: str, counted: str) -> None:
    request = Request({"type": "http", "client": (caller, 1), "headers": []})
    assert address_of(request) == counted
