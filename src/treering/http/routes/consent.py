"""`/authorize`: a person reads what a program asks for, and allows it or not (OAuth 2.1, 4.1)."""

from __future__ import annotations

from dataclasses import dataclass

from fastapi import APIRouter, Request, Response
from starlette.responses import RedirectResponse

from treering import access
from treering.data_dir import DataDir
from treering.errors import InvalidRequest
from treering.http.addresses import base_url, resource_url
from treering.http.forms import AnyForm, query_of
from treering.http.keys import data_dir_of
from treering.http.pages.page import PageRoute, page
from treering.http.pages.visitor import AUTHORIZE, AnyVisitor, Visitor, to_sign_in
from treering.oauth import Asked, Choice, OAuthProblem, Parameters, asked_by, shown_place
from treering.people import Person

router = APIRouter(route_class=PageRoute, include_in_schema=False)

_MOST_CHARACTERS = 8_192
_NEW = "new"

SCOPES_IN_WORDS = {
    access.READ: "Search and read everything that is in the vault",
    access.WRITE: "Store new memories and change what they say",
    access.REFLECT: "Write reflections: summaries over what is stored",
    access.DELETE: "Delete memories for good",
    access.STATS: "See how much is stored and used",
}

_GRAVE = frozenset({access.DELETE})
"""What a person ticks themselves, apart from the rest: it can't be made undone."""


@dataclass(frozen=True, slots=True)
class _Question:
    """A request as it stands in the address, and whom it is put to."""

    query: str
    asked: Asked
    visitor: Visitor
    person: Person

    @property
    def purpose(self) -> str:
        """A form answers the very request that it showed, and no other."""
        return f"{AUTHORIZE}?{self.query}"


@router.get(AUTHORIZE)
def ask(request: Request, visitor: AnyVisitor) -> Response:
    """Show what is asked for, to someone who is signed in."""
    question = _question(request, visitor, query_of(request))
    return question if isinstance(question, Response) else _page(question, data_dir_of(request))


@router.post(f"{AUTHORIZE}/answer")
def answer(form: AnyForm, visitor: AnyVisitor, request: Request) -> Response:
    """Send the person back to the program with a code, or with a no."""
    question = _question(request, visitor, form.need("request"))
    if isinstance(question, Response):
        return question
    visitor.check(form, question.purpose)
    to = question.asked.to
    if form.need("answer") != "allow":
        return _back(to.with_problem(OAuthProblem("access_denied", "the person said no")))
    storage = data_dir_of(request)
    try:
        code = storage.connections.allow(question.person, question.asked, _choice(form))
    except InvalidRequest as error:
        return _page(question, storage, error)
    return _back(to.with_code(code))


def _question(request: Request, visitor: Visitor, query: str) -> _Question | Response:
    """What is asked, or the page that stands in its way.

    Anyone can register a client, so nobody is sent to one for an error: a redirect would let a link
    to this server lead anywhere (RFC 9700, 4.11.2). The page has a way back for the person to take.
    """
    if len(query) > _MOST_CHARACTERS:
        raise InvalidRequest(f"request: is longer than {_MOST_CHARACTERS:,} characters")
    parameters = Parameters.parse(query)
    to = data_dir_of(request).clients.return_address(parameters, base_url(request))
    if visitor.person is None:
        return to_sign_in(f"{AUTHORIZE}?{query}")
    try:
        asked = asked_by(parameters, to, resource_url(request))
    except OAuthProblem as problem:
        place = shown_place(to.redirect_uri)
        way_back = {"url": to.with_problem(problem), "place": place}
        return page("error.html", 400, said=[problem.description], way_back=way_back)
    return _Question(query, asked, visitor, visitor.person)


def _choice(form: Parameters) -> Choice:
    vault = form.get("vault")
    if vault is None:
        raise InvalidRequest("vault: choose one of yours, or a new one")
    return Choice(
        vault_id=None if vault == _NEW else vault,
        new_vault=form.get("new_vault") or "",
        scopes=frozenset(form.all("scope")),
    )


def _page(question: _Question, storage: DataDir, problem: InvalidRequest | None = None) -> Response:
    asked, visitor = question.asked, question.visitor
    return page(
        "consent.html",
        400 if problem else 200,
        leaves=True,
        person=question.person,
        problem="; ".join(problem.issues) if problem else "",
        client=asked.to.client.name,
        place=shown_place(asked.to.redirect_uri),
        redirect_uri=asked.to.redirect_uri,
        scopes=[(scope, SCOPES_IN_WORDS[scope], scope in _GRAVE) for scope in asked.scopes],
        vaults=storage.vaults(question.person.account_id),
        request=question.query,
        token=visitor.form_token(question.purpose),
        logout_token=visitor.form_token("/logout"),
    )


def _back(url: str) -> Response:
    """Back to the client; 303, so that nothing posted here is posted there (RFC 9700, 4.12)."""
    return RedirectResponse(url, 303)
