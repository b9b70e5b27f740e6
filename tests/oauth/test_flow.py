"""A program signs in from nothing: discovery, registration, consent, tokens, renewal, the end."""

from __future__ import annotations

import asyncio
import html
from collections.abc import Callable

import httpx2
import pytest
from mcp import Client
from mcp.client.auth import OAuthClientProvider, TokenStorage
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.auth import (
    AuthorizationCodeResult,
    OAuthClientInformationFull,
    OAuthClientMetadata,
    OAuthMetadata,
    OAuthToken,
    ProtectedResourceMetadata,
)
from pydantic import AnyUrl

from tests.oauth.browser import Browser, answered, form_to, forms_in
from tests.oauth.conftest import NAME, PASSWORD, RETURN, Host, Signed
from treering.access import DEFAULT_SCOPES, DELETE, OAUTH_SCOPES
from treering.errors import Unauthorized
from treering.requests import UsageRequest


class Remembered(TokenStorage):
    """What the official client keeps between its requests."""

    def __init__(self) -> None:
        self.tokens: OAuthToken | None = None
        self.client: OAuthClientInformationFull | None = None

    async def get_tokens(self) -> OAuthToken | None:
        return self.tokens

    async def set_tokens(self, tokens: OAuthToken) -> None:
        self.tokens = tokens

    async def get_client_info(self) -> OAuthClientInformationFull | None:
        return self.client

    async def set_client_info(self, client_info: OAuthClientInformationFull) -> None:
        self.client = client_info


@pytest.mark.promise("oauth.flow", "oauth.register", "oauth.iss")
def test_the_official_client_signs_in_and_stays_signed_in(host: Host, browser: Browser) -> None:
    kept, answers, asked = Remembered(), list[AuthorizationCodeResult](), list[str]()

    async def ask(url: str) -> None:
        asked.append(url)
        answers.append(AuthorizationCodeResult(**answered(browser.answer(url))))

    async def answer() -> AuthorizationCodeResult:
        return answers.pop()

    metadata = OAuthClientMetadata(client_name="Official", redirect_uris=[AnyUrl(RETURN)])
    auth = OAuthClientProvider(host.resource, metadata, kept, ask, answer)

    async def calls(tool: str, **arguments: str) -> None:
        async with (
            httpx2.AsyncClient(auth=auth, timeout=60) as http,
            Client(streamable_http_client(host.resource, http_client=http)) as client,
        ):
            assert not (await client.call_tool(tool, arguments)).is_error

    async def session() -> None:
        await calls("search_memories", query="the port")
        first = kept.tokens
        assert first is not None
        await calls("memory_status")
        assert kept.tokens == first
        host.world.clock.advance(minutes=61)
        assert not host.opens(first.access_token)
        auth.context.token_expiry_time = 1.0
        await calls("memory_status")
        assert kept.tokens != first

    asyncio.run(session())
    assert len(asked) == 1, "the person is asked once"
    assert kept.client is not None
    assert kept.client.client_secret is None
    assert kept.tokens is not None
    grant = host.data_dir.grant_for(kept.tokens.access_token, host.resource)
    usage = host.data_dir.account_usage(grant.account_id, UsageRequest()).by_key or {}
    assert usage[grant.key_id].calls == 1


@pytest.mark.promise("oauth.discovery")
def test_a_refusal_leads_to_everything_that_a_client_must_know(host: Host) -> None:
    challenge = host.at_mcp(None).headers["WWW-Authenticate"]
    url = f"{host.url}/.well-known/oauth-protected-resource/mcp"
    assert challenge == f'Bearer resource_metadata="{url}"'
    found = host.program.get(url)
    resource = ProtectedResourceMetadata.model_validate(found.json())
    assert str(resource.resource) == host.resource
    assert resource.scopes_supported == list(OAUTH_SCOPES)
    assert [str(each) for each in resource.authorization_servers] == [host.url]
    assert host.program.get("/.well-known/oauth-protected-resource").json() == found.json()
    for name in ("oauth-authorization-server", "openid-configuration"):
        server = OAuthMetadata.model_validate(host.program.get(f"/.well-known/{name}").json())
        assert str(server.issuer) == host.url
        assert server.code_challenge_methods_supported == ["S256"]
        assert server.token_endpoint_auth_methods_supported == ["none"]
        assert server.authorization_response_iss_parameter_supported is True
    assert host.program.get("/v1/stats").headers["WWW-Authenticate"] == "Bearer"


