"""The model folder: what is saved comes back, and what does not fit is refused by name (T13, T39, T40)."""

import pickle
import subprocess
import sys
import zipfile
from functools import cache

import pytest
import torch
from safetensors.torch import load_file, save_file

from ferryman.checkpoint import (
    Tokenizers,
    load_model,
    load_tokenizers,
    load_weights,
    read_weights,
    save_model,
    weights_of,
)
from ferryman.config import Config, DataConfig, ModelConfig, TokenizerConfig, TrainingConfig
from ferryman.data.batch import Batch, Symbols
from ferryman.errors import CheckpointError
from ferryman.model.transformer import Transformer
from ferryman.text import SentencePieceTokenizer, Tokenizer, TokenizerRecipe, train_tokenizer
from ferryman.training.update import Updater

TINY = {"d_model": 16, "d_ff": 24, "heads": 2, "encoder_layers": 1, "decoder_layers": 1, "dropout": 0.0}
TIES = ["three-way", "two-way", "none"]


@cache
def tokenizer(vocab_size: int = 280) -> Tokenizer:
    return train_tokenizer(
        ["the wide river", "a river ferry there"], TokenizerRecipe(kind="bpe", vocab_size=vocab_size)
    )


def joint() -> Tokenizers:
    return Tokenizers(tokenizer(), tokenizer())


def apart() -> Tokenizers:
    return Tokenizers(tokenizer(), tokenizer(285))


def save(folder, tokenizers=None, **shape):
    """Save an untrained model; return it."""
    tokenizers = tokenizers or joint()
    config = Config(
        data=DataConfig(source_language="en", target_language="de"),
        tokenizer=TokenizerConfig(joint=tokenizers.joint),
        model=ModelConfig(**TINY, **shape),
    )
    model = Transformer(tokenizers.source.vocab_size, tokenizers.target.vocab_size, config.model).eval()
    save_model(folder, weights_of(model), config, tokenizers, "# A model\n")
    return model


def outputs(model):
    return model(torch.tensor([[5, 6, 7]]), torch.tensor([[2, 8, 9]]))


@pytest.mark.parametrize(
    "shape", [*({"tie": tie} for tie in TIES), {"positions": "learned", "output_bias": True}], ids=str
)
def test_what_is_saved_comes_back(tmp_path, shape):
    model = save(tmp_path, **shape)
    loaded, config, tokenizers = load_model(tmp_path)
    assert torch.equal(outputs(loaded), outputs(model))
    assert not loaded.training
    assert {name: config.model.model_dump()[name] for name in shape} == shape
    assert (config.data.source_language, config.data.target_language) == ("en", "de")
    assert tokenizers.joint
    assert tokenizers.source == tokenizer()


@pytest.mark.parametrize("tie", TIES)
def test_tied_stay_tied_and_untied_untied_through_a_further_step(tmp_path, tie):
    """T40: a step from the loaded model is the step from the one in memory."""
    model = save(tmp_path, tie=tie)
    loaded, *_ = load_model(tmp_path)
    batch = Batch.collate([[5, 6], [7]], [[8], [9, 10]], Symbols(pad=0, start=2, eos=3))
    for each in (model, loaded):
        Updater(each, TrainingConfig(), torch.device("cpu"), torch.float32).update([batch], 1e-2)
        each.eval()
    assert torch.equal(outputs(loaded), outputs(model))
    assert (loaded.source_table is loaded.target_table) == (tie == "three-way")
    assert (loaded.output_table is loaded.target_table) == (tie != "none")
    assert weights_of(loaded).keys() == weights_of(model).keys()


@pytest.mark.parametrize(("tie", "tables"), [("three-way", 1), ("two-way", 2), ("none", 3)])
def test_the_file_holds_each_weight_once(tmp_path, tie, tables):
    save(tmp_path, tie=tie)
    assert sum(name.endswith("_table") for name in load_file(tmp_path / "model.safetensors")) == tables


def test_two_tokenizers(tmp_path):
    model = save(tmp_path, apart(), tie="two-way")
    loaded, _, tokenizers = load_model(tmp_path)
    assert torch.equal(outputs(loaded), outputs(model))
    assert not tokenizers.joint
    assert (tokenizers.source, tokenizers.target) == (tokenizer(), tokenizer(285))


def test_a_folder_holds_what_the_module_says_and_nothing_that_runs_code(tmp_path, monkeypatch):
    """T39: no file is a pickle or a zip of pickles, and none is opened as one."""
    save(tmp_path)
    files = {path.name: path for path in tmp_path.iterdir()}
    assert files.keys() == {"README.md", "config.yaml", "model.safetensors", "tokenizer.model"}
    for path in files.values():
        assert not zipfile.is_zipfile(path)
        assert not path.read_bytes().startswith(b"\x80")
    for name in ("load", "loads", "Unpickler"):
        monkeypatch.setattr(pickle, name, lambda *_, **__: pytest.fail("something was unpickled"))
    load_model(tmp_path)


def test_id_maps_are_saved_and_found(tmp_path):
    own = tokenizer()
    ids = {piece: own.vocab_size - 1 - index for index, piece in enumerate(own.pieces(list(range(own.vocab_size))))}
    mapped = SentencePieceTokenizer(own.model_bytes, normal_form="nfc", id_map=ids)
    Tokenizers(mapped, mapped).save(tmp_path)
    loaded = load_tokenizers(tmp_path, "nfc")
    assert loaded.target == mapped
    assert loaded.target.eos_id == own.vocab_size - 1 - own.eos_id


