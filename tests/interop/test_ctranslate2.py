"""Our models go out to CTranslate2, and it says the same."""

import importlib.util
import json

import pytest
import torch

from ferryman import convert
from ferryman.checkpoint import load_model
from ferryman.errors import ConversionError

pytestmark = pytest.mark.skipif(importlib.util.find_spec("ctranslate2") is None, reason="needs ctranslate2, of convert")
TEXTS = ["The river is wide.", "Where is the station, and who are you?", "Anna sleeps."]
VARIANTS = {
    "post-norm, one table": {},
    "pre-norm, two vocabularies": {"norm_order": "pre", "source": "en", "target": "de", "tie": "two-way"},
    "three tables, a bias": {"source": "en", "target": "de", "tie": "none", "output_bias": True},
    "swiglu, learned positions": {"activation": "swiglu", "positions": "learned", "max_positions": 64},
    "halves, gelu": {"sinusoid_layout": "halves", "activation": "gelu", "scale_embedding": False, "norm_epsilon": 1e-3},
    "as fairseq": {"sinusoid_layout": "fairseq", "position_offset": 2, "norm_order": "pre", "start_symbol": "eos"},
    "several languages": {"source": "several", "target": "several", "start_symbol": "pad"},
}


@pytest.mark.parametrize("variant", VARIANTS.values(), ids=VARIANTS)
def test_the_same_log_probabilities(make_model, tmp_path, variant):
    import ctranslate2

    out = tmp_path / "out"
    made = convert(make_model(**variant), out, "ctranslate2", texts=TEXTS)
    assert made.agreement.peer.startswith("ctranslate2")
    assert made.agreement.equal == made.agreement.sentences, made.agreement
    ours, _, tokenizers = load_model(tmp_path / "ours")
    symbols = tokenizers.symbols(ours.config.start_symbol)
    said = sorted(set(range(tokenizers.target.vocab_size)) - tokenizers.target.never_text)
    rows = [tokenizers.source.encode(text) for text in TEXTS]
    targets = [[said[index] for index in torch.randint(0, len(said), (5 + place,))] for place in range(3)]
    found = ctranslate2.Translator(str(out), compute_type="float32").score_batch(
        [tokenizers.source.pieces(row) for row in rows], [tokenizers.target.pieces(row) for row in targets]
    )
    for row, target, scored in zip(rows, targets, found, strict=True):
        with torch.no_grad():
            logits = ours(torch.tensor([[*row, symbols.eos]]), torch.tensor([[symbols.start, *target]]))[0].clone()
        logits[:, sorted(tokenizers.target.never_text - {symbols.eos})] = -torch.inf
        expected = logits.log_softmax(dim=-1)[range(len(target) + 1), [*target, symbols.eos]]
        assert (torch.tensor(scored.log_probs) - expected).abs().max() < 1e-3


@pytest.mark.parametrize("quantization", ["float32", "int8"])
def test_a_trained_model_says_the_same(trained, tmp_path, quantization):
    folder, texts = trained
    made = convert(folder, tmp_path / "out", "ctranslate2", texts=texts, quantization=quantization)
    assert made.agreement.sentences > 20
    assert made.agreement.equal == made.agreement.sentences, made.agreement
    large = (tmp_path / "out" / "model.bin").stat().st_size > 2048 * 24 * 4 + 60_000  # positions take most of it
    assert large == (quantization == "float32")


def test_an_imported_model_goes_on(make_marian, tmp_path):
    folder, _ = make_marian(chatty=True, separate=True, tie_word_embeddings=False)
    made = convert(folder, tmp_path / "out", "ctranslate2", texts=TEXTS)
    assert made.agreement.equal == made.agreement.sentences, made.agreement
    assert json.loads((tmp_path / "out" / "config.json").read_text())["decoder_start_token"] == "<pad>"
    assert (tmp_path / "out" / "source.ids.json").exists()


def test_without_the_package_it_is_told(make_model, tmp_path, monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "ctranslate2", None)
    with pytest.raises(ConversionError, match=r"ctranslate2 is not installed; pip install 'ferryman\[convert\]'"):
        convert(make_model(), tmp_path / "out", "ctranslate2")
