"""A browser without a screen: it keeps cookies, reads forms, fills them in and sends them."""

from __future__ import annotations

from dataclasses import dataclass, field
from html.parser import HTMLParser
from typing import Any
from urllib.parse import parse_qs, urlsplit

import httpx2

Fields = list[tuple[str, str]]


@dataclass
class Form:
    """A form of a page: where it goes, what it holds, and what its buttons would add."""

    action: str
    fields: Fields = field(default_factory=list)
    buttons: Fields = field(default_factory=list)
    choices: dict[str, list[str]] = field(default_factory=dict)

    def value(self, name: str) -> str:
        """What the form holds under a name."""
        return dict(self.fields)[name]

    def filled(self, **values: str | list[str]) -> Fields:
        """The form's fields with some of them changed; a list stands for boxes that are ticked."""
        kept = [(name, value) for name, value in self.fields if name not in values]
        for name, value in values.items():
            kept += [(name, each) for each in ([value] if isinstance(value, str) else value)]
        return kept


class _Forms(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.forms: list[Form] = []
        self._select: str | None = None

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        name, value = given.get("name") or "", given.get("value") or ""
        if tag == "form":
            assert (given["method"] or "").lower() == "post"
            self.forms.append(Form(given["action"] or ""))
        elif tag == "input" and name:
            if given.get("type") != "checkbox" or "checked" in given:
                self.forms[-1].fields.append((name, value))
        elif tag == "button" and name:
            self.forms[-1].buttons.append((name, value))
        elif tag == "select":
            self._select = name
        elif tag == "option" and self._select is not None:
            choices = self.forms[-1].choices.setdefault(self._select, [])
            if not choices:
                self.forms[-1].fields.append((self._select, value))
            choices.append(value)

    def handle_endtag(self, tag: str) -> None:
        if tag == "select":
            self._select = None


def forms_in(response: httpx2.Response) -> list[Form]:
    """The forms of a page."""
    parser = _Forms()
    parser.feed(response.text)
    return parser.forms


def form_to(response: httpx2.Response, action: str) -> Form:
    """The form of a page that goes to `action`."""
    (found,) = (form for form in forms_in(response) if form.action == action)
    return found


def answered(response: httpx2.Response) -> dict[str, str]:
    """The parameters of the address that a response leads to."""
    query = parse_qs(urlsplit(response.headers["location"]).query, strict_parsing=True)
    return {name: values[0] for name, values in query.items()}


class Browser:
    """Someone's browser at one server. Redirects are followed by whoever asks for that."""

    def __init__(self, base: str) -> None:
        self.base = base
        self.client = httpx2.Client(base_url=base)

    def get(self, url: str, **options: Any) -> httpx2.Response:
        """Open a page."""
        return self.client.get(url, **options)

    def send(self, form: Form, fields: Fields) -> httpx2.Response:
        """Send a form with these fields."""
        return self.client.post(form.action, data=_grouped(fields))

    def sign_in(self, name: str, password: str, page: str = "/login") -> httpx2.Response:
        """Fill in the sign-in form of a page, and send it."""
        form = form_to(self.get(page), "/login")
        return self.send(form, form.filled(name=name, password=password))

    def answer(self, url: str, button: str = "allow", **values: str | list[str]) -> httpx2.Response:
        """Open a consent page, fill it in, and press a button of it; the first vault will do."""
        form = self.question(url)
        assert ("answer", button) in form.buttons
        return self.send(form, [*form.filled(**values), ("answer", button)])

    def question(self, url: str) -> Form:
        """The form of a consent page, with the first vault chosen."""
        form = form_to(self.get(url), "/authorize/answer")
        form.fields = form.filled(vault=next(filter(None, form.choices["vault"])))
        return form

    def close(self) -> None:
        """Close the window; the cookies are gone."""
        self.client.close()


def _grouped(fields: Fields) -> dict[str, list[str]]:
    grouped: dict[str, list[str]] = {}
    for name, value in fields:
        grouped.setdefault(name, []).append(value)
    return grouped
