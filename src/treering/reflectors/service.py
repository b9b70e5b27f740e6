"""A model behind HTTP, its failures said in terms of a model."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Mapping
from typing import Any

import httpx2

from treering import outbound
from treering.errors import InvalidRequest, ModelFailure

TIMEOUT_S = 240.0
"""Two attempts with one correction each stay within a lease of 15 minutes, nearly always."""


class ModelService:
    """One endpoint of a provider: `path` behind its base URL. No error text holds the key."""

    def __init__(
        self,
        base_url: str,
        path: str,
        key: str,
        headers: Mapping[str, str],
        *,
        timeout_s: float = TIMEOUT_S,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        try:
            url = outbound.endpoint(base_url, path)
        except ValueError as error:
            raise InvalidRequest(f"the model's base URL {error}") from None
        patience = outbound.Patience(
            httpx2.Timeout(timeout_s, connect=10.0), 1.0, 30.0, retries_timeouts=False
        )
        self.url = str(url)
        self._service = outbound.Service(url, key, headers, patience, sleep)

    def post(self, body: object) -> Any:
        """The JSON that the service answers; raises ModelFailure."""
        try:
            content = self._service.post(body)
        except outbound.TooSlow as error:
            raise ModelFailure(
                f"The model at {self.url} did not answer in time; try smaller batches."
            ) from error
        except outbound.Unreachable as error:
            raise ModelFailure(
                f"The model at {self.url} {error}; is the service running and its base URL right?"
            ) from error
        except outbound.ServiceError as error:
            raise ModelFailure(f"The model at {self.url} {error}.") from error
        try:
            return json.loads(content)
        except (ValueError, RecursionError) as error:
            raise ModelFailure(f"The model at {self.url} did not answer with JSON.") from error


def checked_key(name: str, key: str) -> str:
    """`key`, if it can be one; raises InvalidRequest that names the variable and not its value."""
    try:
        return outbound.checked_key(key)
    except ValueError as error:
        raise InvalidRequest(f"{name}: {error}") from None
