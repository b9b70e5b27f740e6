"""A key that may only store learns nothing of what is held."""

from __future__ import annotations

import pytest

from tests.faces.conftest import Wire

HELD = "The staging database listens on port 5433 and belongs to Nightingale."


@pytest.mark.promise("keys.write-only-learns-nothing")
def test_a_write_only_key_is_answered_by_its_own_words(wire: Wire) -> None:
    blind = wire.with_key(f"{wire.key}:write")
    held = wire.post("/v1/memories", {"items": [{"content": HELD}]}).json()["stored"][0]["id"]
    wire.post("/v1/self-model/outcome", {"domain": "nightingale", "success": False})
    said = "Staging database listens on port 5433"
    answers = [
        blind.post("/v1/memories", {"items": [{"content": said}]}),
        blind.post("/v1/turns", {"userMessage": f"{said}.", "assistantResponse": "ok"}),
        blind.request("PATCH", f"/v1/memories/{held}", json={}),
        blind.post("/v1/self-model/outcome", {"domain": "probe", "success": True}),
    ]
    assert [answer.status_code for answer in answers] == [201, 200, 200, 200]
    assert "ightingale" not in "".join(answer.text for answer in answers)
    assert answers[0].json()["counts"]["merged"] == 1
    assert answers[0].json()["mergedInto"] == []
