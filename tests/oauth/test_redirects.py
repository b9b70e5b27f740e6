"""Redirect URIs: which may be registered, and that only those are ever followed."""

from __future__ import annotations

from urllib.parse import parse_qsl, urlsplit

import pytest
from hypothesis import given
from hypothesis import strategies as st

from treering.oauth.redirects import matches, problem_of, shown_place, with_parameters

GOOD = [
    "https://claude.ai/api/mcp/auth_callback",
    "https://client.example:8443/cb?from=treering",
    "https://client.example",
    "https://[2001:db8::1]/cb",
    "http://localhost:3030/callback",
    "http://127.0.0.1/",
    "http://[::1]:1/cb",
    "http://localhost",
    "cursor://anysphere.cursor-mcp/oauth/callback",
    "com.example.app:/oauth2redirect",
    "vscode://vscode.github-authentication/did-authenticate",
]
BAD = [
    "",
    "https://",
    "https://client.example/#fragment",
    "https://client.example/#",
    "https://user@client.example/cb",
    "https://user:password@client.example/cb",
    "https://client.example\\@evil.example/cb",
    "https://client.example/ cb",
    "https://client.example/\r\nSet-Cookie: a=b",
    "https://clïent.example/cb",
    "HTTPS://client.example/cb",
    "https://Client.example/cb",
    "http://client.example/cb",
    "http://127.0.0.1.evil.example/cb",
    "http://localhost.evil.example/cb",
    "http://127.0.0.1@evil.example/cb",
    "http://127.0.0.1:4321@evil.example/cb",
    "http://localhost:99999/cb",
    "http://localhost:/cb",
    "http://0.0.0.0:80/cb",
    "//client.example/cb",
    "/cb",
    "cb",
    "javascript:alert(1)",
    "data:text/html,x",
    "vbscript:x",
    "file:///etc/passwd",
    "blob:https://client.example/x",
    "about:blank",
    "intent://x#Intent;end",
    "ms-msdt:/id",
    "search-ms:query",
    "mailto:a@client.example",
    "ftp://client.example/",
    "x:y",
    "https://client.example/" + "x" * 2_000,
    "\ud800",
]


@pytest.mark.promise("oauth.redirects")
@pytest.mark.parametrize("uri", GOOD)
def test_what_the_standards_name_may_be_registered(uri: str) -> None:
    assert problem_of(uri) is None
    assert matches(uri, uri)
    assert shown_place(uri)


@pytest.mark.promise("oauth.redirects")
@pytest.mark.parametrize("uri", BAD)
def test_anything_else_may_not(uri: str) -> None:
    assert problem_of(uri) is not None


ports = st.integers(1, 65_535)
rests = st.from_regex(r"(/[a-z0-9._~-]{0,8}){0,3}(\?[a-z0-9=&]{0,8})?", fullmatch=True)
hosts = st.sampled_from(["localhost", "127.0.0.1", "[::1]"])


@pytest.mark.promise("oauth.redirects")
@given(hosts, ports, ports, rests)
def test_on_the_loopback_the_port_may_vary(host: str, one: int, other: int, rest: str) -> None:
    registered = f"http://{host}:{one}{rest}"
    for named in (f"http://{host}:{other}{rest}", f"http://{host}{rest}"):
        assert matches(registered, named)
        assert matches(named, registered)


@pytest.mark.promise("oauth.redirects")
@given(hosts, hosts, ports, rests, rests)
def test_and_nothing_but_the_port(
    host: str, other_host: str, port: int, rest: str, other_rest: str
) -> None:
    registered, named = f"http://{host}:1{rest}", f"http://{other_host}:{port}{other_rest}"
    assert matches(registered, named) == ((host, rest) == (other_host, other_rest))


addresses = st.one_of(
    st.sampled_from(GOOD + BAD),
    st.text(max_size=40),
    st.builds(
        "{}{}{}".format,
        st.sampled_from(["http://localhost", "http://127.0.0.1", "https://a.example", "a:"]),
        st.text(":/?#@\\[]%.0123456789abcx \n", max_size=20),
        st.sampled_from(["", "@evil.example", ".evil.example", "/cb", "#", "?a=b"]),
    ),
)


@pytest.mark.promise("oauth.redirects")
@given(st.sampled_from(GOOD), addresses)
def test_what_matches_goes_where_the_registered_one_goes(registered: str, named: str) -> None:
    if not matches(registered, named):
        return
    assert problem_of(named) is None
    one, other = urlsplit(registered), urlsplit(named)
    assert (one.scheme, one.hostname, one.path, one.query) == (
        other.scheme,
        other.hostname,
        other.path,
        other.query,
    )
    assert other.username is None
    assert named == registered or (one.scheme == "http" and one.port != other.port)


@pytest.mark.promise("oauth.redirects")
@given(st.sampled_from(GOOD), st.dictionaries(st.sampled_from(["code", "state", "iss"]), st.text()))
def test_what_is_added_changes_nothing_else(uri: str, added: dict[str, str]) -> None:
    added = {
        name: value.encode("utf-8", "replace").decode("utf-8") for name, value in added.items()
    }
    sent = with_parameters(uri, added)
    assert sent.isascii()
    assert sent.startswith(uri)
    assert urlsplit(sent).netloc == urlsplit(uri).netloc
    before = parse_qsl(urlsplit(uri).query, keep_blank_values=True)
    assert parse_qsl(urlsplit(sent).query, keep_blank_values=True) == before + list(added.items())
