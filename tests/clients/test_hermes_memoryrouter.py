"""The published `hermes-memoryrouter` client, unchanged but for its base URL."""

from __future__ import annotations

from hermes_memoryrouter.client import MemoryRouterClient

from tests.conftest import Server


def test_an_exchange_is_stored_and_recalled(server: Server) -> None:
    client = MemoryRouterClient(api_key=server.key(), base_url=server.url)
    assert client.ingest(
        user_text="My sister Ines lives in Porto.",
        assistant_text="Noted, Ines is in Porto.",
        session_id="family",
        model="hermes",
    )
    recalled = client.prepare(
        query_text="Where does my sister Ines live?", session_id="family", density="high"
    )
    assert recalled is not None
    assert "My sister Ines lives in Porto." in recalled["context"]
    assert recalled["memories_found"] == 2


def test_a_wrong_key_is_answered_without_an_exception(server: Server) -> None:
    client = MemoryRouterClient(api_key="mk_unknown", base_url=server.url)
    assert not client.ingest(user_text="a", assistant_text="b")
    assert client.prepare(query_text="a") is None
