"""Whatever is sent, the server answers with a documented status in the documented shape."""

from __future__ import annotations

from typing import Any

import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, given, settings
from schemathesis import GenerationMode
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from tests.conftest import Server

SCOPES = [
    "memories:read",
    "memories:write",
    "memories:reflect",
    "memories:delete",
    "stats:read",
    "keys:manage",
]
CHECKS = [
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_schema_conformance,
]


@pytest.mark.parametrize("mode", [GenerationMode.POSITIVE, GenerationMode.NEGATIVE])
def test_any_request_gets_a_documented_answer(server: Server, mode: GenerationMode) -> None:
    key = server.key(SCOPES)
    schema = schemathesis.openapi.from_url(f"{server.url}/openapi.json")
    for found in schema.get_all_operations():
        operation: Any = found.ok()  # type: ignore[union-attr]  # an Err here fails the test
        if mode is GenerationMode.NEGATIVE and not _takes_json(operation):
            continue

        @given(case=operation.as_strategy(generation_mode=mode))
        @settings(
            max_examples=12,
            deadline=None,
            phases=[Phase.explicit, Phase.generate],
            suppress_health_check=list(HealthCheck),
            derandomize=True,
            database=None,
        )
        def send(case: Any) -> None:
            case.call_and_validate(headers={"Authorization": f"Bearer {key}"}, checks=CHECKS)

        send()


def _takes_json(operation: Any) -> bool:
    """Whether there is anything in its schema that a request could get wrong."""
    return any(body.media_type == "application/json" for body in operation.body)
