"""Runs of Joey NMT come in: the same logits and the same translations as it gave (see ``peers/make_joeynmt.py``)."""

import json
import os
import re
import shutil
from pathlib import Path

import numpy as np
import pytest
import torch
from ruamel.yaml import YAML
from safetensors.torch import load_file
from typer.testing import CliRunner

from ferryman import __version__, convert, load
from ferryman.checkpoint import assemble
from ferryman.cli.app import app
from ferryman.errors import CheckpointError, ConversionError
from ferryman.interop.formats import find_format
from ferryman.interop.joeynmt.reading import read_joeynmt
from ferryman.interop.joeynmt.vocabulary import restrict
from ferryman.text import SentencePieceTokenizer
from ferryman.workflows.describe import describe

pytest.importorskip("subword_nmt", reason="needs subword-nmt, of words")
pytest.importorskip("sacremoses", reason="needs sacremoses, of words")
RUNS = sorted(path for path in (Path(__file__).parent / "peers" / "joeynmt").iterdir())
PLAIN = ["decoding.protect=[]", "decoding.fallback=false", "decoding.split_sentences=false"]


class Hostile:
    """Runs a command when it is unpickled."""

    def __init__(self, mark: Path) -> None:
        self.mark = mark

    def __reduce__(self):
        return os.mkdir, (str(self.mark),)


def expected(run):
    return json.loads((run / "expected.json").read_text(encoding="utf-8"))


@pytest.fixture
def run(tmp_path) -> Path:
    """A copy of the run with words cut by subword-nmt, to be changed."""
    return Path(shutil.copytree(next(run for run in RUNS if run.name == "parts"), tmp_path / "run"))


def change(run, key, value):
    yaml = YAML(typ="safe", pure=True)
    path = run / "config.yaml"
    tree = node = json.loads(json.dumps(yaml.load(path)))  # without what it has twice by reference
    *sections, last = key.split(".")
    for section in sections:
        node = node.setdefault(section, {})
    node[last] = value
    yaml.dump(tree, path)


@pytest.mark.parametrize("run", RUNS, ids=lambda run: run.name)
def test_the_same_logits(run):
    stored, held = read_joeynmt(run), load_file(run / "expected.safetensors")
    ours = assemble(stored.weights, stored.config, stored.tokenizers, run)
    real = held["source"] != stored.tokenizers.source.pad_id
    with torch.inference_mode():
        found = ours(held["source"], held["target"], real)
    assert (found - held["logits"]).abs().max() < 1e-4
    assert held["logits"].std() > 0.5


@pytest.mark.parametrize("run", RUNS, ids=lambda run: run.name)
def test_the_same_tokens_and_translations(run):
    said = expected(run)
    translator = load(run, [*PLAIN, "decoding.length_penalty=0.0"])
    source = translator.tokenizers.source
    assert translator.config.decoding.beam == said["beam"]
    assert [[*source.encode(text), source.eos_id] for text in said["texts"]] == said["source_ids"]
    found = [translator.translate([text])[0] for text in said["texts"]]
    assert [one.text for one in found] == said["translations"]
    assert [one.score for one in found] == pytest.approx(said["scores"], abs=1e-4)
    assert len(set(said["translations"])) > 2


def test_the_length_penalty_means_the_same():
    run = next(run for run in RUNS if run.name == "parts")
    said = expected(run)["penalised"]
    translator = load(run, PLAIN)
    assert translator.config.decoding.length_penalty == said["beam_alpha"] == 1.0
    found = [translator.translate([text])[0] for text in expected(run)["texts"]]
    assert [one.text for one in found] == said["translations"]
    assert [one.score for one in found] == pytest.approx(said["scores"], abs=1e-4)


def test_it_becomes_ours_and_says_what_it_is(run, tmp_path):
    made = convert(run, tmp_path / "ours", "ferryman", texts=expected(run)["texts"])
    assert made.agreement.equal == made.agreement.sentences > 2
    card = (tmp_path / "ours" / "README.md").read_text(encoding="utf-8")
    assert f"Transformer converted with Ferryman {__version__} from Joey NMT 2.3.0: 1 + 2 layers" in card
    convert(tmp_path / "ours", tmp_path / "again", "ferryman", texts=["a"])
    assert (tmp_path / "again" / "README.md").read_text(encoding="utf-8") == card
    translator = load(tmp_path / "ours", [*PLAIN, "decoding.length_penalty=0.0"])
    assert [one.text for one in translator.translate(expected(run)["texts"])] == expected(run)["translations"]
    facts = describe(run)
    assert facts["format"] == "Joey NMT 2.3.0"
    assert facts["languages"] == "en → de"
    assert "post-norm" in facts["layers"]
    assert facts["parameters"] == describe(tmp_path / "ours")["parameters"]
    done = CliRunner().invoke(app, ["translate", str(run)], input="The river is wide.\n")
    assert done.exit_code == 0, done.output


