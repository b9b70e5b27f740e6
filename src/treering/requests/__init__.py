"""What each verb is asked, as values: the wire's bodies and the Vault's arguments are the same.

Validation is strict and unknown fields are refused. `Request[R]` is answered by a reply of type R.
"""

from treering.requests.account import (
    UsageRequest,
)
from treering.requests.consolidation import (
    CheckoutRequest,
    CommitRequest,
    Entry,
    RevertRequest,
)
from treering.requests.fields import (
    Request,
    issues_in,
    issues_of,
    parse_session_id,
    path_of,
)
from treering.requests.memory import (
    DateSearchRequest,
    DebtRequest,
    DeleteRequest,
    IngestMessage,
    IngestRequest,
    InspectRequest,
    PrepareMessage,
    PrepareRequest,
    SearchRequest,
    StatsRequest,
    UploadLine,
    UploadRequest,
    WarmupRequest,
    WipeRequest,
)

__all__ = [
    "CheckoutRequest",
    "CommitRequest",
    "DateSearchRequest",
    "DebtRequest",
    "DeleteRequest",
    "Entry",
    "IngestMessage",
    "IngestRequest",
    "InspectRequest",
    "PrepareMessage",
    "PrepareRequest",
    "Request",
    "RevertRequest",
    "SearchRequest",
    "StatsRequest",
    "UploadLine",
    "UploadRequest",
    "UsageRequest",
    "WarmupRequest",
    "WipeRequest",
    "issues_in",
    "issues_of",
    "parse_session_id",
    "path_of",
]