@pytest.mark.parametrize(("start", "expected"), [("bos", 2), ("eos", 3), ("pad", 0)])
def test_symbols(start, expected):
    assert joint().symbols(start) == Symbols(pad=0, start=expected, eos=3)


def change(folder, **weights):
    path = folder / "model.safetensors"
    kept = {name: weight for name, weight in {**load_file(path), **weights}.items() if weight is not None}
    save_file(kept, path)


NORM = "encoder.layers.0.feed_forward_norm.norm.weight"
DAMAGE = {
    "no config": (lambda folder: (folder / "config.yaml").unlink(), "no config.yaml in it; not a model folder"),
    "bad config": (
        lambda folder: (folder / "config.yaml").write_text("model: {headss: 2}"),
        "did you mean model.heads",
    ),
    "no weights": (lambda folder: (folder / "model.safetensors").unlink(), "model.safetensors: no such file"),
    "cut off": (
        lambda folder: (folder / "model.safetensors").write_bytes((folder / "model.safetensors").read_bytes()[:-9]),
        "model.safetensors: cannot read the weights",
    ),
    "no tokenizer": (lambda folder: (folder / "tokenizer.model").unlink(), "no tokenizer.model, and no source.model"),
    "bad tokenizer": (lambda folder: (folder / "tokenizer.model").write_bytes(b"no"), "not a SentencePiece model"),
    "missing weight": (lambda folder: change(folder, **{NORM: None}), f"missing {NORM}"),
    "extra weight": (lambda folder: change(folder, extra=torch.zeros(1)), "left over extra"),
    "other shape": (lambda folder: change(folder, **{NORM: torch.zeros(3)}), f"{NORM} is (3,), expected (16,)"),
}


@pytest.mark.parametrize("kind", DAMAGE)
def test_a_folder_whose_parts_do_not_fit_is_refused(tmp_path, kind):
    save(tmp_path)
    damage, message = DAMAGE[kind]
    damage(tmp_path)
    with pytest.raises(CheckpointError) as caught:
        load_model(tmp_path)
    assert message in str(caught.value)
    assert str(tmp_path) in str(caught.value)


def test_many_misfits_are_counted(tmp_path):
    save(tmp_path)
    change(tmp_path, **{f"extra{index}": torch.zeros(1) for index in range(8)})
    with pytest.raises(CheckpointError, match=r"left over extra4; and 3 more$"):
        load_model(tmp_path)


@pytest.mark.parametrize("tie", TIES)
@pytest.mark.parametrize("size", [275, 285])
def test_another_models_tokenizer_is_refused_with_both_sizes(tmp_path, size, tie):
    """T13; entries too many are listed."""
    save(tmp_path, tie=tie)
    tokenizer(size).save(tmp_path, "tokenizer")
    with pytest.raises(CheckpointError) as caught:
        load_model(tmp_path)
    message = str(caught.value)
    assert f"tokenizer has {tokenizer(size).vocab_size} tokens but target_table has 280 rows" in message
    listed = ", ".join(tokenizer(size).pieces(list(range(280, min(size, 285)))))
    assert (f"tokens without a row: {listed};" in message) == (size == 285)


def test_a_source_tokenizer_of_another_size_is_refused(tmp_path):
    save(tmp_path, apart(), tie="two-way")
    tokenizer(285).save(tmp_path, "source")
    with pytest.raises(CheckpointError, match="285 tokens but source_table has 280 rows"):
        load_model(tmp_path)


def test_two_tokenizers_for_one_table_are_refused(tmp_path):
    save(tmp_path)
    (tmp_path / "tokenizer.model").unlink()
    apart().save(tmp_path)
    with pytest.raises(CheckpointError, match="285 tokens but target_table has 280 rows"):
        load_model(tmp_path)


def test_weights_of_a_later_version_are_refused(tmp_path):
    save(tmp_path)
    path = tmp_path / "model.safetensors"
    save_file(load_file(path), path, metadata={"format": "ferryman", "version": "2"})
    with pytest.raises(CheckpointError, match=r"later version \(format 2\); this one reads 1"):
        read_weights(path)


def test_weights_that_do_not_fit_change_nothing(tmp_path):
    model = save(tmp_path)
    before, wrong = weights_of(model)["target_table"].clone(), weights_of(model)
    wrong["target_table"] = wrong["target_table"] + 1
    del wrong[NORM]
    with pytest.raises(CheckpointError, match=f"missing {NORM}"):
        load_weights(model, wrong, tmp_path)
    assert torch.equal(model.target_table, before)


def test_a_full_disk_leaves_the_old_weights(tmp_path):
    resource = pytest.importorskip("resource", reason="needs POSIX limits")
    model = save(tmp_path)
    before = (tmp_path / "model.safetensors").read_bytes()
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (len(before) // 2, hard))
    try:
        with pytest.raises(CheckpointError, match=r"model\.safetensors: cannot write it"):
            save(tmp_path)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert torch.equal(outputs(load_model(tmp_path)[0]), outputs(model))


def test_a_fresh_process_loads_it(tmp_path):
    model = save(tmp_path)
    code = (
        "import pathlib, sys, torch; from ferryman.checkpoint import load_model;"
        "model, *_ = load_model(pathlib.Path(sys.argv[1])); torch.set_num_threads(1);"
        "print(model(torch.tensor([[5, 6, 7]]), torch.tensor([[2, 8, 9]])).double().sum().item())"
    )
    found = subprocess.run([sys.executable, "-c", code, tmp_path], capture_output=True, text=True, check=True)
    assert float(found.stdout) == pytest.approx(outputs(model).double().sum().item(), rel=1e-6)