@pytest.mark.promise("oauth.discovery")
def test_programs_in_browsers_may_ask(host: Host) -> None:
    for path in ("/register", "/token", "/revoke", "/.well-known/oauth-authorization-server"):
        preflight = host.program.options(path)
        assert preflight.status_code == 204
        assert preflight.headers["Access-Control-Allow-Origin"] == "*"
    assert host.token().headers["Access-Control-Allow-Origin"] == "*"
    for path in ("/authorize", "/login", "/connections"):
        assert "Access-Control-Allow-Origin" not in host.program.get(path).headers


@pytest.mark.promise("oauth.register")
def test_a_program_registers_itself_as_a_public_client(host: Host) -> None:
    asked = {
        "redirect_uris": [RETURN, "cursor://anysphere.cursor-mcp/oauth/callback"],
        "client_name": " A\u202e name\n ",
        "token_endpoint_auth_method": "client_secret_post",
        "logo_uri": "https://elsewhere.example/logo.png",
    }
    made = host.program.post("/register", json=asked)
    assert made.status_code == 201
    assert made.headers["Cache-Control"] == "no-store"
    body = OAuthClientInformationFull.model_validate(made.json())
    assert (body.client_name, body.token_endpoint_auth_method) == ("A name", "none")
    assert body.client_secret is None
    assert [str(uri) for uri in body.redirect_uris or []] == asked["redirect_uris"]


@pytest.mark.promise("oauth.register")
@pytest.mark.parametrize(
    ("body", "error"),
    [
        (b"no json", "invalid_client_metadata"),
        (b"[]", "invalid_client_metadata"),
        (b"{}", "invalid_client_metadata"),
        (b'{"redirect_uris": []}', "invalid_redirect_uri"),
        (b'{"redirect_uris": ["javascript:alert(1)"]}', "invalid_redirect_uri"),
        (b'{"redirect_uris": ["http://elsewhere.example/"]}', "invalid_redirect_uri"),
        (b'{"redirect_uris": ["https://a.example/#b"]}', "invalid_redirect_uri"),
        (
            b'{"redirect_uris": ["https://a.example/"], "grant_types": ["implicit"]}',
            "invalid_client_metadata",
        ),
        (
            b'{"redirect_uris": ["https://a.example/"], "response_types": ["token"]}',
            "invalid_client_metadata",
        ),
        (b'{"redirect_uris": ["' + b"x" * 70_000 + b'"]}', "invalid_request"),
    ],
)
def test_a_registration_that_will_not_do_is_refused(host: Host, body: bytes, error: str) -> None:
    refused = host.program.post("/register", content=body)
    assert refused.status_code in (400, 413)
    assert refused.json()["error"] == error


@pytest.mark.promise("oauth.consent")
def test_the_consent_page_says_in_plain_words_what_is_asked(host: Host, browser: Browser) -> None:
    spoof = host.register("https://client.example/cb", name="<b>Bank</b> & Co")
    asked = host.authorize_url(
        spoof,
        redirect_uri="https://client.example/cb",
        scope="memories:read keys:manage stats:read providers:use offline_access",
    )
    page = browser.get(asked)
    assert page.status_code == 200
    assert "&lt;b&gt;Bank&lt;/b&gt; &amp; Co" in page.text
    assert "<b>Bank" not in page.text
    assert "nobody has checked it" in page.text
    assert "<strong>client.example</strong>" in page.text
    form = form_to(page, "/authorize/answer")
    offered = [value for name, value in form.fields if name == "scope"]
    assert offered == ["memories:read", "stats:read"]
    vaults = [vault.id for vault in host.data_dir.vaults()]
    assert form.choices["vault"][-1] == "new"
    assert set(vaults) <= set(form.choices["vault"])


@pytest.mark.promise("oauth.consent", "oauth.grant")
def test_a_person_gives_what_they_choose(host: Host, browser: Browser, client_id: str) -> None:
    (first, *_) = host.data_dir.vaults()
    url = host.authorize_url(client_id)
    chosen = browser.answer(url, vault=first.id, scope=["memories:read", "stats:read"])
    tokens = host.exchange(client_id, answered(chosen)["code"]).json()
    assert tokens["scope"] == "memories:read stats:read"
    assert (tokens["token_type"], tokens["expires_in"]) == ("Bearer", 3600)
    grant = host.data_dir.grant_for(tokens["access_token"], host.resource)
    assert grant.vault_id == first.id
    assert grant.scopes == {"memories:read", "stats:read"}
    assert grant.account_id == first.account_id
    assert grant.expires == host.world.clock.now() + 3_600_000


