"""Checkpoints that fairseq 0.12.2 itself trained and saved; ``../peers/make_fairseq.py`` made them."""

import json
from pathlib import Path

import pytest
import torch

from ferryman import convert, load
from ferryman.checkpoint import assemble
from ferryman.interop.fairseq.checkpoint import read_checkpoint
from ferryman.interop.fairseq.settings import Settings
from ferryman.interop.formats import read_stored

PLAIN = ["length_penalty=0.0", "fallback=false", "beam=4", "split_sentences=false", "protect=[]", "max_length_extra=60"]


@pytest.fixture(params=["words.de-en", "pieces"])
def peer(request):
    """A folder, and what fairseq computed and said of some texts."""
    folder = Path(__file__).parents[1] / "peers" / "fairseq" / request.param
    if request.param.startswith("words"):
        for name in ("subword_nmt", "sacremoses"):
            pytest.importorskip(name, reason=f"needs {name}, of the extra words")
    return folder, json.loads((folder / "expected.json").read_text(encoding="utf-8"))


def test_ids_and_logits_are_the_same(peer):
    folder, records = peer
    stored = read_stored(folder)
    model = assemble(stored.weights, stored.config, stored.tokenizers, folder)
    for record in records:
        ids = [*stored.tokenizers.source.encode(record["text"]), 2]
        assert ids == record["source"]
        target_in = torch.tensor([[2, *record["tokens"][:-1]]])
        with torch.inference_mode():
            found = model(torch.tensor([ids]), target_in)[0]
        assert (found - torch.tensor(record["logits"])).abs().max() < 1e-4


def test_translations_are_the_same(peer):
    folder, records = peer
    translator = load(folder, [f"decoding.{setting}" for setting in PLAIN])
    for record in records:
        found = translator.translate([record["text"]])[0]
        assert list(found.tokens) == record["tokens"]
        assert found.text == record["translation"]
        assert found.log_prob == pytest.approx(record["score"], abs=1e-3)


def test_settings_by_the_classes_of_omegaconf():
    path = Path(__file__).parents[1] / "peers" / "fairseq" / "omegaconf.pt"
    settings = Settings.of(read_checkpoint(path), path)
    assert (settings.get("arch"), settings.get("task")) == ("transformer_iwslt_de_en", "translation")
    shape = settings.model_config(0)
    assert (shape.d_model, shape.d_ff, shape.encoder_layers, shape.decoder_layers) == (16, 32, 2, 1)


def test_the_least_length_is_not_compared(peer, tmp_path):
    """Other engines have no such setting in the model."""
    pytest.importorskip("onnxruntime")
    agreement = convert(peer[0], tmp_path / "onnx", "onnx").agreement
    assert agreement.equal == agreement.sentences > 0
