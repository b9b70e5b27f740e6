"""`/connections`: a person sees which programs may use the account's vaults, and ends it."""

from __future__ import annotations

from fastapi import APIRouter, Request, Response
from starlette.responses import RedirectResponse

from treering.http.forms import AnyForm
from treering.http.keys import data_dir_of
from treering.http.pages.page import PageRoute, page
from treering.http.pages.visitor import CONNECTIONS, AnyVisitor, to_sign_in
from treering.http.routes.consent import SCOPES_IN_WORDS
from treering.oauth import shown_place
from treering.rules.instants import to_iso

router = APIRouter(route_class=PageRoute, include_in_schema=False)


@router.get(CONNECTIONS)
def show(request: Request, visitor: AnyVisitor) -> Response:
    """List the account's connections."""
    if visitor.person is None:
        return to_sign_in(CONNECTIONS)
    connections = data_dir_of(request).connections
    rows = [
        {
            "id": each.id,
            "client": each.client,
            "place": shown_place(each.redirect_uri),
            "vault": each.vault or each.vault_id,
            "person": each.person,
            "scopes": [words for scope, words in SCOPES_IN_WORDS.items() if scope in each.scopes],
            "created": _day(each.created),
            "last_used": _day(connections.last_used(each)),
            "token": visitor.form_token(_revoking(each.id)),
        }
        for each in connections.listed(visitor.person.account_id)
    ]
    logout_token = visitor.form_token("/logout")
    return page("connections.html", person=visitor.person, rows=rows, logout_token=logout_token)


@router.post(f"{CONNECTIONS}/revoke")
def revoke(form: AnyForm, visitor: AnyVisitor, request: Request) -> Response:
    """End a connection at once."""
    connection_id = form.need("id")
    if visitor.person is None:
        return to_sign_in(CONNECTIONS)
    visitor.check(form, _revoking(connection_id))
    data_dir_of(request).connections.revoke(connection_id, visitor.person.account_id)
    return RedirectResponse(CONNECTIONS, 303)


def _revoking(connection_id: str) -> str:
    return f"{CONNECTIONS}/revoke {connection_id}"


def _day(instant: int | None) -> str:
    return "never" if instant is None else to_iso(instant)[:16].replace("T", " ") + " UTC"