@pytest.mark.promise("oauth.consent")
def test_a_new_vault_is_made_where_that_is_chosen(
    host: Host, browser: Browser, client_id: str
) -> None:
    url = host.authorize_url(client_id)
    chosen = browser.answer(url, vault="new", new_vault="Notes of the program")
    tokens = host.exchange(client_id, answered(chosen)["code"]).json()
    grant = host.data_dir.grant_for(tokens["access_token"], host.resource)
    made = host.data_dir.vaults()[-1]
    assert (made.id, made.name) == (grant.vault_id, "Notes of the program")
    assert grant.scopes == DEFAULT_SCOPES - {DELETE}


@pytest.mark.promise("oauth.consent")
def test_deleting_stands_apart_and_is_not_ticked_in_advance(
    host: Host, browser: Browser, client_id: str
) -> None:
    page = browser.get(host.authorize_url(client_id))
    harmless, grave = page.text.split("be undone</legend>")
    assert "memories:write" in harmless
    assert f'value="{DELETE}">' in grave
    assert DELETE not in harmless
    asked_without = browser.get(host.authorize_url(client_id, scope="memories:read"))
    assert "be undone</legend>" not in asked_without.text


@pytest.mark.promise("oauth.consent")
def test_nothing_chosen_is_asked_again_and_no_is_no(
    host: Host, browser: Browser, client_id: str
) -> None:
    url = host.authorize_url(client_id)
    for again in (
        browser.answer(url, scope=[]),
        browser.answer(url, vault=""),
        browser.answer(url, vault="unknown"),
        browser.answer(url, vault="new", new_vault=" "),
        browser.answer(url, vault="new", new_vault=host.data_dir.vaults()[0].name),
        browser.answer(url, vault="new", new_vault="\x00"),
        browser.answer(url, vault="new", new_vault="x" * 201),
        browser.answer(url, vault="new", new_vault=" "),
        browser.answer(url, vault="new", new_vault=" first vault"),
    ):
        assert again.status_code == 400
        assert 'role="alert"' in again.text
        assert form_to(again, "/authorize/answer").buttons
    assert "first vault" in [vault.name for vault in host.data_dir.vaults()]
    assert "new_vault: you have a vault of that name" in html.unescape(again.text)
    denied = answered(browser.answer(url, "deny"))
    assert (denied["error"], denied["state"], denied["iss"]) == (
        "access_denied",
        "a state",
        host.url,
    )
    assert "code" not in denied


@pytest.mark.promise("oauth.grant")
def test_a_token_holds_at_mcp_alone_and_a_key_everywhere(host: Host, signed: Signed) -> None:
    key = host.data_dir.create_key(name="beside").key
    assert host.opens(signed.access)
    assert host.opens(key or "")
    for header in ({"Authorization": f"Bearer {signed.access}"}, {"x-api-key": signed.access}):
        refused = host.program.get("/v1/memory/stats", headers=header)
        assert (refused.status_code, refused.json()["error"]) == (401, "Unauthorized")
    assert host.program.get("/v1/memory/stats", headers={"x-api-key": key or ""}).is_success
    assert not host.opens(signed.refresh), "a refresh token opens nothing"
    assert not host.opens(signed.access + ":read")
    with pytest.raises(Unauthorized):
        host.data_dir.grant_for(signed.access)


@pytest.mark.promise("oauth.connections", "oauth.grant")
def test_a_person_sees_connections_and_ends_them(
    host: Host, browser: Browser, signed: Signed
) -> None:
    connection_id = host.data_dir.grant_for(signed.access, host.resource).key_id
    page = browser.get("/connections")
    assert "Test program" in page.text
    assert "2026-09-01" in page.text
    (form,) = (
        form
        for form in forms_in(page)
        if form.action == "/connections/revoke" and form.value("id") == connection_id
    )
    assert browser.send(form, form.fields).headers["location"] == "/connections"
    assert not host.opens(signed.access)
    assert host.refresh(signed.client_id, signed.refresh).json()["error"] == "invalid_grant"
    assert connection_id not in browser.get("/connections").text
    assert browser.send(form, form.fields).status_code == 404


