"""Who looks at a page: the cookies of a browser, and what proves that a form is one of ours."""

from __future__ import annotations

import hashlib
import hmac
from dataclasses import dataclass
from typing import Annotated
from urllib.parse import urlencode, urlsplit

from anyio.to_thread import run_sync
from fastapi import Depends, Request
from starlette.responses import RedirectResponse, Response

from treering.errors import InvalidRequest
from treering.http.addresses import base_url
from treering.http.keys import data_dir_of
from treering.oauth import Parameters
from treering.people import Person
from treering.people.people import SESSION_MS

LOGIN, CONNECTIONS, AUTHORIZE = "/login", "/connections", "/authorize"
_MAY_FOLLOW = frozenset({CONNECTIONS, AUTHORIZE})
"""Where signing in may lead; nowhere else, whatever a link says."""
_SESSION, _VISIT = "treering_session", "treering_visit"


@dataclass(frozen=True, slots=True)
class Visitor:
    """A browser: the person who is signed in with it, and a secret of its own.

    The secret is the session's, or a visit's as long as nobody is signed in.
    """

    base: str
    person: Person | None
    secret: str

    def form_token(self, purpose: str) -> str:
        """What a form for this purpose carries, which no other site can know."""
        return hmac.new(self.secret.encode(), purpose.encode(), hashlib.sha256).hexdigest()

    def check(self, form: Parameters, purpose: str) -> None:
        """Raise InvalidRequest unless a form is one that this browser was given."""
        token = form.get("token") or ""
        if not hmac.compare_digest(token.encode(), self.form_token(purpose).encode()):
            raise InvalidRequest(
                "form: is not one that this browser was given, or is too old; open the page again "
                f"under {self.base} and allow its cookies"
            )

    def remember(self, response: Response, session: str | None = None) -> Response:
        """Have the browser keep a session's secret, or that of the visit."""
        name, value = (_VISIT, self.secret) if session is None else (_SESSION, session)
        response.set_cookie(
            _named(name, self.base),
            value,
            max_age=SESSION_MS // 1000,
            secure=_is_secure(self.base),
            httponly=True,
            samesite="lax",
        )
        return response

    def forget(self, response: Response) -> Response:
        """Have the browser drop the session's secret."""
        response.delete_cookie(
            _named(_SESSION, self.base),
            secure=_is_secure(self.base),
            httponly=True,
            samesite="lax",
        )
        return response


async def visitor_of(request: Request) -> Visitor:
    """Who looks at a page; raises InvalidRequest where the server's address is not known."""
    base = base_url(request)
    people = data_dir_of(request).people
    session = request.cookies.get(_named(_SESSION, base))
    if session:
        lookups = request.app.state.lookups
        person = await run_sync(people.signed_in, session, limiter=lookups)
        if person is not None:
            return Visitor(base, person, session)
    return Visitor(base, None, request.cookies.get(_named(_VISIT, base)) or people.new_visit())


AnyVisitor = Annotated[Visitor, Depends(visitor_of)]


def to_sign_in(follows: str) -> Response:
    """Send someone to sign in, and from there on to a page of ours."""
    return RedirectResponse(f"{LOGIN}?{urlencode({'next': follows})}", 303)


def safe_next(wanted: str | None) -> str:
    """Where to go after signing in: one of our own pages, whatever is asked for."""
    parts = urlsplit(wanted or "")
    if parts.scheme or parts.netloc or parts.path not in _MAY_FOLLOW:
        return CONNECTIONS
    return f"{parts.path}?{parts.query}" if parts.query else parts.path


def _is_secure(base: str) -> bool:
    return base.startswith("https:")


def _named(cookie: str, base: str) -> str:
    """A cookie's name; browsers let no other host or path of a site set one with this prefix."""
    return f"__Host-{cookie}" if _is_secure(base) else cookie
