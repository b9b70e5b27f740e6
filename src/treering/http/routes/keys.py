"""`/v1/keys`: the keys of an account."""

from __future__ import annotations

from typing import Annotated, Literal

from fastapi import APIRouter, Request
from pydantic import BaseModel, ConfigDict, Field
from starlette.responses import Response

from treering.access import KEYS
from treering.http.call import AnyGrant, json_response
from treering.http.keys import data_dir_of
from treering.http.responses import answers, example
from treering.http.route import KeyedRoute, needs
from treering.replies import KeyReply, KeysReply, RevokedReply

router = APIRouter(prefix="/v1/keys", tags=["keys"], route_class=KeyedRoute)


class KeyRequest(BaseModel):
    """A new key."""

    model_config = ConfigDict(strict=True, frozen=True, extra="forbid")

    name: str = ""
    vault: Literal["new", "same"] = Field(
        default="new", description="A private vault of its own, or the vault of the key that asks."
    )
    scopes: Annotated[list[str], Field(max_length=32)] | None = None
    expires_in_days: Annotated[int, Field(ge=1, le=3650)] | None = None


@router.post("", status_code=201, responses=answers(KeyReply, status=201))
@needs(KEYS)
def create(
    body: Annotated[KeyRequest, example(name="user-123")],
    grant: AnyGrant,
    request: Request,
) -> Response:
    """Make a key; it is shown this once. It holds no scope that the asking key lacks.

    It ends when the asking key does.
    """
    reply = data_dir_of(request).create_key(
        name=body.name,
        vault_id=grant.vault_id if body.vault == "same" else None,
        scopes=body.scopes,
        expires_in_days=body.expires_in_days,
        granted_by=grant,
    )
    return json_response(reply, 201)


@router.get("", responses=answers(KeysReply))
@needs(KEYS)
def list_keys(grant: AnyGrant, request: Request) -> Response:
    """List the account's keys."""
    return json_response(data_dir_of(request).keys(grant.account_id))


@router.delete("/{key_id}", responses=answers(RevokedReply, 404))
@needs(KEYS)
def revoke(key_id: str, grant: AnyGrant, request: Request) -> Response:
    """Revoke a key, and all that were made with it, at once."""
    return json_response(data_dir_of(request).revoke_key(key_id, grant.account_id))
