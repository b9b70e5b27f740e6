"""OAuth's endpoints for programs: metadata, registration, tokens and revocation."""

from __future__ import annotations

import json
from collections.abc import Callable, Coroutine
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Request, Response
from fastapi.routing import APIRoute
from pydantic import BaseModel, ConfigDict, ValidationError

from treering.access import OAUTH_SCOPES
from treering.errors import InvalidRequest, PayloadTooLarge, RateLimited
from treering.http.addresses import (
    RESOURCE_METADATA_PATH,
    address_of,
    base_url,
    resource_url,
)
from treering.http.forms import AnyForm, small_body
from treering.http.keys import data_dir_of
from treering.oauth import ACCESS_TOKEN_MS, OAuthProblem, Parameters, Registration, Tokens
from treering.requests import issues_of

_HEADERS = {
    "Cache-Control": "no-store",
    # Programs that run in a browser read these too; no cookie has a meaning here.
    "Access-Control-Allow-Origin": "*",
}
_PREFLIGHT = {
    **_HEADERS,
    "Access-Control-Allow-Methods": "GET, POST",
    "Access-Control-Allow-Headers": "Authorization, Content-Type, MCP-Protocol-Version",
    "Access-Control-Max-Age": "600",
}


class _OAuthRoute(APIRoute):
    """A route that answers errors in OAuth's own words."""

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        handle = super().get_route_handler()

        async def answer(request: Request) -> Response:
            try:
                return await handle(request)
            except OAuthProblem as problem:
                return _refusal(problem)
            except RateLimited as error:
                too_many = OAuthProblem("temporarily_unavailable", error.message, error.status)
                response = _refusal(too_many)
                response.headers["Retry-After"] = str(error.extra["retry_after"])
                return response
            except (InvalidRequest, PayloadTooLarge) as error:
                return _refusal(OAuthProblem("invalid_request", error.message, error.status))

        return answer


router = APIRouter(route_class=_OAuthRoute, include_in_schema=False)


class _Metadata(BaseModel):
    """What a program says of itself when it registers (RFC 7591, section 2)."""

    model_config = ConfigDict(extra="ignore")

    redirect_uris: list[str]
    client_name: str | None = None
    grant_types: list[str] = ["authorization_code"]
    response_types: list[str] = ["code"]


@router.get(RESOURCE_METADATA_PATH)
@router.get("/.well-known/oauth-protected-resource")
def protected_resource(request: Request) -> Response:
    """What protects the MCP endpoint (RFC 9728)."""
    return _json(
        {
            "resource": resource_url(request),
            "authorization_servers": [base_url(request)],
            "scopes_supported": OAUTH_SCOPES,
            "bearer_methods_supported": ["header"],
            "resource_name": "Treering",
        }
    )


@router.get("/.well-known/oauth-authorization-server")
@router.get("/.well-known/openid-configuration")
def authorization_server(request: Request) -> Response:
    """How to sign in (RFC 8414)."""
    issuer = base_url(request)
    return _json(
        {
            "issuer": issuer,
            "authorization_endpoint": f"{issuer}/authorize",
            "token_endpoint": f"{issuer}/token",
            "registration_endpoint": f"{issuer}/register",
            "revocation_endpoint": f"{issuer}/revoke",
            "scopes_supported": OAUTH_SCOPES,
            "response_types_supported": ["code"],
            "response_modes_supported": ["query"],
            "grant_types_supported": ["authorization_code", "refresh_token"],
            "token_endpoint_auth_methods_supported": ["none"],
            "revocation_endpoint_auth_methods_supported": ["none"],
            "code_challenge_methods_supported": ["S256"],
            "authorization_response_iss_parameter_supported": True,
        }
    )


@router.post("/register")
def register(body: Annotated[bytes, Depends(small_body)], request: Request) -> Response:
    """Take in a new client (RFC 7591)."""
    base_url(request)
    metadata = _metadata(body)
    client = data_dir_of(request).clients.register(
        Registration(metadata.redirect_uris, metadata.client_name or ""), address_of(request)
    )
    # A secret that anyone can ask for proves nothing, so every client is a public one, whatever it
    # asked for; the answer says so (RFC 7591, section 3.2.1).
    return _json(
        {
            "client_id": client.id,
            "client_id_issued_at": client.created // 1000,
            "client_name": client.name,
            "redirect_uris": client.redirect_uris,
            "grant_types": ["authorization_code", "refresh_token"],
            "response_types": ["code"],
            "token_endpoint_auth_method": "none",
            "scope": " ".join(OAUTH_SCOPES),
        },
        201,
    )


@router.post("/token")
def token(form: AnyForm, request: Request) -> Response:
    """Exchange a code, or a refresh token, for new tokens (OAuth 2.1, section 3.2)."""
    storage = data_dir_of(request)
    client = storage.clients.known(form.get("client_id"))
    grants: dict[str, Callable[[str, Parameters, str], Tokens]] = {
        "authorization_code": storage.connections.exchange,
        "refresh_token": storage.connections.refresh,
    }
    grant = grants.get(form.need("grant_type"))
    if grant is None:
        raise OAuthProblem("unsupported_grant_type", f"grant_type must be {' or '.join(grants)}")
    tokens = grant(client.id, form, resource_url(request))
    return _json(
        {
            "access_token": tokens.access,
            "token_type": "Bearer",
            "expires_in": ACCESS_TOKEN_MS // 1000,
            "refresh_token": tokens.refresh,
            "scope": " ".join(scope for scope in OAUTH_SCOPES if scope in tokens.scopes),
        }
    )


@router.post("/revoke")
def revoke(form: AnyForm, request: Request) -> Response:
    """End a token at its client's wish (RFC 7009)."""
    storage = data_dir_of(request)
    client = storage.clients.known(form.get("client_id"))
    storage.connections.end(client.id, form.need("token"))
    return Response(headers=_HEADERS)


@router.options(RESOURCE_METADATA_PATH)
@router.options("/.well-known/oauth-protected-resource")
@router.options("/.well-known/oauth-authorization-server")
@router.options("/.well-known/openid-configuration")
@router.options("/register")
@router.options("/token")
@router.options("/revoke")
def preflight() -> Response:
    """Let programs in browsers ask."""
    return Response(status_code=204, headers=_PREFLIGHT)


def _metadata(body: bytes) -> _Metadata:
    try:
        metadata = _Metadata.model_validate_json(body)
    except ValidationError as error:
        raise OAuthProblem("invalid_client_metadata", "; ".join(issues_of(error))) from None
    if "authorization_code" not in metadata.grant_types or "code" not in metadata.response_types:
        raise OAuthProblem(
            "invalid_client_metadata", "grant_types need authorization_code, response_types code"
        )
    return metadata


def _refusal(problem: OAuthProblem) -> Response:
    described = {"error": problem.code, "error_description": problem.description}
    return _json(described, problem.status)


def _json(body: dict[str, Any], status: int = 200) -> Response:
    content = json.dumps(body, separators=(",", ":")).encode("ascii")
    return Response(content, status, _HEADERS, "application/json")
