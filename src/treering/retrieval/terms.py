"""Text as hashed terms: what the lexical half of retrieval sees of it.

A term is the CRC-32 of a normalised word, identifier, character or character pair, so it is the
same on every machine and in every version, and an index of terms holds no readable vocabulary.
"""

import re
import struct
import unicodedata
import zlib
from collections import Counter
from collections.abc import Iterator
from functools import cache, lru_cache
from itertools import chain, pairwise

import numpy as np
import Stemmer
from numpy.typing import NDArray

from treering.retrieval.normalised import normalised
from treering.retrieval.stopwords import STOP_WORDS
from treering.rules.scripts import UNSPACED

TERM_RECORD = np.dtype([("term", "<u4"), ("count", "u1")])
"""One term of a text as `index_terms` packs it: 5 bytes, unaligned."""

_MAX_COUNT = 255

_PICTOGRAPHS = "\u2190-\u21ff\u2300-\u27bf\u2900-\u2bff\U0001f000-\U0001faff"
_BRANCHES = r"/\\:@=?&%#~"

_joint = re.compile(rf"[_.+\-{_BRANCHES}]+")
_branch = re.compile(rf"[{_BRANCHES}]+")
_hump = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+")
_humped = re.compile(r"[a-z0-9][A-Z]|[A-Z]{2}[a-z]")
_unspaced = re.compile(rf"[{UNSPACED}]")
_label = re.compile(r"\s*([^\W\d_][^\n:]{0,39}):\s")

# One stemmer serves all threads: a call runs to its end under the interpreter's lock.
_stemmer = Stemmer.Stemmer("english", 0)


def index_terms(text: str) -> bytes:
    """Pack every term of a text with its count, by ascending term, as `TERM_RECORD`s.

    Counts stop at 255.
    """
    counts = Counter(map(_term, _words(text, singles=True)))
    records = chain.from_iterable((term, min(counts[term], _MAX_COUNT)) for term in sorted(counts))
    return struct.pack("<" + "IB" * len(counts), *records)


def query_terms(text: str) -> NDArray[np.uint32]:
    """Return the distinct terms of a query, ascending, without stop words.

    A query of stop words alone keeps them. Unspaced scripts are matched by pairs of characters,
    by a single one only where it stands alone.
    """
    words = list(_words(text, singles=False))
    telling = [word for word in words if word not in STOP_WORDS]
    return np.array(sorted(set(map(_term, telling or words))), np.uint32)


def speaker(text: str) -> int:
    """Return the term of the first word of a leading "Name: " label, 0 without one."""
    label = _label.match(text)
    if label is None:
        return 0
    return next(map(_term, _words(label[1], singles=True)), 0)


@lru_cache(maxsize=1 << 14)
def _term(word: str) -> int:
    """Hash a word; plain Latin ones by their stem, and without their accents."""
    if not word.isascii():
        word = _without_accents(word)
    if word.isalpha() or "'" in word:
        word = _stemmer.stemWord(word)
    return zlib.crc32(word.encode("utf-8", "surrogatepass"))


def _without_accents(word: str) -> str:
    """Drop the accents of a Latin word; those of other scripts tell words apart."""
    letters = [c for c in unicodedata.normalize("NFKD", word) if not unicodedata.combining(c)]
    plain = "".join(letters)
    return plain if plain.isascii() else word


def _words(text: str, *, singles: bool) -> Iterator[str]:
    """Yield the folded words of a text: plain words, identifiers with their parts, characters."""
    if text.isascii():
        tokens = _token_pattern(ascii_only=True).findall(text)
    else:
        text = normalised(text).replace("\u2019", "'")
        tokens = _token_pattern(ascii_only=False).findall(text)
    for token in tokens:
        if token.isascii() and token.isalpha() and (token.islower() or token.istitle()):
            yield token.lower()
        elif _unspaced.match(token):
            yield from _character_words(token, singles=singles)
        else:
            yield from _identifier_words(token)


def _character_words(run: str, *, singles: bool) -> Iterator[str]:
    if singles or len(run) == 1:
        yield from run
    for first, second in pairwise(run):
        yield first + second


def _identifier_words(token: str) -> Iterator[str]:
    """Yield an identifier whole, its branches (the host of a URL), their words, their humps."""
    words = [token, *_branch.split(token), *_joint.split(token)]
    for word in _joint.split(token):
        if _humped.search(word):
            words += _hump.findall(word)
    yield from dict.fromkeys(word.casefold() for word in words if word)


@cache
def _token_pattern(*, ascii_only: bool) -> re.Pattern[str]:
    """Match one token: a run of an unspaced script, a pictograph, or words joined without space."""
    joints = rf"[.+\-{_BRANCHES}]{{1,3}}"
    if ascii_only:
        return re.compile(rf"\w+(?:(?:'|{joints})\w+)*", re.ASCII)
    letter = rf"[^\W{UNSPACED}]"
    part = rf"{letter}(?:{letter}|[{_marks()}])*"
    word = rf"{part}(?:(?:'|{joints}){part})*"
    return re.compile(rf"[{UNSPACED}]+|[{_PICTOGRAPHS}]|{word}")


def _marks() -> str:
    """Return the combining marks, which `\\w` leaves out though they stand inside words."""
    points = (chr(point) for point in range(0x300, 0x1F000))
    return "".join(c for c in points if unicodedata.category(c)[0] == "M")
