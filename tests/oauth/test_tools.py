"""What a program may do once a person has allowed it, through the official client."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import httpx2
import pytest
from mcp import Client
from mcp.client.auth import OAuthClientProvider
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.auth import AuthorizationCodeResult, OAuthClientMetadata
from pydantic import AnyUrl

from tests.mcp.conftest import model_at
from tests.mcp.test_scopes import TOOLS_OF
from tests.mcp.test_tools import NAMES, Journey
from tests.oauth.browser import Browser, answered
from tests.oauth.conftest import RETURN, Host
from tests.oauth.test_flow import Remembered
from treering.access import OAUTH_SCOPES


@asynccontextmanager
async def signed_in(host: Host, browser: Browser, scopes: list[str]) -> AsyncIterator[Client]:
    """The official client, signed in by a person who ticks these scopes."""
    answers = list[AuthorizationCodeResult]()

    async def ask(url: str) -> None:
        answers.append(AuthorizationCodeResult(**answered(browser.answer(url, scope=scopes))))

    async def answer() -> AuthorizationCodeResult:
        return answers.pop()

    metadata = OAuthClientMetadata(client_name="Official", redirect_uris=[AnyUrl(RETURN)])
    auth = OAuthClientProvider(host.resource, metadata, Remembered(), ask, answer)
    async with (
        httpx2.AsyncClient(auth=auth, timeout=60) as http,
        Client(streamable_http_client(host.resource, http_client=http)) as client,
    ):
        yield client


@pytest.mark.promise("oauth.flow", "mcp.tools")
def test_every_tool_works_for_a_program_that_was_allowed_all(host: Host, browser: Browser) -> None:
    with model_at(signed_in(host, browser, list(OAUTH_SCOPES))) as model:
        journey = Journey(model)
        assert list(journey.declared) == NAMES
        journey.run()
    assert set(journey.called) == set(NAMES)


@pytest.mark.promise("oauth.grant", "mcp.scopes")
@pytest.mark.parametrize("scope", OAUTH_SCOPES)
def test_a_grant_shows_just_its_tools(host: Host, browser: Browser, scope: str) -> None:
    with model_at(signed_in(host, browser, [scope])) as model:
        assert {tool.name for tool in model.tools()} == TOOLS_OF[scope]
