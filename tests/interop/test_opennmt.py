"""Checkpoints of OpenNMT-py and folders of Eole come in: fixtures that these made, with what they make of them."""

import json
import os
import shutil
from argparse import Namespace
from functools import reduce
from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file, save_file
from typer.testing import CliRunner

from ferryman import convert, load
from ferryman.checkpoint import assemble
from ferryman.cli.app import app
from ferryman.errors import CheckpointError, ConversionError
from ferryman.interop.formats import find_format, read_stored
from ferryman.interop.stored import read_pickle

HERE = Path(__file__).parent
OPENNMT = {name: HERE / "opennmt" / name / "model.pt" for name in ("sentencepiece", "bpe", "words", "version-2")}
EOLE = {name: HERE / "eole" / name for name in ("sentencepiece", "words")}
EVERY = [*OPENNMT.values(), *EOLE.values()]
NAMES = [f"{path.relative_to(HERE)}".removesuffix("/model.pt") for path in EVERY]


def expected(path: Path) -> dict:
    folder = path if path.is_dir() else path.parent
    return json.loads((folder / "expected.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize("path", EVERY, ids=NAMES)
def test_the_same_logits(path):
    stored, theirs = read_stored(path), expected(path)["logits"]
    model = assemble(stored.weights, stored.config, stored.tokenizers, path)
    assert stored.tokenizers.target.bos_id == theirs["target"][0]
    with torch.inference_mode():
        found = model(torch.tensor([theirs["source"]]), torch.tensor([theirs["target"]]))[0]
    logits = torch.tensor(theirs["logits"])
    assert (found - logits).abs().max() < 1e-4
    assert logits.std() > 0.5


@pytest.mark.parametrize("path", EVERY, ids=NAMES)
def test_the_same_translations(path):
    plain = ["decoding.length_penalty=0.0", "decoding.beam=4", "decoding.fallback=false", "decoding.protect=[]"]
    translator = load(path, plain)
    sources, said = zip(*expected(path)["translations"], strict=True)
    assert [one.text for one in translator.translate(list(sources))] == list(said)
    assert len(set(said)) > 1


def test_the_source_has_no_end_symbol():
    translator = load(OPENNMT["words"], ["decoding.alignment=soft", "decoding.coverage_penalty=0.1"])
    text = "the house is old"
    found = translator.translate([text])[0]
    assert found.alignment.source_tokens == ("the", "house", "is", "old")
    assert translator.score([text], [found])[0] == pytest.approx(found.log_prob, abs=1e-4)
    assert not translator.config.model.source_end


@pytest.mark.parametrize("path", [OPENNMT["bpe"], EOLE["sentencepiece"]], ids=["OpenNMT-py", "Eole"])
def test_it_is_ours_afterwards(path, tmp_path):
    conversion = convert(path, tmp_path / "ours", "ferryman", ["data.source_language=en", "data.target_language=de"])
    assert conversion.is_good
    texts = [source for source, _ in expected(path)["translations"]]
    before, after = load(path), load(tmp_path / "ours")
    assert [one.tokens for one in after.translate(texts)] == [one.tokens for one in before.translate(texts)]
    assert after.config.data.source_language == "en"


@pytest.mark.parametrize(("path", "name"), [(OPENNMT["bpe"], "OpenNMT-py"), (EOLE["words"], "Eole")])
def test_what_it_is(path, name):
    found = json.loads(CliRunner().invoke(app, ["info", str(path), "--json"]).stdout)
    assert (found["format"], found["languages"]) == (name, "und → und")


def test_ctranslate2_reads_it_as_we_do(tmp_path):
    pytest.importorskip("ctranslate2")
    path = OPENNMT["sentencepiece"]
    texts = [source for source, _ in expected(path)["translations"]]
    conversion = convert(path, tmp_path / "out", "ctranslate2", texts=texts)
    assert conversion.agreement.equal == conversion.agreement.sentences == len(texts)


@pytest.fixture
def make_checkpoint(tmp_path):
    """Copy a checkpoint, with changes."""

    def make(name="words", act=lambda checkpoint: None, **options):
        shutil.copytree(OPENNMT[name].parent, tmp_path / "copy")
        path = tmp_path / "copy" / "model.pt"
        checkpoint = read_pickle(path, [Namespace])
        vars(checkpoint["opt"]).update(options)
        act(checkpoint)
        torch.save(checkpoint, path)
        return path

    return make


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        ({"max_relative_positions": -1}, "max_relative_positions is -1; ours can only be 0"),
        ({"layer_norm": "rms"}, "layer_norm is 'rms'; ours can only be 'standard'"),
        ({"parallel_residual": True}, "parallel_residual is True"),
        ({"decoder_type": "transformer_lm"}, "decoder_type is 'transformer_lm'"),
        ({"self_attn_type": "average"}, "self_attn_type is 'average'"),
        ({"pos_ffn_activation_fn": "gated-gelu"}, "pos_ffn_activation_fn is 'gated-gelu'; ours has relu, gelu, silu"),
        ({"position_encoding": False}, "position_encoding is False"),
        ({"position_encoding_type": "SinusoidalConcat"}, "pe.pe is not what ours computes by its settings"),
        ({"heads": 3}, "3 heads do not divide d_model 8"),
        ({"heads": "2"}, "heads is '2'; expected a whole number"),
        ({"enc_layers": 3}, r"encoder.transformer.2.feed_forward.layer_norm.bias is missing.*more"),
        ({"add_ffnbias": "yes"}, "add_ffnbias is 'yes'; expected true or false"),
        ({"transforms": ["bpe", "uppercase"]}, "transforms are bpe, uppercase; ours has"),
        ({"transforms": ["bpe"]}, "texts are cut by bpe, but its file is not there"),
        ({"transforms": ["onmt_tokenize"], "src_onmttok_kwargs": {"mode": "aggressive"}}, "src_onmttok_kwargs.mode is"),
    ],
)
def test_what_ours_cannot_be_is_named(make_checkpoint, options, problem):
    with pytest.raises(ConversionError, match=problem):
        read_stored(make_checkpoint(**options))


