"""A run that goes on after its best model, its corpus or a file about that was lost or damaged."""

import json
import shutil
from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file

from ferryman.checkpoint import load_model
from ferryman.errors import DataError, TrainingError
from ferryman.workflows.average import checkpoint_path
from ferryman.workflows.growing import growing
from ferryman.workflows.run import TrainingRun

DAMAGES = {"missing": lambda path: path.unlink(), "damaged": lambda path: path.write_bytes(path.read_bytes()[:300])}


@pytest.fixture
def finished(new_run, monkeypatch) -> Path:
    """Give the folder of a run of six steps, the second of which was the best."""
    losses = iter([3.0, 1.0])
    monkeypatch.setattr("ferryman.workflows.validation.Validation.__call__", lambda *_: {"loss": next(losses, 2.0)})
    run = new_run("run", "training.best_metric=loss", "training.keep_checkpoints=6", "training.average_last=0")
    list(run.events())
    return run.folder


def go_on(folder: Path, *settings: str) -> str:
    return "\n".join(getattr(event, "text", "") for event in TrainingRun.resume(folder, settings).events())


@pytest.mark.parametrize("steps", [6, 7])
@pytest.mark.parametrize("damage", DAMAGES)
def test_the_best_model_is_put_back_from_its_checkpoint(finished, damage, steps):
    model, best = finished / "model.safetensors", load_file(checkpoint_path(finished, 2))
    DAMAGES[damage](model)
    assert f"{model} is {damage}; put back: the weights of step 2" in go_on(finished, f"training.steps={steps}")
    assert all(torch.equal(weight, best[name]) for name, weight in load_file(model).items())
    load_model(finished)


@pytest.mark.parametrize(("steps", "of"), [(6, "the last step"), (7, "the next validation")])
def test_without_its_checkpoint_the_best_model_is_chosen_anew(finished, steps, of):
    (finished / "model.safetensors").unlink()
    checkpoint_path(finished, 2).unlink()
    assert "the best model is chosen anew" in go_on(finished, f"training.steps={steps}"), of
    model, state = load_file(finished / "model.safetensors"), load_file(finished / "training_state.safetensors")
    assert all(torch.equal(weight, state[f"model.{name}"]) for name, weight in model.items())


def test_a_sound_model_is_left_alone(finished):
    before = (finished / "model.safetensors").stat().st_mtime_ns
    assert "put back" not in go_on(finished)
    assert (finished / "model.safetensors").stat().st_mtime_ns == before


@pytest.mark.parametrize("content", [b"", b'{"fingerprint": "12', b'{"fingerprint": "12"} x', b"[]", b"\xff"])
def test_a_damaged_account_of_the_corpus_is_told(finished, content):
    path = finished / "corpus.json"
    path.write_bytes(content)
    with pytest.raises(TrainingError, match=r"corpus\.json: damaged .*put it back, or delete it"):
        go_on(finished, "training.steps=7")
    path.unlink()
    go_on(finished, "training.steps=7")
    assert json.loads(path.read_text(encoding="utf-8"))["fingerprint"]


@pytest.mark.parametrize(
    ("name", "content"),
    [("valid.jsonl", b""), ("valid.jsonl", b"{}\n"), ("valid.jsonl", b'{"sou'), ("report.json", b'{"re')],
)
def test_a_damaged_part_of_what_was_prepared_is_told(finished, name, content):
    (prepared,) = (finished / "prepared").iterdir()
    (prepared / name).write_bytes(content)
    with pytest.raises(DataError, match=rf"{name}: damaged.*delete .* to prepare it again"):
        go_on(finished, "training.steps=7")
    shutil.rmtree(prepared)
    go_on(finished, "training.steps=7")


def test_a_corpus_that_is_gone_is_not_missed_once_it_is_prepared(finished, tmp_path):
    (tmp_path / "train.en").unlink()
    assert "going on with what was prepared of the corpus" in go_on(finished, "training.steps=7")
    shutil.rmtree(finished / "prepared")
    with pytest.raises(DataError, match=r"train\.en: no such file.*say with data\.directory=FOLDER"):
        go_on(finished, "training.steps=8")


@pytest.mark.parametrize("content", [b"", b"[]", b'{"job": {}}'])
def test_a_growing_file_whose_account_is_damaged(tmp_path, content):
    path = tmp_path / "pairs.jsonl"
    with pytest.raises(KeyboardInterrupt), growing(path, {"of": 1}) as file:
        file.add("one\n", {"lines": 1})
        raise KeyboardInterrupt
    (tmp_path / "pairs.jsonl.unfinished" / "state.json").write_bytes(content)
    with pytest.raises(DataError, match=r"state\.json: damaged.*delete .* to begin anew"), growing(path, {"of": 1}):
        pass
