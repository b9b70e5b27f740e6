from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from treering.rules.resend import RETRY_WINDOW_MS, known_head, longest_overlap

digests = st.lists(st.sampled_from([b"a", b"b", b"c"]), max_size=12)


def by_brute_force(tail: Sequence[bytes], head: Sequence[bytes]) -> int:
    longest = min(len(tail), len(head))
    return max(k for k in range(longest + 1) if tail[len(tail) - k :] == head[:k])


@pytest.mark.promise("ingest.undated-overlap")
@given(digests, digests)
def test_the_longest_overlap_is_found(tail: list[bytes], head: list[bytes]) -> None:
    assert longest_overlap(tail, head) == by_brute_force(tail, head)


@pytest.mark.promise("ingest.undated-overlap", "ingest.undated-retry")
@given(digests, digests, st.integers(0, 3 * RETRY_WINDOW_MS) | st.none())
def test_a_whole_overlap_is_known_for_a_minute(
    tail: list[bytes], request: list[bytes], written: int | None
) -> None:
    now = 2 * RETRY_WINDOW_MS
    overlap = by_brute_force(tail, request)
    known = known_head(tail, request, written, now)
    if overlap < len(request):
        assert known == overlap
    else:
        recent = written is not None and now - written <= RETRY_WINDOW_MS
        assert known == (overlap if recent else 0)


def test_a_long_thread_of_one_word_is_quick() -> None:
    assert longest_overlap([b"a"] * 20_000, [b"a"] * 19_999 + [b"b"]) == 19_999