@pytest.mark.parametrize(
    ("act", "problem"),
    [
        (lambda held: held["model"].pop("encoder.layer_norm.weight"), "encoder.layer_norm.weight is missing"),
        (lambda held: held["model"].update(more=torch.ones(1)), "more is left over"),
        (lambda held: held["model"].update(more=1), "more is a int, expected a tensor"),
        (lambda held: held.update(generator=None), "generator is a NoneType, expected values by name"),
        (lambda held: held.update(opt={}), "no checkpoint of OpenNMT-py: it lacks opt"),
        (lambda held: held["vocab"].update(src=7), "vocabulary src: expected a list of tokens"),
        (lambda held: held["vocab"].update(src_feats=[["a"]]), r"src_feats is \[\['a'\]\]"),
        (lambda held: held["vocab"].update(decoder_start_token="buch"), "decoder_start_token is 'buch'; ours can"),
        (lambda held: held["vocab"]["tgt"].append("new"), r"generator.bias is \(24,\), expected \(25,\)"),
        (lambda held: held["vocab"]["src"].append("￭s"), "the tokens have joiners"),
        (lambda held: held.pop("model"), "no weights in it; expected model.00.safetensors"),
    ],
)
def test_what_is_damaged_is_told(make_checkpoint, act, problem):
    with pytest.raises(ConversionError, match=problem):
        read_stored(make_checkpoint(act=act))


def test_weights_may_stand_beside_the_checkpoint(make_checkpoint):
    weights = {}

    def move(checkpoint):
        weights.update(checkpoint.pop("model"))
        weights.update({f"generator.{name}": tensor for name, tensor in checkpoint.pop("generator").items()})

    path = make_checkpoint(act=move)
    save_file({name: tensor.clone() for name, tensor in weights.items()}, path.with_name("model.00.safetensors"))
    found, before = read_stored(path).weights, read_stored(OPENNMT["words"]).weights
    assert all(torch.equal(found[name], before[name]) for name in before)


def test_attention_without_biases_is_one_with_zeros(make_checkpoint):
    weights = read_stored(OPENNMT["bpe"]).weights
    assert weights["encoder.layers.0.self_attention.in_projection.bias"].any()
    assert not weights["encoder.layers.0.feed_forward.inner.bias"].any()
    assert not weights["decoder.layers.0.feed_forward.outer.bias"].any()
    with pytest.raises(ConversionError, match=r"self_attn.final_linear.bias is missing"):
        read_stored(make_checkpoint("sentencepiece", add_qkvbias=True))


