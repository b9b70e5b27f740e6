"""An authorization request, checked: what a client asks a person for."""

from __future__ import annotations

import re
from dataclasses import dataclass

from treering.access import OAUTH_SCOPES
from treering.errors import InvalidRequest
from treering.oauth.clients import ReturnAddress
from treering.oauth.parameters import Parameters
from treering.oauth.problems import OAuthProblem

_CHALLENGE = re.compile(r"[A-Za-z0-9_-]{43}")
"""A SHA-256 in base64url (RFC 7636, 4.2)."""


@dataclass(frozen=True, slots=True)
class Asked:
    """What is asked for: some scopes, at one resource, proven later by the challenge's verifier."""

    to: ReturnAddress
    scopes: tuple[str, ...]
    challenge: str
    resource: str


def asked_by(request: Parameters, to: ReturnAddress, resource: str) -> Asked:
    """What a request asks for; raises OAuthProblem, which may be sent to its return address.

    `resource` is the one that this server protects.
    """
    try:
        _check_response(request)
        challenge = _challenge(request)
    except InvalidRequest as error:
        raise OAuthProblem("invalid_request", "; ".join(error.issues)) from None
    check_resource(request, resource)
    return Asked(to, _scopes(request), challenge, resource)


def check_resource(request: Parameters, resource: str) -> None:
    """Raise OAuthProblem when a token for somewhere else is asked for (RFC 8707, section 2).

    Left out it means the one resource that there is.
    """
    for named in request.all("resource"):
        if named.removesuffix("/") != resource:
            raise OAuthProblem("invalid_target", f"tokens of this server are for {resource} alone")


def _check_response(request: Parameters) -> None:
    if len(request.all("state")) > 1:
        raise InvalidRequest("state: is there more than once")
    if request.need("response_type") != "code":
        raise OAuthProblem("unsupported_response_type", "response_type must be code")
    if request.get("response_mode") not in (None, "query"):
        raise InvalidRequest("response_mode: must be query")


def _challenge(request: Parameters) -> str:
    """The challenge; one without a method would be plain, which is refused (OAuth 2.1, 7.5.1)."""
    challenge = request.need("code_challenge")
    if request.get("code_challenge_method") != "S256":
        raise InvalidRequest("code_challenge_method: must be S256")
    if not _CHALLENGE.fullmatch(challenge):
        raise InvalidRequest("code_challenge: must be a SHA-256 in base64url")
    return challenge


def _scopes(request: Parameters) -> tuple[str, ...]:
    """What is asked for and may be had; what is not known here is passed over (RFC 6749, 3.3)."""
    wanted = " ".join(request.all("scope")).split()
    scopes = tuple(scope for scope in OAUTH_SCOPES if scope in wanted) if wanted else OAUTH_SCOPES
    if not scopes:
        raise OAuthProblem("invalid_scope", f"scopes are some of {' '.join(OAUTH_SCOPES)}")
    return scopes
