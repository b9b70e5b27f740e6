"""Resending is safe, and saying a thing twice is allowed: which messages of a request are known."""

from __future__ import annotations

from collections.abc import Sequence

RETRY_WINDOW_MS = 60_000
IDEMPOTENCY_WINDOW_MS = 24 * 60 * 60_000


def known_head(
    tail: Sequence[bytes], request: Sequence[bytes], last_write: int | None, now: int
) -> int:
    """How many messages at the head of a request the session already holds.

    `tail` are the digests of the session's last messages, oldest first, at most as many as the
    request has. The longest overlap counts. A request that overlaps entirely is a retry within 60 s
    of the session's last write, and said again after that.
    """
    overlap = longest_overlap(tail, request)
    if overlap < len(request):
        return overlap
    is_retry = last_write is not None and now - last_write <= RETRY_WINDOW_MS
    return overlap if is_retry else 0


def longest_overlap(tail: Sequence[bytes], head: Sequence[bytes]) -> int:
    """The largest k for which the last k of `tail` are the first k of `head`.

    Knuth, Morris and Pratt's failure function, so that long threads cost linear time.
    """
    if not head:
        return 0
    failure = [0] * len(head)
    k = 0
    for i in range(1, len(head)):
        k = _advance(head, failure, k, head[i])
        failure[i] = k
    k = 0
    for i, digest in enumerate(tail):
        k = _advance(head, failure, k, digest)
        if k == len(head) and i + 1 < len(tail):
            k = failure[k - 1]
    return k


def _advance(head: Sequence[bytes], failure: Sequence[int], k: int, digest: bytes) -> int:
    while k and (k == len(head) or head[k] != digest):
        k = failure[k - 1]
    return k + 1 if head[k] == digest else k
