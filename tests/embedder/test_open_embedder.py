import sys

import pytest

from treering.retrieval.embedder import EmbedderError, EmbedderSpec, open_embedder


@pytest.mark.parametrize(
    "name", ["", "minilm", "hash", "hash-", "hash-٣٨٤", "openai", "openai:", "fastembed:", "x:y"]
)
def test_an_unknown_name_lists_the_choices(name: str) -> None:
    with pytest.raises(ValueError, match=r"minilm-l6-v2, hash-<dims>, openai:<model>, fastembed"):
        open_embedder(EmbedderSpec(name=name))


@pytest.mark.parametrize("name", ["hash-384", "minilm-l6-v2"])
def test_dimensions_that_the_model_does_not_have_are_refused(name: str) -> None:
    with pytest.raises(ValueError, match="384 dimensions, not 512"):
        open_embedder(EmbedderSpec(name=name, dims=512))
    assert open_embedder(EmbedderSpec(name=name, dims=384)).dims == 384


@pytest.mark.parametrize("name", ["hash-7", "hash-4097", "hash-0"])
def test_hash_dimensions_have_bounds(name: str) -> None:
    with pytest.raises(ValueError, match="8 to 4096"):
        open_embedder(EmbedderSpec(name=name))


def test_fastembed_missing_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "fastembed", None)
    with pytest.raises(EmbedderError, match=r"pip install treering\[fastembed\]") as caught:
        open_embedder(EmbedderSpec(name="fastembed:BAAI/bge-small-en-v1.5"))
    assert isinstance(caught.value.__cause__, ImportError)


def test_a_spec_never_shows_its_key() -> None:
    assert "sk-secret" not in repr(EmbedderSpec(name="openai:m", api_key="sk-secret"))
