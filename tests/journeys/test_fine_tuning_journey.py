"""``training.start_from``: another run's weights and tokenizer, its score logged before the first step."""

import importlib.util
import json
import shutil

import pytest
import torch
from safetensors.torch import load_file

from ferryman.checkpoint import save_weights
from ferryman.tensor_files import read_about
from ferryman.training.metrics import read_metrics

SETTLED = ["training.threads=1", "decoding.threads=1", "training.batch_tokens=256", "training.schedule=constant"]


def tune(ferryman, trained, files, folder, *settings):
    return ferryman("train", *files, "-o", folder, f"training.start_from={trained.folder}", *SETTLED, *settings)


def test_the_start_is_scored_and_can_be_the_best(ferryman, trained, write_pairs, pairs, tmp_path):
    folder = tmp_path / "run"
    harmful = ["training.steps=3", "training.learning_rate=1.0", "training.warmup_steps=1", "data.valid_pairs=4"]
    result = tune(ferryman, trained, write_pairs(pairs), folder, "training.validate_at_start=true", *harmful)
    assert result.exit_code == 0, result.stderr
    assert "validation at step 0" in result.stderr
    validations = [record for record in read_metrics(folder / "metrics.jsonl") if record["kind"] == "validation"]
    assert [(record["step"], record["best"]) for record in validations][:1] == [(0, True)]
    assert not any(record["best"] for record in validations[1:])
    start, best = load_file(trained.folder / "model.safetensors"), load_file(folder / "model.safetensors")
    assert all(torch.equal(start[name], best[name]) for name in start)


def test_shape_and_tokenizer_are_the_models_unless_told_otherwise(ferryman, trained, write_pairs, pairs, tmp_path):
    files = write_pairs(pairs)
    gentle = ["training.steps=2", "training.validations=0", "training.learning_rate=1e-6", "model.dropout=0.3"]
    result = tune(ferryman, trained, files, tmp_path / "run", *gentle)
    assert result.exit_code == 0, result.stderr
    tokenizers = [(folder / "tokenizer.model").read_bytes() for folder in (trained.folder, tmp_path / "run")]
    assert tokenizers[0] == tokenizers[1]
    resolved = (tmp_path / "run" / "config.yaml").read_text(encoding="utf-8")
    assert "d_model: 32" in resolved
    assert "dropout: 0.3" in resolved
    assert "vocab_size: 400" in resolved
    resumed = ferryman("train", "--resume", tmp_path / "run", "training.steps=4")
    assert resumed.exit_code == 0, resumed.stderr
    assert "going on after step 2" in resumed.stderr


@pytest.mark.parametrize(
    ("setting", "words"),
    [
        ("model.encoder_layers=3", "the model of {} is taken as it is, and it has encoder_layers 2 and not 3; leave"),
        ("model.tie=two-way", "tie three-way and not two-way; leave that out, or set model.tie=three-way"),
        ("tokenizer.vocab_size=500", "the tokenizer of {} is taken as it is, and it has vocab_size 400 and not 500"),
    ],
)
def test_what_comes_with_the_model_and_is_set_otherwise_is_refused_before_any_work(
    ferryman, trained, write_pairs, pairs, tmp_path, setting, words
):
    result = tune(ferryman, trained, write_pairs(pairs), tmp_path / "run", "training.steps=2", setting)
    assert result.exit_code == 2
    assert words.format(trained.folder) in result.stderr
    assert len(result.stderr.splitlines()) == 1
    assert not (tmp_path / "run").exists()


def test_a_start_that_is_not_finite_is_refused(ferryman, trained, write_pairs, pairs, tmp_path):
    start = shutil.copytree(trained.folder, tmp_path / "start")
    weights, about = load_file(start / "model.safetensors"), read_about(start / "model.safetensors")
    weights["target_table"][3, 1] = torch.nan
    save_weights(start / "model.safetensors", weights, about)
    result = ferryman("train", *write_pairs(pairs), "-o", tmp_path / "run", f"training.start_from={start}", *SETTLED)
    assert result.exit_code == 1
    assert "target_table holds numbers that are not finite" in result.stderr


def test_what_does_not_come_with_the_model_is_chosen_gently(ferryman, trained, write_pairs, pairs):
    start = f"training.start_from={trained.folder}"
    shown = ferryman("config", *write_pairs(pairs), start, "training.steps=400", "training.threads=1")
    assert shown.exit_code == 0, shown.stderr
    for line in ("d_model: 32", "vocab_size: 400", "dropout: 0.05", "learning_rate: 0.0012", "warmup_steps: 20"):
        assert line in shown.stdout
    assert "model." not in shown.stderr.replace("for d_model", "")
    assert "training.learning_rate=0.0012" in shown.stderr


def test_tensorboard_has_the_figures_of_the_metrics_file(ferryman, write_pairs, pairs, tmp_path, quick):
    pytest.importorskip("tensorboard", reason="the extra tensorboard is not installed")
    from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

    folder, curves = tmp_path / "run", ["training.tensorboard=true", "training.log_every_steps=1"]
    assert ferryman("train", *write_pairs(pairs), "-o", folder, *quick, *curves).exit_code == 0
    assert ferryman("train", "--resume", folder, "training.steps=4").exit_code == 0
    written = EventAccumulator(str(folder / "tensorboard"))
    written.Reload()
    records = read_metrics(folder / "metrics.jsonl")
    losses = {record["step"]: record["loss"] for record in records if record["kind"] == "step"}
    found = {scalar.step: scalar.value for scalar in written.Scalars("train/loss")}
    assert found == pytest.approx(losses)
    assert list(found) == [1, 2, 3, 4]
    [*_, last] = [record["figures"]["loss"] for record in records if record["kind"] == "validation"]
    assert written.Scalars("validation/loss")[-1].value == pytest.approx(last)


def test_tensorboard_that_is_missing_is_told_before_any_work(
    ferryman, write_pairs, pairs, tmp_path, quick, monkeypatch
):
    find_spec = importlib.util.find_spec
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None if name == "tensorboard" else find_spec(name))
    result = ferryman("train", *write_pairs(pairs), "-o", tmp_path / "run", *quick, "training.tensorboard=true")
    assert result.exit_code == 2
    assert "pip install 'ferryman[tensorboard]'" in result.stderr
    assert len(result.stderr.splitlines()) == 1
    assert not (tmp_path / "run").exists()


def test_a_prepared_corpus_is_used_again_until_something_changes(ferryman, write_pairs, pairs, tmp_path, quick):
    source, target = write_pairs(pairs)
    shared = f"data.prepared={tmp_path / 'shared'}"

    def fingerprint(name, *settings):
        result = ferryman("train", source, target, "-o", tmp_path / name, *quick, shared, *settings)
        assert result.exit_code == 0, result.stderr
        corpus = json.loads((tmp_path / name / "corpus.json").read_text(encoding="utf-8"))
        return corpus["fingerprint"], "prepared before" in result.stderr

    first, reused = fingerprint("a")
    assert not reused
    assert fingerprint("b", "model.d_ff=32") == (first, True)
    other, reused = fingerprint("c", "data.max_tokens=9")
    assert other != first
    assert not reused
    source.write_bytes(source.read_bytes().replace(b"haus", b"maus"))
    changed, reused = fingerprint("d")
    assert changed not in (first, other)
    assert not reused
