"""What no model of ours can be, or is damaged or hostile, is refused with a reason; and the way to one of ours."""

import os
import re
import shutil
from argparse import Namespace

import numpy as np
import pytest
import torch
from typer.testing import CliRunner

from ferryman import convert, load
from ferryman.checkpoint import load_model
from ferryman.cli.app import app
from ferryman.errors import CheckpointError, ConversionError
from ferryman.interop.formats import find_format


@pytest.mark.parametrize(
    ("settings", "problem"),
    [
        ({"arch": "bart_large"}, "arch is 'bart_large'; those that can be read are transformer"),
        ({"task": "multilingual_translation"}, "task is 'multilingual_translation'; only models of the task"),
        ({"activation_fn": "gelu_fast"}, "activation_fn is 'gelu_fast'; known are relu, gelu, swish"),
        ({"layernorm_embedding": True}, "layernorm_embedding is True; ours has no such part"),
        ({"adaptive_softmax_cutoff": "9,99"}, "adaptive_softmax_cutoff is '9,99'; ours has no such part"),
        ({"cross_self_attention": True}, "cross_self_attention is True"),
        ({"quant_noise_scalar": 0.5}, "quant_noise_scalar is 0.5"),
        ({"encoder_layers_to_keep": "0,2"}, "encoder_layers_to_keep is '0,2'"),
        ({"decoder_embed_dim": 32}, "decoder_embed_dim is 32; encoder_embed_dim is 16, and ours has one value"),
        ({"decoder_output_dim": 8}, "decoder_output_dim is 8; ours has one width, here 16"),
        ({"decoder_attention_heads": 4}, "decoder_attention_heads is 4; encoder_attention_heads is 2"),
        ({"decoder_normalize_before": True}, "decoder_normalize_before is True; encoder_normalize_before is False"),
        ({"decoder_learned_pos": True}, "decoder_learned_pos is True; encoder_learned_pos is False"),
        ({"share_all_embeddings": True}, "share_all_embeddings is True; but the dictionaries of the two"),
        ({"encoder_layers": "2"}, "encoder_layers is '2'; expected a whole number"),
        ({"encoder_embed_dim": 15, "decoder_embed_dim": 15}, "no network of ours: .*heads"),
        ({"no_scale_embedding": 1}, "no_scale_embedding is 1; expected True or False"),
        ({"bpe": "gpt2"}, "bpe is 'gpt2'; known are sentencepiece, subword_nmt, fastbpe"),
        ({"bpe_separator": 3}, "bpe_separator is 3; expected a text"),
        ({"source_lang": "../de"}, "source_lang is '../de'; expected a language as it is named in dict.LANGUAGE"),
        ({"activation_fn": ["relu"]}, r"activation_fn is \['relu'\]; known are"),
        ({"tokenizer": "nltk"}, "tokenizer is 'nltk'; known are moses, space"),
    ],
)
def test_a_setting_that_ours_has_not_is_named(make_checkpoint, change_settings, settings, problem):
    folder, _ = make_checkpoint()
    change_settings(folder, **settings)
    with pytest.raises(ConversionError, match=f"checkpoint_best.pt: {problem}"):
        load(folder)


def without(*names):
    return lambda weights: {name: tensor for name, tensor in weights.items() if not name.startswith(names)}


NORM = "encoder.layers.0.final_layer_norm.weight"
PRE_NORM = {"encoder_normalize_before": True, "decoder_normalize_before": True}
LEARNED = {"encoder_learned_pos": True, "decoder_learned_pos": True}


@pytest.mark.parametrize(
    ("settings", "change", "problem"),
    [
        ({}, without(NORM), f"the weights do not fit .*: {NORM} is missing"),
        ({}, lambda held: held | {"decoder.new.weight": held[NORM]}, "decoder.new.weight is left over"),
        ({}, lambda held: held | {NORM: held[NORM].int()}, f"{NORM} holds torch.int32"),
        ({}, lambda held: held | {NORM: 1.0}, f"model: expected names and their tensors, found '{NORM}'"),
        ({}, lambda held: held | {"encoder.embed_positions.weight": torch.zeros(42, 16)}, "is left over"),
        (PRE_NORM, without("decoder.layer_norm"), "decoder_normalize_before is True; but there is no decoder.layer_no"),
        (LEARNED, lambda held: held | {"decoder.embed_positions.weight": torch.zeros(9, 16)},
         "max_target_positions is 40; but max_source_positions is 40"),
        (LEARNED, without("encoder.embed_positions", "decoder.embed_positions"), "embed_positions.weight is missing"),
        ({"share_all_embeddings": True, "words": {"de": ["A"], "en": ["A"]}},
         lambda held: held | {"encoder.embed_tokens.weight": held["encoder.embed_tokens.weight"] + 1},
         "decoder.embed_tokens.weight and encoder.embed_tokens.weight differ"),
    ],
)  # fmt: skip
def test_weights_that_do_not_fit_are_named(make_checkpoint, settings, change, problem):
    folder, _ = make_checkpoint(change=change, **settings)
    with pytest.raises(ConversionError, match=f"checkpoint_best.pt: .*{problem}"):
        load(folder)


