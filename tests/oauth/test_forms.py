"""Forms and pages: forged, swapped, framed."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.oauth.browser import Browser, Form, form_to, forms_in
from tests.oauth.conftest import NAME, PASSWORD, Host, Signed

EVIL = "https://evil.example/cb"


def _posts(host: Host, browser: Browser, signed: Signed) -> list[Form]:
    """One form of every kind that a signed-in person sends."""
    page = browser.get("/connections")
    return [
        browser.question(host.authorize_url(signed.client_id)),
        next(form for form in forms_in(page) if form.action == "/connections/revoke"),
        form_to(page, "/logout"),
    ]


@pytest.mark.promise("oauth.csrf")
def test_a_form_that_this_browser_was_not_given_does_nothing(
    host: Host, browser: Browser, signed: Signed, new_browser: Callable[[], Browser]
) -> None:
    other = new_browser()
    other.sign_in(NAME, PASSWORD)
    mine = _posts(host, browser, signed)
    for form, theirs in zip(mine, _posts(host, other, signed), strict=True):
        for token in ("", "0" * 64, "é", theirs.value("token")):
            forged = browser.send(form, [*form.filled(token=token), ("answer", "allow")])
            assert (forged.status_code, "location" in forged.headers) == (400, False), form.action
    assert host.opens(signed.access)
    assert browser.get("/connections").status_code == 200
    for form in mine:
        assert browser.send(form, [*form.fields, ("answer", "allow")]).status_code == 303


@pytest.mark.promise("oauth.csrf")
def test_a_consent_form_answers_the_request_it_showed_and_no_other(
    host: Host, browser: Browser, client_id: str
) -> None:
    evil = host.register(EVIL)
    shown = browser.question(host.authorize_url(client_id))
    swapped = host.authorize_url(evil, redirect_uri=EVIL).partition("?")[2]
    forged = browser.send(shown, [*shown.filled(request=swapped), ("answer", "allow")])
    assert forged.status_code == 400
    assert "location" not in forged.headers
    assert browser.send(shown, [*shown.fields, ("answer", "allow")]).status_code == 303


@pytest.mark.promise("oauth.csrf")
def test_signing_in_takes_a_form_of_ours_too(
    host: Host, new_browser: Callable[[], Browser]
) -> None:
    mine, theirs = new_browser(), new_browser()
    form = form_to(theirs.get("/login"), "/login")
    forged = mine.send(form, form.filled(name=NAME, password=PASSWORD))
    assert forged.status_code == 400
    assert not [each for each in mine.client.cookies.jar if "session" in each.name]


@pytest.mark.promise("oauth.framing")
def test_no_page_can_be_framed_or_kept(
    host: Host, browser: Browser, client_id: str, new_browser: Callable[[], Browser]
) -> None:
    pages = [
        new_browser().get("/login"),
        new_browser().get("/connections"),
        browser.get("/connections"),
        browser.get(host.authorize_url(client_id)),
        browser.get("/authorize"),
        browser.answer(host.authorize_url(client_id)),
    ]
    for page in pages:
        assert page.headers["X-Frame-Options"] == "DENY"
        assert "frame-ancestors 'none'" in page.headers["Content-Security-Policy"]
        assert "default-src 'none'" in page.headers["Content-Security-Policy"]
        assert page.headers["Cache-Control"] == "no-store"
        assert page.headers["Referrer-Policy"] == "no-referrer"
        assert "<script" not in page.text
        assert "src=" not in page.text
