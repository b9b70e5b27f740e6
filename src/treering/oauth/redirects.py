"""Redirect URIs: which may be registered, and which of those a request may name."""

from __future__ import annotations

import re
from urllib.parse import urlencode

MOST_CHARACTERS = 2_000

_URI = re.compile(r"[A-Za-z0-9\-._~:/?\[\]@!$&'()*+,;=%]+")
"""The characters of RFC 3986, without the fragment's."""
_HTTPS = re.compile(r"https://(?P<host>[a-z0-9.-]+|\[[0-9a-f:.]+\])(?::[0-9]{1,5})?(?:[/?].*)?")
_LOOPBACK = re.compile(
    r"http://(?P<host>localhost|127\.0\.0\.1|\[::1\])(?::(?P<port>[0-9]{1,5}))?(?P<rest>(?:[/?].*)?)"
)
_REVERSED = re.compile(r"[a-z]{2,}(?:\.[a-z0-9-]+)+")
_CUSTOM = re.compile(r"(?P<scheme>[a-z][a-z0-9+.-]+):.+")
_KNOWN_CUSTOM = frozenset("claude cursor vscode vscode-insiders windsurf zed".split())
"""Schemes of programs in the field that are no reversed domain name."""
_MOST_PORT = 65_535


def problem_of(uri: str) -> str | None:
    """Why a client may not register a redirect URI; None when it may.

    RFC 8252, section 7: https, http on the loopback, or a scheme of the program's own, which is a
    domain name turned round; others may be acted on by a browser or its system. Hosts and schemes
    are in lower case, so that nothing has two spellings.
    """
    if len(uri) > MOST_CHARACTERS:
        return f"is longer than {MOST_CHARACTERS:,} characters"
    if not _URI.fullmatch(uri):
        return "holds a fragment, or characters that no URI has"
    if _HTTPS.fullmatch(uri) or _is_loopback(uri):
        return None
    custom = _CUSTOM.fullmatch(uri)
    scheme = custom["scheme"] if custom else ""
    if custom and (_REVERSED.fullmatch(scheme) or scheme in _KNOWN_CUSTOM):
        return None
    return (
        "must be https, http on localhost, or a scheme of the program's own such as "
        "com.example.app; in lower case"
    )


def matches(registered: str, named: str) -> bool:
    """Whether a request may name `named` where `registered` was registered.

    They are the same character for character; only the port of a loopback URI may be another (RFC
    8252, section 7.3), for a program takes whichever is free.
    """
    if registered == named:
        return True
    one, other = _LOOPBACK.fullmatch(registered), _LOOPBACK.fullmatch(named)
    if one is None or other is None or problem_of(named) is not None:
        return False
    return (one["host"], one["rest"]) == (other["host"], other["rest"])


def with_parameters(uri: str, parameters: dict[str, str]) -> str:
    """A redirect URI with parameters behind those that it has, which stay as they are."""
    return f"{uri}{'&' if '?' in uri else '?'}{urlencode(parameters)}"


def shown_place(uri: str) -> str:
    """Where a redirect URI leads, for a person."""
    if https := _HTTPS.fullmatch(uri):
        return https["host"]
    if _is_loopback(uri):
        return "a program on your own computer"
    return f"the app on your device that opens {uri.partition(':')[0]}: addresses"


def _is_loopback(uri: str) -> bool:
    found = _LOOPBACK.fullmatch(uri)
    return found is not None and int(found["port"] or 0) <= _MOST_PORT