class Hostile:
    """Makes a folder when it is unpickled."""

    def __init__(self, mark):
        self.mark = mark

    def __reduce__(self):
        return os.mkdir, (str(self.mark),)


@pytest.mark.parametrize("place", ["extra_state", "args", "model"])
def test_a_hostile_checkpoint_is_refused_and_not_run(make_checkpoint, tmp_path, place):
    folder, _ = make_checkpoint()
    path = folder / "checkpoint_best.pt"
    state = torch.load(path, weights_only=False)
    state[place] = Namespace(arch=Hostile(tmp_path / "mark")) if place == "args" else {"a": Hostile(tmp_path / "mark")}
    torch.save(state, path)
    with pytest.raises(ConversionError, match=r"checkpoint_best.pt: .*would run code \(.*mkdir"):
        load(folder)
    assert not (tmp_path / "mark").exists()
    torch.load(path, weights_only=False)
    assert (tmp_path / "mark").exists()  # it would have


def test_the_state_of_a_training_is_skipped(make_checkpoint, foreign, monkeypatch):
    folder, _ = make_checkpoint()
    path = folder / "checkpoint_best.pt"
    meter = foreign("fairseq.meters.AverageMeter")()
    meter.avg = 3.0
    state = torch.load(path, weights_only=False)
    state["extra_state"] = {"train_meters": {"loss": meter}, "bleu": [np.arange(4), np.float64(3.5)]}
    torch.save(state, path, _use_new_zipfile_serialization=False)  # as when there were such meters
    monkeypatch.undo()
    assert load(folder).tokenizers.source.vocab_size == 16


def test_a_damaged_file_is_told(make_checkpoint):
    folder, _ = make_checkpoint()
    path = folder / "checkpoint_best.pt"
    path.write_bytes(path.read_bytes()[:3000])
    with pytest.raises(ConversionError, match=r"checkpoint_best.pt: not a PyTorch file, or a damaged one"):
        load(folder)
    torch.save({"args": Namespace(), "weights": {}}, path)
    with pytest.raises(ConversionError, match=r"checkpoint_best.pt: no fairseq checkpoint: there is no model in it"):
        load(folder)
    torch.save({"args": None, "cfg": {"task": {}}, "model": {}}, path)
    with pytest.raises(ConversionError, match=r"checkpoint_best.pt: neither args nor cfg.model in it"):
        load(folder)


def test_which_checkpoint_is_meant(make_checkpoint, tmp_path):
    folder, _ = make_checkpoint()
    (folder / "checkpoint_best.pt").rename(folder / "model1.pt")
    assert find_format(folder) == find_format(folder / "model1.pt") == "fairseq"
    assert load(folder).config.model.decoder_layers == 3
    shutil.copy(folder / "model1.pt", folder / "model2.pt")
    with pytest.raises(ConversionError, match=r"several checkpoints: model1.pt, model2.pt; name one of these"):
        load(folder)
    together = load([folder / "model1.pt", folder / "model2.pt"])
    assert together.translate(["das Haus"])[0].text == load(folder / "model1.pt").translate(["das Haus"])[0].text
    (tmp_path / "elsewhere").mkdir()
    shutil.copy(folder / "model1.pt", tmp_path / "elsewhere" / "checkpoint_last.pt")
    with pytest.raises(ConversionError, match=r"no dict.de.txt and dict.en.txt; copy them here from the folder of"):
        load(tmp_path / "elsewhere")
    with pytest.raises(CheckpointError, match="this is a file, not a folder"):
        load(folder / "dict.de.txt")


def test_it_is_ours_afterwards(make_checkpoint, tmp_path):
    folder, _ = make_checkpoint()
    out = tmp_path / "ours"
    done = CliRunner().invoke(app, ["convert", str(folder / "checkpoint_best.pt"), str(out), "--to", "ferryman"])
    assert done.exit_code == 0, done.stderr
    assert "sample sentences are translated alike by Ferryman, which read it back" in done.stderr
    _, config, tokenizers = load_model(out)
    assert (config.model.sinusoid_layout, config.model.position_offset) == ("fairseq", 2)
    assert tokenizers.source.encode("das Haus") == [4, 5]
    text = "das Haus ist gross ."
    assert load(out).translate([text])[0].tokens == load(folder).translate([text])[0].tokens
    facts = CliRunner().invoke(app, ["info", str(folder)]).stdout
    assert re.search(r"format +fairseq\n", facts)
    assert re.search(r"source words +at white space, whole\n", facts)
    assert "control tokens" not in facts
    with pytest.raises(ConversionError, match=r"no model.sinusoid_layout: fairseq"):
        convert(folder, tmp_path / "hf", "huggingface")