@pytest.mark.promise("oauth.revoke")
def test_a_client_ends_its_tokens_itself(host: Host, signed: Signed) -> None:
    def end(token: str, client_id: str = signed.client_id) -> int:
        form = {"token": token, "client_id": client_id}
        return host.program.post("/revoke", data=form).status_code

    assert end("mo_unknown") == 200
    assert end(signed.access, host.register()) == 200
    assert host.opens(signed.access), "another client ends nothing"
    assert end(signed.access) == 200
    assert not host.opens(signed.access)
    renewed = host.refresh(signed.client_id, signed.refresh).json()
    assert host.opens(renewed["access_token"])
    assert end(renewed["refresh_token"]) == 200
    assert not host.opens(renewed["access_token"])
    assert end(signed.access, "nobody") == 401


@pytest.mark.promise("oauth.lifetimes")
def test_everything_ends_in_time(host: Host, browser: Browser, client_id: str) -> None:
    late = answered(browser.answer(host.authorize_url(client_id)))["code"]
    host.world.clock.advance(seconds=60)
    assert host.exchange(client_id, late).json()["error"] == "invalid_grant"
    code = answered(browser.answer(host.authorize_url(client_id)))["code"]
    host.world.clock.advance(seconds=59)
    tokens = host.exchange(client_id, code).json()
    host.world.clock.advance(minutes=59)
    assert host.opens(tokens["access_token"])
    host.world.clock.advance(minutes=1)
    assert not host.opens(tokens["access_token"])
    host.world.clock.advance(days=29)
    renewed = host.refresh(client_id, tokens["refresh_token"]).json()
    host.world.clock.advance(days=30)
    over = host.refresh(client_id, renewed["refresh_token"])
    assert over.json()["error"] == "invalid_grant"


@pytest.mark.promise("oauth.secrets")
def test_no_secret_is_in_the_files(host: Host, browser: Browser, signed: Signed) -> None:
    code = answered(browser.answer(host.authorize_url(signed.client_id)))["code"]
    (session,) = (each.value for each in browser.client.cookies.jar if "session" in each.name)
    secrets = [code, session or "", signed.access, signed.refresh, PASSWORD]
    held = b"".join(file.read_bytes() for file in host.data_dir.path.glob("control.db*"))
    assert NAME.encode() in held
    assert not [secret for secret in secrets if secret.encode() in held]


@pytest.mark.promise("oauth.scopes")
def test_a_refresh_may_take_less_and_never_more(
    host: Host, browser: Browser, client_id: str
) -> None:
    url = host.authorize_url(client_id, scope="memories:read stats:read")
    given = host.exchange(client_id, answered(browser.answer(url))["code"]).json()
    for scope in ("memories:write", "memories:read keys:manage", "memories:delete"):
        more = host.refresh(client_id, given["refresh_token"], scope=scope)
        assert (more.status_code, more.json()["error"]) == (400, "invalid_scope")
    less = host.refresh(client_id, given["refresh_token"], scope="stats:read").json()
    assert less["scope"] == "stats:read"
    grant = host.data_dir.grant_for(less["access_token"], host.resource)
    assert grant.scopes == {"stats:read"}
    again = host.refresh(client_id, less["refresh_token"]).json()
    assert again["scope"] == "memories:read stats:read"


@pytest.mark.promise("oauth.redirects")
def test_a_program_may_listen_on_another_port_each_time(
    host: Host, browser: Browser, client_id: str
) -> None:
    elsewhere = "http://127.0.0.1:65000/callback"
    sent = browser.answer(host.authorize_url(client_id, redirect_uri=elsewhere))
    assert sent.headers["location"].startswith(f"{elsewhere}?code=")
    code = answered(sent)["code"]
    other = host.exchange(client_id, code, redirect_uri=RETURN)
    assert other.json()["error"] == "invalid_grant"
    assert host.exchange(client_id, code, redirect_uri=elsewhere).is_success


def test_a_person_who_is_not_signed_in_signs_in_on_the_way(
    host: Host, client_id: str, new_browser: Callable[[], Browser]
) -> None:
    browser = new_browser()
    url = host.authorize_url(client_id)
    asked = browser.get(url)
    assert asked.headers["location"].startswith("/login?next=%2Fauthorize")
    back = browser.sign_in(NAME, PASSWORD, asked.headers["location"])
    assert back.headers["location"] == url
    assert answered(browser.answer(back.headers["location"]))["state"] == "a state"
