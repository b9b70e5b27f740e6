"""OAuth 2.1: how programs elsewhere get a person's leave to use a vault at `/mcp`."""

from treering.oauth.asked import Asked, asked_by
from treering.oauth.clients import Clients, Registration, ReturnAddress
from treering.oauth.connections import (
    ACCESS_TOKEN_MS,
    Choice,
    Connections,
    Tokens,
    is_access_token,
)
from treering.oauth.parameters import Parameters
from treering.oauth.problems import OAuthProblem
from treering.oauth.redirects import shown_place

__all__ = [
    "ACCESS_TOKEN_MS",
    "Asked",
    "Choice",
    "Clients",
    "Connections",
    "OAuthProblem",
    "Parameters",
    "Registration",
    "ReturnAddress",
    "Tokens",
    "asked_by",
    "is_access_token",
    "shown_place",
]
