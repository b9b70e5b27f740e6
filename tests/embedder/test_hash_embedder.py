import hashlib
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from treering.retrieval.embedder import Embedder, EmbedderSpec, open_embedder

SAMPLE = [
    "A cat sat on the mat",
    "error E1234 in /srv/app.py",
    "我昨天去了北京的故宫",
    "ฉันชอบกินข้าวผัด",
    "मुझे हिन्दी पसंद है",
    "🎉 shipped 🚀",
    "",
]

VECTORS_SHA256 = "35ff0a8480408173841d8fdebf5e5f35f255f939df0609ebd6abacb08255cd8e"


@pytest.fixture
def hashed() -> Embedder:
    return open_embedder(EmbedderSpec(name="hash-384"))


def fingerprint(embedder: Embedder) -> str:
    return hashlib.sha256(embedder.embed(SAMPLE).astype("<f4").tobytes()).hexdigest()


def test_rows_are_unit_vectors_or_zeros_without_a_token(hashed: Embedder) -> None:
    vectors = hashed.embed(SAMPLE)
    assert (hashed.name, hashed.dims) == ("hash-384", 384)
    assert vectors.shape == (len(SAMPLE), 384)
    assert vectors.dtype == np.float32
    np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), [1.0] * 6 + [0.0], atol=1e-6)


def test_vectors_never_change(hashed: Embedder) -> None:
    assert fingerprint(hashed) == VECTORS_SHA256


def test_vectors_do_not_depend_on_the_hash_seed(hashed: Embedder) -> None:
    script = (
        "import sys; from treering.retrieval.embedder import EmbedderSpec, open_embedder\n"
        "vectors = open_embedder(EmbedderSpec(name='hash-384')).embed(['A cat sat', '北京'])\n"
        "sys.stdout.buffer.write(vectors.tobytes())"
    )
    written = subprocess.run(
        [sys.executable, "-c", script],
        env={"PYTHONHASHSEED": "7", "PYTHONPATH": ":".join(sys.path)},
        capture_output=True,
        check=True,
    ).stdout
    assert written == hashed.embed(["A cat sat", "北京"]).tobytes()


@pytest.mark.parametrize(
    ("text", "near", "far"),
    [
        ("the cat sat on the mat", "a cat on a mat", "quarterly revenue grew fast"),
        ("我昨天去了北京的故宫", "北京的故宫很大", "今年公司收入增长"),
        ("ฉันชอบกินข้าวผัด", "ข้าวผัดอร่อย", "รายได้ของบริษัท"),
        ("मुझे हिन्दी पसंद है", "हिन्दी भाषा", "कंपनी की आय"),
    ],
)
def test_texts_that_share_words_are_near(hashed: Embedder, text: str, near: str, far: str) -> None:
    vectors = hashed.embed([text, near, far])
    assert vectors[0] @ vectors[1] > vectors[0] @ vectors[2] + 0.2


def test_case_width_and_punctuation_do_not_matter(hashed: Embedder) -> None:
    vectors = hashed.embed(["Cafe, MAT!", "ｃａｆｅ mat", "cafe mat"])
    np.testing.assert_array_equal(vectors[0], vectors[2])
    np.testing.assert_array_equal(vectors[1], vectors[2])


def test_ascii_and_other_text_split_words_alike(hashed: Embedder) -> None:
    plain, accented = hashed.embed(["snake_case a.b-c 12", "snake_case a.b-c 12 …"])
    np.testing.assert_array_equal(plain, accented)


def test_unrelated_texts_are_nearly_orthogonal(hashed: Embedder) -> None:
    texts = [" ".join(f"w{text}x{word}" for word in range(20)) for text in range(200)]
    vectors = hashed.embed(texts)
    cosines = (vectors @ vectors.T)[np.triu_indices(200, 1)]
    assert abs(cosines.mean()) < 0.005
    assert cosines.std() < 0.07


def test_other_dimensions() -> None:
    small = open_embedder(EmbedderSpec(name="hash-64"))
    assert small.name == "hash-64"
    assert small.embed(["a cat"]).shape == (1, 64)


def test_a_batch_equals_its_texts_alone(hashed: Embedder) -> None:
    texts = [f"{text} {number}" for number in range(200) for text in SAMPLE]
    alone = np.vstack([hashed.embed([text]) for text in texts])
    np.testing.assert_array_equal(hashed.embed(texts), alone)


def test_no_texts(hashed: Embedder) -> None:
    assert hashed.embed([]).shape == (0, 384)


@pytest.mark.parametrize("text", ["word salad " * 27_300, "x" * 300_000, "漢" * 300_000])
def test_huge_texts(hashed: Embedder, text: str) -> None:
    assert np.linalg.norm(hashed.embed([text])[0]) == pytest.approx(1.0)


@settings(max_examples=100, deadline=None)
@given(st.lists(st.text(st.characters(exclude_categories=()), max_size=60), max_size=5))
def test_any_text_gives_a_unit_row_or_zeros(texts: list[str]) -> None:
    vectors = open_embedder(EmbedderSpec(name="hash-384")).embed(texts)
    norms = np.linalg.norm(vectors, axis=1)
    assert vectors.shape == (len(texts), 384)
    assert np.all((norms == 0) | (abs(norms - 1) < 1e-6))


def test_threads_share_one_embedder(hashed: Embedder) -> None:
    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(hashed.embed, [SAMPLE] * 40))
    for vectors in found[1:]:
        np.testing.assert_array_equal(vectors, found[0])