def test_a_checkpoint_may_be_named(run):
    (run / "best.ckpt").rename(run / "avg.ckpt")
    assert find_format(run / "avg.ckpt") == find_format(run) == "joeynmt"
    assert load(run / "avg.ckpt").tokenizers == load(run).tokenizers  # the only one
    shutil.copy(run / "avg.ckpt", run / "120.ckpt")
    with pytest.raises(ConversionError, match=r"no best.ckpt or latest.ckpt in it, but 2 other checkpoints; name one"):
        load(run)
    (run / "latest.ckpt").symlink_to("120.ckpt")
    assert load(run)
    for path in run.glob("*.ckpt"):
        path.unlink()
    with pytest.raises(ConversionError, match=r"no checkpoint in it; expected best.ckpt or latest.ckpt"):
        load(run)


def test_a_run_of_1_x(run):
    """Its weights have the same names, it is always pre-norm, and it leaves the cutting of words to its users."""
    pre = next(run for run in RUNS if run.name == "words")
    shutil.rmtree(run)
    shutil.copytree(pre, run)
    yaml = YAML(typ="safe", pure=True)
    tree = yaml.load(run / "config.yaml")
    del tree["joeynmt_version"]
    for side in ("encoder", "decoder"):
        del tree["model"][side]["layer_norm"]
    tree["data"] = {"src": "en", "trg": "de", "level": "word", "lowercase": True}
    tree["testing"] = {"beam_size": 3, "alpha": 0.6}
    yaml.dump(tree, run / "config.yaml")
    translator = load(run, PLAIN)
    assert describe(run)["format"] == "Joey NMT"
    assert translator.config.model.norm_order == "pre"
    assert translator.config.decoding.length_penalty == 0.6
    assert (
        translator.translate(["the river is wide ."])[0].tokens
        == load(pre).translate(["the river is wide ."])[0].tokens
    )
    tree["data"]["level"] = "bpe"
    yaml.dump(tree, run / "config.yaml")
    with pytest.raises(
        ConversionError, match=r"bpe.codes: cannot read it.*put the subword-nmt codes, with which the text"
    ):
        load(run)
    (run / "bpe.codes").write_text("t h\nth e</w>\n")
    assert load(run).tokenizers.source.encode("the")


@pytest.mark.parametrize(
    ("key", "value", "problem"),
    [
        ("joeynmt_version", "3.0.0", "joeynmt_version is '3.0.0'; those that can be read are 1 and 2"),
        ("model.encoder.type", "recurrent", "model.encoder.type is 'recurrent'; only 'transformer' can be read"),
        ("model.decoder.type", None, "model.decoder.type is 'recurrent'; only"),
        ("model.encoder.layer_norm", "pre", "model.encoder.layer_norm is 'pre' and model.decoder.layer_norm 'post'"),
        ("model.decoder.alpha", 2.0, "model.encoder.alpha is 1.25 and model.decoder.alpha 2.0; ours has one value"),
        ("model.encoder.num_layers", "two", "model.encoder.num_layers is 'two'; expected a whole number"),
        ("model.encoder.embeddings.scale", False, "embeddings.scale is False and model.decoder.embeddings.scale True"),
        ("model.encoder.embeddings.embedding_dim", 32, "embedding_dim is 32; hidden_size is 16"),
        (
            "model.encoder.num_heads",
            4,
            "model.encoder.num_heads is 4 and model.decoder.num_heads 2; ours has one value",
        ),
        ("model.encoder.num_layers", 3, "encoder.layers.1.feed_forward.layer_norm.bias is missing; .* and 27 more"),
        ("model.tied_embeddings", True, "model.tied_embeddings is True; the tables have 42 and 32 rows"),
        ("model.encoder.alpha", float("nan"), "model.encoder.alpha is nan and model.decoder.alpha 1.25"),
        ("testing.beam_alpha", float("nan"), "finite number"),
        ("model", None, "model.encoder.type is 'recurrent'"),
        ("data", None, "data.level is None; known are word and bpe"),
        ("data.src.level", "char", "data.src.level is 'char'; known are word and bpe"),
        ("data.src.tokenizer_type", "other", "data.src.tokenizer_type is 'other'; known are subword-nmt and"),
        ("data.src.tokenizer_cfg.pretokenizer", "mecab", "pretokenizer is 'mecab'; known are none and moses"),
        ("data.src.tokenizer_cfg.codes", "../elsewhere/other.codes", r"run/other.codes: cannot read it: No such file"),
        ("data.src.normalize", True, "data.src.normalize is True; data.trg.normalize is False; ours has one value"),
        ("data.special_symbols", {"lang_tags": ["<de>"]}, r"lang_tags is \['<de>'\]; ours does not know where"),
    ],
)
def test_what_ours_cannot_be_is_refused_by_key_and_value(run, key, value, problem):
    change(run, key, value)
    with pytest.raises(ConversionError, match=problem):
        load(run)


