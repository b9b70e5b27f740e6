"""What this server is called from outside, and who calls."""

from __future__ import annotations

import ipaddress

from fastapi import Request

from treering.errors import InvalidRequest
from treering.settings import Settings, is_loopback

MCP_PATH = "/mcp"
RESOURCE_METADATA_PATH = f"/.well-known/oauth-protected-resource{MCP_PATH}"


def base_url(request: Request) -> str:
    """The server's own address, without a last slash; it is also the issuer of its tokens.

    It is what the operator set. Only on this computer the request's Host is believed instead:
    elsewhere anyone can put anything there. Raises InvalidRequest.
    """
    settings: Settings = request.app.state.settings
    if settings.public_url:
        return settings.public_url
    host = request.headers.get("host", "").lower()
    if not is_loopback(host):
        raise InvalidRequest(
            "Host: signing in works on this computer alone until TREERING_PUBLIC_URL says how "
            "others reach the server"
        )
    return f"{request.scope['scheme']}://{host}"


def resource_url(request: Request) -> str:
    """The canonical URL of the MCP endpoint, which OAuth's tokens are made for (RFC 8707)."""
    return base_url(request) + MCP_PATH


def audience_of(request: Request) -> str | None:
    """What access tokens must be made for to hold here; None where none does."""
    if request.scope["path"].removesuffix("/") != MCP_PATH:
        return None
    try:
        return resource_url(request)
    except InvalidRequest:
        return None


def challenge_of(request: Request) -> str:
    """`WWW-Authenticate` of a refusal; on MCP it says where to learn how to sign in (RFC 9728)."""
    if audience_of(request) is None:
        return "Bearer"
    return f'Bearer resource_metadata="{base_url(request)}{RESOURCE_METADATA_PATH}"'


def address_of(request: Request) -> str:
    """Where a request comes from, for counting: an IPv6 address is as good as its /64."""
    host = request.client.host if request.client else ""
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        return ""
    if address.version == 4:
        return host
    return str(ipaddress.ip_network((address, 64), strict=False))
