"""A model behind HTTP: one POST, tried once more when the failure may pass."""

from __future__ import annotations

import json
import math
import time
from collections.abc import Callable, Mapping
from typing import Any

import httpx2

from treering.errors import InvalidRequest, ModelFailure

TIMEOUT_S = 240.0
"""Two attempts with one correction each stay within a lease of 15 minutes, nearly always."""

_RETRY_STATUSES = frozenset({408, 429, 500, 502, 503, 504, 529})
_RETRY_WAIT_S = 1.0
_LONGEST_WAIT_S = 30.0
_DETAIL_CHARACTERS = 300


class ModelService:
    """One endpoint of a provider. No error text holds the key; redirects are not followed."""

    def __init__(
        self,
        url: str,
        key: str,
        headers: Mapping[str, str],
        *,
        timeout_s: float = TIMEOUT_S,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self.url = _checked(url)
        self._key = key
        self._sleep = sleep
        self._client = httpx2.Client(
            headers=dict(headers),
            timeout=httpx2.Timeout(timeout_s, connect=10.0),
            follow_redirects=False,
        )

    def post(self, body: object) -> Any:
        """The JSON that the service answers; raises ModelFailure."""
        content = json.dumps(body).encode("ascii")
        response = self._attempt(content)
        if response is None or response.status_code in _RETRY_STATUSES:
            self._sleep(_wait_asked_for(response))
            response = self._attempt(content, last=True)
        assert response is not None
        if not response.is_success:
            raise ModelFailure(f"The model at {self.url} answered {self._refusal(response)}")
        try:
            return json.loads(response.content)
        except ValueError as error:
            raise ModelFailure(f"The model at {self.url} did not answer with JSON.") from error

    def _attempt(self, content: bytes, *, last: bool = False) -> httpx2.Response | None:
        """The response; None when there was none and this was not the last attempt."""
        try:
            return self._client.post(
                self.url, content=content, headers={"Content-Type": "application/json"}
            )
        except httpx2.TimeoutException as error:
            raise ModelFailure(
                f"The model at {self.url} did not answer in time; try smaller batches."
            ) from error
        except httpx2.TransportError as error:
            if not last:
                return None
            raise ModelFailure(
                f"The model at {self.url} can't be reached ({type(error).__name__}); is the "
                "service running and its base URL right?"
            ) from error

    def _refusal(self, response: httpx2.Response) -> str:
        status = response.status_code
        if response.is_redirect:
            return f"{status}: redirects are not followed; set the base URL it points to."
        if status in (401, 403):
            return f"{status}: the API key is missing, wrong or not allowed this model."
        detail = _detail(response.content)
        if self._key:
            detail = detail.replace(self._key, "[key]")
        return f"{status}: {detail[:_DETAIL_CHARACTERS]}" if detail else f"{status}."


def checked_key(name: str, key: str) -> str:
    """`key`, if it can be one; raises InvalidRequest that names the variable and not its value."""
    # Refused here, because the HTTP library's own error would quote it.
    if not (key.isascii() and key.isprintable() and " " not in key):
        raise InvalidRequest(f"{name}: holds characters that no key has")
    return key


def _checked(url: str) -> str:
    try:
        parsed = httpx2.URL(url)
    except httpx2.InvalidURL:
        raise InvalidRequest("the model's base URL is not a URL") from None
    if parsed.scheme not in ("http", "https") or not parsed.host or parsed.userinfo:
        raise InvalidRequest("the model's base URL must be http(s)://host/…, without a user in it")
    return url


def _detail(content: bytes) -> str:
    """The message of a provider's error, which OpenAI and Anthropic put in the same place."""
    try:
        body = json.loads(content)
    except ValueError:
        return ""
    error = body.get("error") if isinstance(body, dict) else None
    message = error.get("message") if isinstance(error, dict) else error
    return message if isinstance(message, str) else ""


def _wait_asked_for(response: httpx2.Response | None) -> float:
    """Seconds of Retry-After, within 0 to 30; a date or nonsense counts as no header."""
    asked = response.headers.get("Retry-After", "") if response is not None else ""
    try:
        seconds = float(asked)
    except ValueError:
        return _RETRY_WAIT_S
    return min(max(seconds, 0.0), _LONGEST_WAIT_S) if math.isfinite(seconds) else _RETRY_WAIT_S
