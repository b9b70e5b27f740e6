"""Record the golden replies: `python -m tests.faces.record_golden` writes them under golden/.

They are search's and prepare's replies, byte for byte, on a small fixed vault with two tiers: fixed
clock, ids and embedder. Record them again when ranking or a reply changes on purpose, and not else.
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import httpx2

from tests.support.worlds import START, World, running_server

GOLDEN = Path(__file__).parent / "golden"

_HOUR = 3_600_000
_SAID = (
    ("user", "We moved the auth service to port 5433 on Friday.", "planning"),
    ("assistant", "Noted: auth listens on 5433 now.", "planning"),
    ("user", "Postgres keeps 5432, as before.", "planning"),
    ("user", "Deploys wait for two reviews from today on.", "planning"),
    ("user", "My sister Ana visits on Sunday; she is allergic to nuts.", "home"),
    ("assistant", "I will leave nuts out of the menu.", "home"),
    ("user", "数据库端口不变。", "home"),
    ("user", "The red bike is in the shed 🚲", None),
)
_REFLECTIONS = (
    {"text": "Auth moved to port 5433 on Friday; Postgres stays on 5432.", "importance": 7},
    {"text": "Ana, the user's sister, is allergic to nuts.", "importance": 9},
)

REQUESTS: dict[str, tuple[str, dict[str, Any]]] = {
    "search": ("/v1/memory/search", {"query": "which port does auth use?", "limit": 10}),
    "search-session": (
        "/v1/memory/search",
        {"query": "what about Sunday?", "limit": 5, "session_id": "home"},
    ),
    "search-cjk": ("/v1/memory/search", {"query": "端口"}),
    "prepare": (
        "/v1/memory/prepare",
        {"messages": [{"role": "user", "content": "Plan the menu for Ana's visit on Sunday."}]},
    ),
    "prepare-low": (
        "/v1/memory/prepare",
        {
            "messages": [{"role": "user", "content": "Deploy auth to its port."}],
            "density": "low",
            "max_tokens": 150,
        },
    ),
}
"""Without tiers and importance, which came to the contract later."""


def replies() -> dict[str, bytes]:
    """The reply to each request, byte for byte, from a new server over a new vault."""
    world = World()
    with (
        tempfile.TemporaryDirectory() as folder,
        running_server(Path(folder), world.system()) as (url, data_dir),
        httpx2.Client(base_url=url) as client,
    ):
        client.headers["Authorization"] = f"Bearer {data_dir.create_key().key}"
        _fill(client)
        return {
            name: client.post(path, json=body).content for name, (path, body) in REQUESTS.items()
        }


def _fill(client: httpx2.Client) -> None:
    for place, (role, content, session) in enumerate(_SAID):
        message = {"role": role, "content": content, "timestamp": START - (20 - place) * _HOUR}
        body = {"messages": [message], "capture": False}
        _posted(client, "ingest", body if session is None else {**body, "session_id": session})
    batch = _posted(client, "consolidate/checkout", {"tier": 1})["batch_id"]
    _posted(client, "consolidate/commit", {"batch_id": batch, "entries": _REFLECTIONS})


def _posted(client: httpx2.Client, path: str, body: Mapping[str, Any]) -> Any:
    return json.loads(client.post(f"/v1/memory/{path}", json=body).raise_for_status().content)


def record() -> None:
    """Write every reply under golden/."""
    GOLDEN.mkdir(exist_ok=True)
    for name, reply in replies().items():
        (GOLDEN / f"{name}.json").write_bytes(reply)


if __name__ == "__main__":
    record()
