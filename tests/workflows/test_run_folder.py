"""What a run keeps besides its best weights."""

from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file

from ferryman.config_file import load_config
from ferryman.training.events import Stopped, Validated
from ferryman.workflows.average import latest_checkpoints
from ferryman.workflows.run import TrainingRun

SETTINGS = [
    "data.source_language=en",
    "data.target_language=de",
    "data.valid_pairs=4",
    "tokenizer.vocab_size=300",
    "model.d_model=16",
    "model.d_ff=16",
    "model.heads=2",
    "model.encoder_layers=1",
    "model.decoder_layers=1",
    "training.minutes=null",
    "training.steps=6",
    "training.threads=1",
    "training.batch_tokens=64",
    "training.validate_every_steps=1",
    "training.validation_sentences=2",
    "decoding.max_length_ratio=0.5",
    "decoding.max_length_extra=1",
]


@pytest.fixture
def new_run(tmp_path: Path):
    for number, side in enumerate(("en", "de")):
        rows = (f"word{index} word{index + number}\n" for index in range(40))
        (tmp_path / f"train.{side}").write_text("".join(rows), encoding="utf-8")

    def build(name: str, *settings: str) -> TrainingRun:
        config = load_config("tiny", [*SETTINGS, f"data.directory={tmp_path}", *settings])
        return TrainingRun(config, tmp_path / name)

    return build


def test_only_so_many_checkpoints_are_kept(new_run):
    for count, steps in ((2, [5, 6]), (0, [])):
        run = new_run(f"keep{count}", f"training.keep_checkpoints={count}")
        list(run.events())
        assert [int(path.stem.removeprefix("step-")) for path in latest_checkpoints(run.folder)] == steps


def test_averaging_at_the_end_leaves_the_training_state_as_it_was(new_run):
    states = []
    for name, settings in (("plain", ["training.average_last=0"]), ("averaged", ["training.average_last=3"])):
        run = new_run(name, *settings)
        events = list(run.events())
        assert isinstance(events[-1], Stopped)
        state = load_file(run.folder / "training_state.safetensors")
        states.append({key: value for key, value in state.items() if key.startswith(("model.", "exp_avg"))})
    assert states[0].keys() == states[1].keys()
    assert all(torch.equal(states[0][key], states[1][key]) for key in states[0])


def test_a_better_average_becomes_the_model(new_run, monkeypatch):
    run = new_run("run", "training.average_last=3", "training.best_metric=loss")
    scores = iter([3.0, 2.0, 4.0, 4.0, 4.0, 4.0, 1.0])
    monkeypatch.setattr(
        "ferryman.workflows.validation.Validation.__call__", lambda _self, _model: {"loss": next(scores)}
    )
    validated = [event for event in run.events() if isinstance(event, Validated)]
    assert [event.best for event in validated] == [True, True, False, False, False, False, True]
    kept = [load_file(path) for path in latest_checkpoints(run.folder)[-3:]]
    model = load_file(run.folder / "model.safetensors")
    for name, weight in model.items():
        torch.testing.assert_close(weight, sum(one[name] for one in kept) / 3)
    assert "loss 1" in (run.folder / "README.md").read_text(encoding="utf-8")


def test_the_card_of_the_best_model_survives_going_on(new_run, monkeypatch):
    run = new_run("run")
    list(run.events())
    before = (run.folder / "README.md").read_text(encoding="utf-8")
    assert "On its validation set" in before
    monkeypatch.setattr("ferryman.workflows.validation.Validation.__call__", lambda *_: {"loss": 99.0, "bleu": -1.0})
    list(TrainingRun.resume(run.folder, ["training.steps=7"]).events())
    assert (run.folder / "README.md").read_text(encoding="utf-8") == before


def test_validation_leaves_no_trace_in_training(new_run):
    weights = []
    for name, every in (("often", 1), ("never", 100)):
        run = new_run(name, f"training.validate_every_steps={every}")
        list(run.events())
        weights.append(load_file(run.folder / "training_state.safetensors"))
    assert all(torch.equal(weights[0][key], weights[1][key]) for key in weights[0])
