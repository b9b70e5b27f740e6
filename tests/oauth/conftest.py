"""A server of its own with a person on it, and the parts of a sign-in that tests put together."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import httpx2
import pytest

from tests.oauth.browser import Browser, answered
from tests.support.worlds import World, hash_embedder, serving
from treering.access import OAUTH_SCOPES
from treering.data_dir import DataDir
from treering.http.app import create_app
from treering.oauth import Registration
from treering.settings import Settings

NAME, PASSWORD = "admin", "correct horse battery staple"
RETURN = "http://127.0.0.1:4321/callback"
VERIFIER = "v" * 43
CHALLENGE = base64.urlsafe_b64encode(hashlib.sha256(VERIFIER.encode()).digest()).decode()[:43]
INITIALIZE = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {
        "protocolVersion": "2025-11-25",
        "capabilities": {},
        "clientInfo": {"name": "test", "version": "1"},
    },
}
ACCEPT = {"Accept": "application/json, text/event-stream"}


@dataclass(frozen=True)
class Host:
    """A running server, and whoever talks to it."""

    url: str
    data_dir: DataDir
    world: World
    program: httpx2.Client
    """A program's own requests: no cookies, no person."""

    @property
    def resource(self) -> str:
        return f"{self.url}/mcp"

    def register(self, *redirect_uris: str, name: str = "Test program") -> str:
        """A client of its own, past the throttle of one address."""
        address = self.world.system().new_id()
        registration = Registration(list(redirect_uris) or [RETURN], name)
        return self.data_dir.clients.register(registration, address).id

    def authorize_url(self, client_id: str, **changes: str | None) -> str:
        """An authorization request; None leaves a parameter out."""
        asked: dict[str, str | None] = {
            "response_type": "code",
            "client_id": client_id,
            "redirect_uri": RETURN,
            "code_challenge": CHALLENGE,
            "code_challenge_method": "S256",
            "state": "a state",
            "resource": self.resource,
        }
        given = {name: value for name, value in (asked | changes).items() if value is not None}
        return f"/authorize?{urlencode(given)}"

    def token(self, **form: str) -> httpx2.Response:
        """What the token endpoint says to a form."""
        return self.program.post("/token", data=form)

    def exchange(self, client_id: str, code: str, **changes: str) -> httpx2.Response:
        """What the token endpoint gives for a code."""
        form = {
            "grant_type": "authorization_code",
            "client_id": client_id,
            "code": code,
            "code_verifier": VERIFIER,
            "redirect_uri": RETURN,
            "resource": self.resource,
        }
        return self.token(**{**form, **changes})

    def refresh(self, client_id: str, refresh_token: str, **changes: str) -> httpx2.Response:
        """What the token endpoint gives for a refresh token."""
        form = {
            "grant_type": "refresh_token",
            "client_id": client_id,
            "refresh_token": refresh_token,
        }
        return self.token(**{**form, **changes})

    def at_mcp(self, token: str | None, **headers: str) -> httpx2.Response:
        """What the MCP endpoint says to a caller with this token."""
        if token is not None:
            headers["Authorization"] = f"Bearer {token}"
        return self.program.post("/mcp", json=INITIALIZE, headers={**ACCEPT, **headers})

    def tool(self, token: str, tool: str, **arguments: Any) -> Any:
        """What a tool answers to a caller with this token."""
        params = {"name": tool, "arguments": arguments}
        called = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
        headers = {**ACCEPT, "Authorization": f"Bearer {token}"}
        return self.program.post("/mcp", json=called, headers=headers).json()["result"]

    def opens(self, token: str) -> bool:
        """Whether a token opens the MCP endpoint."""
        status = self.at_mcp(token).status_code
        assert status in (200, 401)
        return status == 200


@dataclass(frozen=True)
class Signed:
    """A client that a person has allowed something, and its tokens."""

    client_id: str
    access: str
    refresh: str
    scope: str


@contextmanager
def hosted(path: Path, **settings: Any) -> Iterator[Host]:
    """A server with a person and one vault, on which no throttle ever refills."""
    world = World()
    data_dir = DataDir(path, hash_embedder(), replace(world.system(), monotonic=float))
    app = create_app(data_dir, Settings(data_dir=path, embedder="hash-384", **settings))
    with serving(app) as url, httpx2.Client(base_url=url) as program:
        data_dir.people.create(NAME, PASSWORD)
        data_dir.create_key(name="first vault")
        yield Host(url, data_dir, world, program)


@pytest.fixture(scope="module")
def host(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Host]:
    with hosted(tmp_path_factory.mktemp("oauth")) as made:
        yield made


@pytest.fixture
def new_browser(host: Host) -> Iterator[Callable[[], Browser]]:
    """Opens browsers that nobody is signed in with."""
    opened: list[Browser] = []

    def open_one() -> Browser:
        opened.append(Browser(host.url))
        return opened[-1]

    yield open_one
    for browser in opened:
        browser.close()


@pytest.fixture
def browser(new_browser: Callable[[], Browser]) -> Browser:
    """The person's browser, signed in."""
    opened = new_browser()
    assert opened.sign_in(NAME, PASSWORD).status_code == 303
    return opened


@pytest.fixture
def client_id(host: Host) -> str:
    return host.register()


@pytest.fixture
def code(host: Host, browser: Browser, client_id: str) -> str:
    """A code that was not exchanged yet."""
    url = host.authorize_url(client_id)
    return answered(browser.answer(url, scope=list(OAUTH_SCOPES)))["code"]


@pytest.fixture
def signed(host: Host, client_id: str, code: str) -> Signed:
    """A client that is signed in with all it may have."""
    body = host.exchange(client_id, code).json()
    return Signed(client_id, body["access_token"], body["refresh_token"], body["scope"])
