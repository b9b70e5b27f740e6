"""What OAuth's own answers say of an error, in the words of its RFCs."""

from __future__ import annotations

from typing import Literal

Code = Literal[
    "access_denied",
    "invalid_client",
    "invalid_client_metadata",
    "invalid_grant",
    "invalid_redirect_uri",
    "invalid_request",
    "invalid_scope",
    "invalid_target",
    "temporarily_unavailable",
    "unsupported_grant_type",
    "unsupported_response_type",
]
"""RFC 6749, sections 4.1.2.1 and 5.2; RFC 7591, section 3.2.2; RFC 8707, section 2."""


class OAuthProblem(Exception):
    """A request of a client's that OAuth answers with a code of its own.

    It stands beside the table of errors: the clients know these words and no others. `description`
    is for whoever writes the client, in ASCII without quotes or backslashes.
    """

    def __init__(self, code: Code, description: str, status: int = 400) -> None:
        super().__init__(f"{code}: {description}")
        self.code = code
        self.description = description
        self.status = status
