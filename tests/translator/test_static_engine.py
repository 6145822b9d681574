"""Whole translations with the engine for a GPU, on a CPU."""

import pytest
import torch

from ferryman.config import DecodingConfig
from ferryman.errors import ConfigError

WISHES = [
    {"beam": 1},
    {"beam": 4, "n_best": 3, "coverage_penalty": 0.2},
    {"beam": 4, "beam_groups": 2},
    {"beam": 4, "required_phrases": ("quiet",)},
    {"sampling": True, "samples": 3, "seed": 5},
    {"target_prefix": "the old", "no_repeat_ngram": 2},
]


@pytest.mark.parametrize("wish", WISHES, ids=str)
def test_every_search_finds_what_the_reference_finds(translator, sentences, wish):
    settings = {**translator.config.decoding.model_dump(), "n_best": 1, **wish, "batch_tokens": 64, "workers": 2}
    expected, found = (
        translator.translate(sentences[:16], DecodingConfig(**{**settings, "engine": engine}))
        for engine in ("torch", "static")
    )
    assert [one.text for one in found] == [one.text for one in expected]
    assert [one.score for one in found] == pytest.approx([one.score for one in expected], abs=1e-4)


def test_what_computes_is_told_and_what_went_wrong(translator, sentences):
    decoding = translator.config.decoding.model_copy(update={"engine": "static", "workers": 1})
    assert translator.searcher.about(decoding) == "engine static on cpu"
    translator.translate(sentences[:1], decoding)
    [[engine]] = translator.searcher._engines.values()
    engine.model.trouble = "CUDA out of memory"
    told = "engine static on cpu, slower without CUDA graphs: CUDA out of memory"
    assert translator.searcher.about(decoding) == told


def test_on_a_gpu_it_is_bfloat16_only_where_asked_for(translator, monkeypatch):
    monkeypatch.setattr(torch.cuda, "is_bf16_supported", lambda: True)
    translator.searcher.device = torch.device("cuda")
    about, decoding = translator.searcher.about, translator.config.decoding
    assert about(decoding) == "engine static on cuda"
    assert about(decoding.model_copy(update={"precision": "bfloat16"})) == "engine static on cuda in bfloat16"
    assert about(decoding.model_copy(update={"engine": "torch"})) == "engine torch on cuda"


def test_bfloat16_on_a_cpu_is_refused(translator):
    decoding = translator.config.decoding.model_copy(update={"engine": "static", "precision": "bfloat16"})
    with pytest.raises(ConfigError, match=r"decoding\.precision: bfloat16 needs a CUDA GPU"):
        translator.translate(["the ferry"], decoding)
