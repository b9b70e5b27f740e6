"""Whatever a block may be made of."""

from __future__ import annotations

from hypothesis import strategies as st

from treering.model import Level
from treering.rules.levels.block import Candidate, Limits, Material, Tension
from treering.rules.levels.selfmodel import Domain

nasty = st.lists(
    st.sampled_from(
        ["### Pinned", "- x", "a", "\n", "\r\n", "\u2028", "  ", "- [CRITICAL]", "é", "日本"]
    ),
    max_size=12,
).map("".join)
text = st.one_of(nasty, st.text(max_size=60), st.just("word " * 80))


def candidates(level: Level, prefix: str) -> st.SearchStrategy[list[Candidate]]:
    one = st.builds(
        Candidate,
        id=st.integers(0, 12).map(lambda number: f"{prefix}{number}"),
        level=st.just(level),
        gist=text,
        body=text,
        accessed=st.integers(0, 5),
    )
    return st.lists(one, max_size=8, unique_by=lambda candidate: candidate.id)


materials = st.builds(
    Material,
    is_correction=st.booleans(),
    weak=st.dictionaries(
        text, st.builds(Domain, st.floats(0, 1), st.integers(0, 3), st.tuples(text)), max_size=3
    ),
    pinned=candidates(Level.PINNED, "p"),
    hot=candidates(Level.HOT, "h"),
    triggered=st.frozensets(st.integers(0, 12).map(lambda number: f"h{number}")),
    recalled=candidates(Level.WARM, "r"),
    tensions=st.lists(
        st.builds(Tension, text, text, text, st.sampled_from(["low", "medium", "critical"]), text),
        max_size=3,
    ),
)
limits = st.builds(Limits, st.integers(-5, 900), st.integers(-1, 9))
