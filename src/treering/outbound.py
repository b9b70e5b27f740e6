"""A POST to somebody else's service: URL and key checked, tried once more, never redirected."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass

import httpx2

_RETRY_STATUSES = frozenset({408, 429, 500, 502, 503, 504, 529})
_DETAIL_CHARACTERS = 300


class ServiceError(Exception):
    """A service refused; the text says how, as what follows its name, without the key."""


class Unreachable(ServiceError):
    """A service could not be asked."""


class TooSlow(Unreachable):
    """A service did not answer in time."""


@dataclass(frozen=True, slots=True)
class Patience:
    """How long a service is waited for, in seconds.

    Before the second attempt it is `wait_s`, or what `Retry-After` says up to `longest_wait_s`.
    """

    timeout: httpx2.Timeout
    wait_s: float
    longest_wait_s: float
    retries_timeouts: bool


def endpoint(base_url: str, path: str) -> httpx2.URL:
    """`base_url` with `path` behind its own, its query kept; raises ValueError."""
    try:
        base = httpx2.URL(base_url)
    except httpx2.InvalidURL as error:
        raise ValueError("is not a URL") from error
    if base.scheme not in ("http", "https") or not base.host or base.userinfo:
        raise ValueError("must be http(s)://host/…, without a user in it")
    return base.copy_with(path=base.path.rstrip("/") + path)


def checked_key(key: str) -> str:
    """`key`, if it can be one; raises ValueError that does not quote it."""
    # Refused here, because the HTTP library's own error would quote it.
    if not (key.isascii() and key.isprintable() and " " not in key):
        raise ValueError("holds characters that no key has")
    return key


class Service:
    """One endpoint of a service.

    A failure that may pass (no connection, 408, 429, 5xx) is tried once more. Redirects are not
    followed: they would take the key and the texts elsewhere.
    """

    def __init__(
        self,
        url: httpx2.URL,
        key: str,
        headers: Mapping[str, str],
        patience: Patience,
        sleep: Callable[[float], None],
    ) -> None:
        self.url = url
        self._key = key
        self._patience = patience
        self._sleep = sleep
        self._client = httpx2.Client(
            headers={"Content-Type": "application/json", **headers},
            timeout=patience.timeout,
            follow_redirects=False,
        )

    @property
    def is_closed(self) -> bool:
        """Whether it was closed, after which nothing may be asked."""
        return self._client.is_closed

    def close(self) -> None:
        """Close the connections."""
        self._client.close()

    def post(self, body: object) -> bytes:
        """What the service answers to `body` as JSON; raises ServiceError."""
        content = json.dumps(body).encode("ascii")
        try:
            response = self._answer(content)
        except httpx2.TimeoutException as error:
            raise TooSlow(f"can't be reached ({type(error).__name__})") from error
        except httpx2.RequestError as error:
            raise Unreachable(f"can't be reached ({type(error).__name__})") from error
        if not response.is_success:
            raise ServiceError(f"answered {self._refusal(response)}")
        return response.content

    def _answer(self, content: bytes) -> httpx2.Response:
        try:
            response = self._client.post(self.url, content=content)
        except httpx2.TransportError as error:
            is_slow = isinstance(error, httpx2.TimeoutException)
            if is_slow and not self._patience.retries_timeouts:
                raise
            wait = self._patience.wait_s
        else:
            if response.status_code not in _RETRY_STATUSES:
                return response
            wait = self._wait_asked_for(response)
        self._sleep(wait)
        return self._client.post(self.url, content=content)

    def _wait_asked_for(self, response: httpx2.Response) -> float:
        """Seconds of Retry-After within bounds; a date or nonsense counts as no header."""
        try:
            asked = float(response.headers.get("Retry-After", ""))
        except ValueError:
            return self._patience.wait_s
        if not math.isfinite(asked):
            return self._patience.wait_s
        return min(max(asked, 0.0), self._patience.longest_wait_s)

    def _refusal(self, response: httpx2.Response) -> str:
        status = response.status_code
        if response.is_redirect:
            return f"{status}: redirects are not followed; set the base URL it points to"
        if status in (401, 403):
            return f"{status}: the API key is missing, wrong or not allowed this model"
        detail = _detail(response.content)
        if self._key:
            detail = detail.replace(self._key, "[key]")
        return f"{status}: {detail[:_DETAIL_CHARACTERS].rstrip('.')}" if detail else str(status)


def _detail(content: bytes) -> str:
    """The message of an error, which OpenAI and Anthropic put in the same place."""
    try:
        body = json.loads(content)
    except (ValueError, RecursionError):
        return ""
    error = body.get("error") if isinstance(body, dict) else None
    message = error.get("message") if isinstance(error, dict) else error
    return message if isinstance(message, str) else ""
