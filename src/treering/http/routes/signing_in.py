"""`/login`, `/logout`: people sign in by name and password."""

from __future__ import annotations

from functools import partial

from anyio.to_thread import run_sync
from fastapi import APIRouter, Request, Response
from starlette.responses import RedirectResponse

from treering.errors import RateLimited, Unauthorized
from treering.http.addresses import address_of
from treering.http.forms import AnyForm
from treering.http.keys import data_dir_of
from treering.http.pages.page import STYLE, PageRoute, page
from treering.http.pages.visitor import LOGIN, AnyVisitor, Visitor, safe_next

router = APIRouter(route_class=PageRoute, include_in_schema=False)


@router.get("/pages.css")
def style() -> Response:
    """The pages' one stylesheet."""
    return Response(STYLE, 200, {"Cache-Control": "max-age=3600"}, "text/css")


@router.get(LOGIN)
def form(request: Request, visitor: AnyVisitor) -> Response:
    """Show the form, or go on where someone is signed in already."""
    follows = safe_next(request.query_params.get("next"))
    if visitor.person is not None:
        return RedirectResponse(follows, 303)
    return _form(visitor, follows)


@router.post(LOGIN)
async def sign_in(form: AnyForm, visitor: AnyVisitor, request: Request) -> Response:
    """Sign in, and go on."""
    visitor.check(form, LOGIN)
    follows = safe_next(form.get("next"))
    name, password = form.get("name") or "", form.get("password") or ""
    attempt = partial(data_dir_of(request).people.sign_in, name, password, address_of(request))
    try:
        session = await run_sync(attempt, limiter=request.app.state.sign_ins)
    except Unauthorized as error:
        return _form(visitor, follows, 403, name=name, problem=error.message)
    except RateLimited as error:
        response = _form(visitor, follows, 429, name=name, problem=error.message)
        response.headers["Retry-After"] = str(error.extra["retry_after"])
        return response
    return visitor.remember(RedirectResponse(follows, 303), session)


@router.post("/logout")
def sign_out(form: AnyForm, visitor: AnyVisitor, request: Request) -> Response:
    """Sign out, at once and for good."""
    visitor.check(form, "/logout")
    data_dir_of(request).people.sign_out(visitor.secret)
    return visitor.forget(RedirectResponse(LOGIN, 303))


def _form(
    visitor: Visitor, follows: str, status: int = 200, *, name: str = "", problem: str = ""
) -> Response:
    token = visitor.form_token(LOGIN)
    shown = page("login.html", status, next=follows, name=name, problem=problem, token=token)
    return visitor.remember(shown)
