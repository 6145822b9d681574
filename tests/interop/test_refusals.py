"""What is broken, hostile or unknown is refused with a reason, and nothing in it is run."""

import json
import os
import pickle
import shutil
from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file, save_file

from ferryman import convert, load
from ferryman.cli.app import app
from ferryman.errors import CheckpointError, ConfigError, ConversionError
from ferryman.interop.formats import find_format

OPENNMT_BPE = Path(__file__).parent / "opennmt" / "bpe"


@pytest.fixture
def out(make_model, tmp_path, monkeypatch) -> Path:
    """A model that went out to Hugging Face."""
    monkeypatch.setattr("ferryman.workflows.convert._peer", lambda path, model: None)
    convert(make_model(source="en", target="de", tie="two-way"), tmp_path / "out", "huggingface", texts=[])
    return tmp_path / "out"


class Hostile:
    """Runs a command when it is unpickled."""

    def __init__(self, mark: Path) -> None:
        self.mark = mark

    def __reduce__(self):
        return os.mkdir, (str(self.mark),)


@pytest.mark.parametrize("how", ["torch", "pickle"])
def test_a_hostile_pickle_is_refused_and_not_run(out, tmp_path, how):
    (out / "model.safetensors").unlink()
    path = out / "pytorch_model.bin"
    value = {"model.encoder.layers.0.fc1.weight": torch.zeros(1), "more": Hostile(tmp_path / "mark")}
    if how == "torch":
        torch.save(value, path)
    else:
        path.write_bytes(pickle.dumps(value))
    with pytest.raises(ConversionError, match=r"pytorch_model.bin: .*(would run code|not a PyTorch file)"):
        load(out)
    assert not (tmp_path / "mark").exists()
    torch.load(path, weights_only=False) if how == "torch" else pickle.loads(path.read_bytes())
    assert (tmp_path / "mark").exists()  # it would have


def test_a_text_is_no_hostile_pickle(out):
    """Its first letter may be an operation of an old pickle: that of a global name."""
    (out / "model.safetensors").unlink()
    (out / "pytorch_model.bin").write_text("cannot be weights\nat all\n")
    with pytest.raises(ConversionError, match=r"pytorch_model.bin: not a PyTorch file"):
        load(out)


def change(name, value):
    def act(folder):
        settings = json.loads((folder / "config.json").read_text())
        settings[name] = value
        (folder / "config.json").write_text(json.dumps(settings))

    return act


def cut(name, size=100):
    return lambda folder: (folder / name).write_bytes((folder / name).read_bytes()[:size])


def drop(name):
    return lambda folder: (folder / name).unlink()


def weights(act):
    def change(folder):
        held = load_file(folder / "model.safetensors")
        act(held)
        save_file({name: tensor.clone() for name, tensor in held.items()}, folder / "model.safetensors")

    return change


def in_a_pickle(folder):
    torch.save(load_file(folder / "model.safetensors"), folder / "pytorch_model.bin")
    (folder / "model.safetensors").unlink()
    cut("pytorch_model.bin", 3000)(folder)


def outside(folder):
    (folder / "model.safetensors").unlink()
    index = {"weight_map": {"a": "../ours/model.safetensors"}}
    (folder / "model.safetensors.index.json").write_text(json.dumps(index))


FC1 = "model.encoder.layers.0.fc1.weight"