def damage(path, old, new):
    path.write_text(re.sub(old, new, path.read_text(encoding="utf-8"), count=1), encoding="utf-8")


@pytest.mark.parametrize(
    ("act", "problem"),
    [
        (lambda run: (run / "config.yaml").write_text("model: [1\n"), r"config.yaml, line 2: not YAML"),
        (lambda run: (run / "config.yaml").write_text("- 1\n"), r"config.yaml: expected keys and their values"),
        (lambda run: damage(run / "config.yaml", "model:", "x: !!python/name:os.mkdir\nmodel:"), "not YAML"),
        (lambda run: (run / "best.ckpt").write_bytes(b"abc"), "best.ckpt: not a PyTorch file, or a damaged one"),
        (lambda run: torch.save({"model": {}}, run / "best.ckpt"), "best.ckpt: no model_state in it"),
        (lambda run: damage(run / "src_vocab.txt", r"\n\S+\n$", "\n"), r"src_vocab.txt: \d+ tokens, but there are"),
        (lambda run: (run / "best.ckpt").write_bytes(b""), "best.ckpt: .* a damaged one: it is empty"),
        (lambda run: (run / "src_vocab.txt").unlink(), "src_vocab.txt: cannot read it"),
        (lambda run: (run / "trg_vocab.txt").unlink(), "trg_vocab.txt: cannot read it"),
        (lambda run: (run / "bpe.codes").write_text("one\n"), "line 1 of the codes, 'one', is no pair"),
    ],
)  # fmt: skip
def test_what_is_damaged_is_told(run, act, problem):
    act(run)
    with pytest.raises(ConversionError, match=problem):
        load(run)


def rewrite(run, act):
    held = torch.load(run / "best.ckpt", weights_only=True)
    act(held)
    torch.save(held, run / "best.ckpt")


def test_other_positions_are_refused(run):
    rewrite(run, lambda held: held["model_state"]["encoder.pe.pe"].add_(0.1))
    with pytest.raises(ConversionError, match=r"encoder.pe.pe holds other than interleaved sinusoids"):
        load(run)


def test_tables_that_are_said_to_be_one_must_be(run):
    name = "decoder.output_layer.weight"
    rewrite(run, lambda held: held["model_state"].update({name: held["model_state"][name] + 0.1}))
    with pytest.raises(ConversionError, match=r"trg_embed.lut.weight and decoder.output_layer.weight differ"):
        load(run)


def test_pre_norm_with_weighed_residuals_is_refused(run):
    shutil.rmtree(run)
    shutil.copytree(next(run for run in RUNS if run.name == "words"), run)
    for side in ("encoder", "decoder"):
        change(run, f"model.{side}.alpha", 2)
    with pytest.raises(ConversionError, match=r"model.encoder.alpha is 2; with pre-norm, ours weighs residuals by 1"):
        load(run)


def test_scores_in_a_checkpoint_may_be_of_numpy_but_nothing_in_it_runs(run, tmp_path):
    rewrite(run, lambda held: held.update(best_ckpt_score=np.float64(1.5), scores=[np.float32(1), np.int64(2)]))
    assert load(run)
    held = {"model_state": {}, "more": Hostile(tmp_path / "mark")}
    torch.save(held, run / "best.ckpt")
    with pytest.raises(ConversionError, match=r"best.ckpt: .*would run code"):
        load(run)
    assert not (tmp_path / "mark").exists()


def test_a_sentencepiece_model_is_restricted_to_a_vocabulary(spoken):
    tokenizer = spoken["en"]
    model, pieces = tokenizer.model_bytes, set(tokenizer.pieces(range(tokenizer.vocab_size)))
    assert restrict(model, pieces) == model
    text = "The river is wide."
    known = {piece for piece in pieces if piece not in tokenizer.pieces(text) or len(piece) == 1}
    fewer = SentencePieceTokenizer(restrict(model, known), normal_form="identity")
    assert set(fewer.pieces(text)) <= known
    assert fewer.decode(fewer.encode(text)) == text
    with pytest.raises(ValueError, match="cut off"):
        restrict(model[:-3], pieces)


def test_a_missing_vocabulary_is_named_once(run):
    (run / "src_vocab.txt").unlink()
    with pytest.raises(ConversionError, match=r"src_vocab.txt: cannot read it: No such file or directory$"):
        load(run)


def test_a_checkpoint_alone_is_no_run(run):
    (run / "config.yaml").unlink()
    with pytest.raises(CheckpointError, match=r"best.ckpt: .* with the config.yaml of its run, which is not beside"):
        load(run / "best.ckpt")