class Hostile:
    """Runs a command when it is unpickled."""

    def __init__(self, mark):
        self.mark = mark

    def __reduce__(self):
        return os.mkdir, (str(self.mark),)


@pytest.mark.parametrize("zipped", [True, False], ids=["as now", "as before PyTorch 1.6"])
@pytest.mark.parametrize("place", ["opt", "vocab", "optim"])
def test_a_hostile_checkpoint_is_refused_and_not_run(tmp_path, place, zipped):
    path, hostile = tmp_path / "model.pt", Hostile(tmp_path / "mark")
    held = {"model": {}, "generator": {}, "vocab": {}, "opt": Namespace(), "optim": None}
    torch.save({**held, place: hostile}, path, _use_new_zipfile_serialization=zipped)
    assert find_format(path) == "opennmt"
    with pytest.raises(ConversionError, match=r"model.pt: .*(would run code|not a PyTorch file)"):
        load(path)
    assert not (tmp_path / "mark").exists()


@pytest.mark.parametrize("content", [b"", b"PK\x03\x04" + b"x" * 50, b"\x80\x02}.", b"text\n"])
def test_another_file_is_no_checkpoint(tmp_path, content):
    (tmp_path / "model.pt").write_bytes(content)
    assert find_format(tmp_path / "model.pt") is None
    with pytest.raises(CheckpointError, match=r"model.pt: no checkpoint of fairseq or OpenNMT-py, or a damaged one"):
        load(tmp_path / "model.pt")


def settings(**changes):
    def act(folder):
        config = json.loads((folder / "config.json").read_text())
        for name, value in changes.items():
            *outer, last = name.split("__")
            reduce(lambda inner, key: inner.setdefault(key, {}), outer, config)[last] = value
        (folder / "config.json").write_text(json.dumps(config))

    return act


def cut(name):
    return lambda folder: (folder / name).write_bytes((folder / name).read_bytes()[:60])


def without(name):
    def act(folder):
        held = load_file(folder / "model.00.safetensors")
        held.pop(name)
        save_file(held, folder / "model.00.safetensors")

    return act


@pytest.mark.parametrize(
    ("act", "problem"),
    [
        (settings(model__layer_norm="rms"), r"config.json: model.encoder.layer_norm is 'rms'; ours can only be"),
        (settings(model__decoder__heads=4), r"model.decoder.heads is 4; the encoder's is"),
        (settings(model__heads_kv=1), r"heads_kv is 1; ours can only be None or 2"),
        (settings(model__encoder__encoder_type="brnn"), "model.encoder.encoder_type is 'brnn'"),
        (settings(model__embeddings__position_encoding_type="Rotary"), "position_encoding_type is 'Rotary'; ours can"),
        (settings(model__embeddings=7), "model.embeddings is 7; expected settings under it"),
        (settings(model__mlp_activation_fn="gated-gelu"), "mlp_activation_fn is 'gated-gelu'; ours has"),
        (settings(training__quant_layers=["w"]), r"training.quant_layers is \['w'\]"),
        (settings(model__encoder__layers=1), "encoder.transformer_layers.1.* is left over"),
        (cut("config.json"), "config.json: not JSON"),
        (cut("vocab.json"), "vocab.json: not JSON"),
        (lambda folder: (folder / "vocab.json").unlink(), "vocab.json: cannot read it: No such file"),
        (cut("model.00.safetensors"), "model.00.safetensors: cannot read the weights"),
        (without("src_emb.embeddings.weight"), "no table of embeddings, src_emb.embeddings.weight"),
        (without("decoder.layer_norm.weight"), "decoder.layer_norm.weight is missing"),
        (
            lambda folder: (folder / "joint.model").unlink(),
            "cut by sentencepiece, but its file is not there; put it there as joint.model",
        ),
    ],
)
def test_what_eole_cannot_give_is_told(copy, act, problem):
    folder = copy(EOLE["sentencepiece"])
    act(folder)
    with pytest.raises(ConversionError, match=problem):
        read_stored(folder)