@pytest.mark.parametrize(
    ("damage", "problem"),
    [
        (cut("config.json"), "config.json: not JSON"),
        (cut("model.safetensors"), "model.safetensors: cannot read the weights"),
        (in_a_pickle, "pytorch_model.bin: not a PyTorch file, or a damaged one"),
        (outside, r"names the file '../ours/model.safetensors' outside of its folder"),
        (drop("model.safetensors"), "no weights in it; expected one of model.safetensors"),
        (drop("vocab.json"), "vocab.json: cannot read it"),
        (drop("target.spm"), "target.spm: cannot read it"),
        (cut("source.spm", 50), "not a SentencePiece model"),
        (change("model_type", "t5"), "a model of the type 't5'; those that can be read are marian"),
        (change("activation_function", "gelu_new"), "activation_function is 'gelu_new'; known are"),
        (change("d_model", "16"), "d_model is '16', expected a whole number"),
        (change("encoder_ffn_dim", 48), "encoder_ffn_dim is 48 and decoder_ffn_dim 24"),
        (change("encoder_layers", 3), r"model.encoder.layers.2.fc1.bias is missing; .*; and 11 more"),
        (change("encoder_layers", 1), r"model.encoder.layers.1.fc1.bias is left over"),
        (change("eos_token_id", 9), "eos_token_id is 9, but </s> is 3"),
        (change("ferryman", {"decoding": {"beam": -1}}), "ferryman.decoding.beam"),
        (change("ferryman", {"directions": [["en", "de"], ["x/y", "de"]]}), "config.json: .*pattern"),
        (weights(lambda held: held.update({FC1: held[FC1][:5]})), rf"{FC1} is \(5, 16\), expected \(24, 16\)"),
        (weights(lambda held: held.update({FC1: held[FC1].int()})), f"{FC1} holds torch.int32"),
        (weights(lambda held: held.update({"lm_head.weight": held["model.decoder.embed_tokens.weight"] + 1})),
         "model.decoder.embed_tokens.weight and lm_head.weight differ"),
        (weights(lambda held: held.update({"model.encoder.embed_positions.weight": torch.ones(9, 16)})),
         "embed_positions.weight is not what MarianMTModel computes"),
        (weights(lambda held: held.update({"model.decoder.embed_tokens.weight": torch.zeros(9, 16)})),
         "there are 9 rows of embeddings"),
    ],
)  # fmt: skip
def test_what_is_damaged_is_told(out, damage, problem):
    damage(out)
    with pytest.raises(ConversionError, match=problem):
        load(out)


def test_what_is_no_model_is_told(tmp_path, make_model, monkeypatch):
    with pytest.raises(CheckpointError, match="no such folder"):
        convert(tmp_path / "absent", tmp_path / "out", "huggingface")
    (tmp_path / "empty").mkdir()
    with pytest.raises(CheckpointError, match=r"no config.yaml in it"):
        load(tmp_path / "empty")
    (tmp_path / "empty" / "model.bin").touch()
    assert find_format(tmp_path / "empty") == "ctranslate2"
    with pytest.raises(ConversionError, match="in the format ctranslate2, which is only written"):
        load(tmp_path / "empty")
    with pytest.raises(ConfigError, match="no format 'tensorflow'"):
        convert(make_model(), tmp_path / "out", "tensorflow")
    with pytest.raises(ConfigError, match="only ctranslate2 and argos have other numbers"):
        convert(tmp_path / "ours", tmp_path / "out", "huggingface", quantization="int8")
    with pytest.raises(ConfigError, match="empty is there already"):
        convert(tmp_path / "ours", tmp_path / "empty", "huggingface")


def test_the_command_says_what_it_did(make_model, tmp_path, monkeypatch):
    from typer.testing import CliRunner

    monkeypatch.setattr(
        "ferryman.workflows.convert._peer", lambda path, model: (lambda task: ["?"] * len(task.texts), "them")
    )
    (tmp_path / "three.txt").write_text("The river is wide.\nAnna sleeps.\nWho are you?\n")
    words = ["convert", str(make_model()), str(tmp_path / "out"), "--to", "huggingface"]
    words += ["--check", str(tmp_path / "three.txt")]
    done = CliRunner().invoke(app, [*words, "--json"])
    assert done.exit_code == 1
    assert "sample sentences are translated alike by them" in done.stderr
    assert json.loads(done.stdout)["agreement"]["difference"][2] == "?"
    shutil.rmtree(tmp_path / "out")
    monkeypatch.setattr("ferryman.workflows.convert._peer", lambda path, model: None)
    done = CliRunner().invoke(app, [*words, "decoding.beam=2"])
    assert done.exit_code == 0
    assert "3 of 3 sample sentences are translated alike by Ferryman" in done.stderr
    assert load(tmp_path / "out").config.decoding.beam == 2
    (tmp_path / "out" / "README.md").write_text("---\nlanguage: en\nlicense: apache-2.0\n---\nlicense: none\n")
    done = CliRunner().invoke(app, ["info", str(tmp_path / "out")])
    assert "Hugging Face, marian" in done.stdout
    assert "licence     apache-2.0" in done.stdout


@pytest.mark.parametrize("side", ["src", "tgt"])
def test_merges_of_the_other_side_do_not_stand_in(tmp_path, side):
    shutil.copytree(OPENNMT_BPE, tmp_path / "bpe")
    (tmp_path / "bpe" / f"{side}.codes").unlink()
    with pytest.raises(ConversionError, match=rf"its file is not there; put it there as {side}\.codes"):
        load(tmp_path / "bpe" / "model.pt")


def test_of_a_folder_the_checkpoint_is_to_be_named():
    with pytest.raises(CheckpointError, match=r"bpe: checkpoints of OpenNMT-py are given by their names, .*model\.pt"):
        load(OPENNMT_BPE)
