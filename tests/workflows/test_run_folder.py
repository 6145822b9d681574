"""What a run keeps besides its best weights."""

import json
import shutil

import pytest
import torch
from safetensors.torch import load_file

from ferryman.checkpoint import load_model
from ferryman.errors import CheckpointError, ConfigError, TrainingError
from ferryman.training.events import Stopped, Validated
from ferryman.workflows.average import latest_checkpoints
from ferryman.workflows.folder import RunFolder
from ferryman.workflows.run import TrainingRun


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


def test_a_run_goes_on_when_the_model_that_it_started_from_is_gone(new_run):
    base = new_run("base", "training.steps=1")
    list(base.events())
    tuned = new_run("tuned", f"training.start_from={base.folder}")
    list(tuned.events())
    shutil.rmtree(base.folder)
    events = list(TrainingRun.resume(tuned.folder, ["training.steps=7"]).events())
    assert isinstance(events[-1], Stopped)
    assert events[-1].step == 7
    assert any("prepared before" in getattr(event, "text", "") for event in events)
    shutil.rmtree(tuned.folder / "prepared")
    again = list(TrainingRun.resume(tuned.folder, ["training.steps=8"]).events())
    assert again[-1].step == 8


@pytest.mark.parametrize("start", [True, False])
def test_a_changed_corpus_is_refused_before_it_is_prepared(new_run, tmp_path, start):
    base = new_run("base", "training.steps=1")
    list(base.events())
    run = new_run("run", f"training.start_from={base.folder if start else 'null'}")
    list(run.events())
    before = [path.name for path in (run.folder / "prepared").iterdir()]
    corpus = (run.folder / "corpus.json").read_bytes()
    source = tmp_path / "train.en"
    source.write_text(source.read_text(encoding="utf-8").replace("word7", "other"), encoding="utf-8")
    with pytest.raises(TrainingError, match=r"(?s)corpus files have changed.*put them back, or start a new run"):
        list(TrainingRun.resume(run.folder, ["training.steps=7"]).events())
    assert [path.name for path in (run.folder / "prepared").iterdir()] == before == [json.loads(corpus)["fingerprint"]]
    assert (run.folder / "corpus.json").read_bytes() == corpus


def test_a_start_whose_tokenizer_does_not_fit_is_told_by_its_key(new_run):
    base = new_run("base", "training.steps=1", "tokenizer.joint=false", "model.tie=two-way")
    list(base.events())
    with pytest.raises(ConfigError, match=r"training\.start_from=.*base.*model\.tie: three-way tying needs one joint"):
        new_run("run", f"training.start_from={base.folder}")
    assert not (base.folder.parent / "run").exists()
    list(new_run("fitting", f"training.start_from={base.folder}", "model.tie=two-way").events())


def test_an_average_that_a_kill_prevented_is_made_when_the_run_goes_on(new_run, monkeypatch):
    whole = new_run("whole", "training.average_last=3")
    list(whole.events())
    killed = new_run("killed", "training.average_last=3")
    monkeypatch.setattr("ferryman.workflows.keeping.average_weights", lambda _paths: (_ for _ in ()).throw(MemoryError))
    with pytest.raises(MemoryError):
        list(killed.events())
    monkeypatch.undo()
    again = TrainingRun.resume(killed.folder)
    assert not any("nothing to do" in getattr(event, "reason", "") for event in again.events())
    models = [load_file(run.folder / "model.safetensors") for run in (whole, killed)]
    assert all(torch.equal(models[0][name], models[1][name]) for name in models[0])
    assert "nothing to do" in list(TrainingRun.resume(killed.folder).events())[-1].reason


def test_a_kill_after_the_first_model_and_before_its_state_is_gone_on_from(new_run, monkeypatch):
    whole = new_run("whole")
    list(whole.events())
    killed, save = new_run("killed"), RunFolder.save_model
    killing = lambda *model: save(*model) or (_ for _ in ()).throw(MemoryError)  # noqa: E731
    monkeypatch.setattr(RunFolder, "save_model", killing)
    with pytest.raises(MemoryError):
        list(killed.events())
    monkeypatch.undo()
    assert (killed.folder / "model.safetensors").exists()
    list(TrainingRun.resume(killed.folder).events())
    models = [load_file(run.folder / "model.safetensors") for run in (whole, killed)]
    assert all(torch.equal(models[0][name], models[1][name]) for name in models[0])


def test_weights_kept_after_the_last_save_are_made_anew(new_run):
    run = new_run("run")
    list(run.events())
    later = run.folder / "checkpoints" / "step-000000009.safetensors"
    shutil.copy(latest_checkpoints(run.folder)[-1], later)
    list(TrainingRun.resume(run.folder, ["training.steps=7"]).events())
    assert not later.exists()


def test_learned_positions_hold_the_longest_training_pair(new_run):
    with pytest.raises(
        ConfigError, match=r"model\.max_positions: 16 learned positions do not hold data\.max_tokens 256"
    ):
        new_run("run", "model.positions=learned", "model.max_positions=16")
    new_run("run", "model.positions=learned", "model.max_positions=16", "data.max_tokens=15")


def test_validation_never_fails_on_a_long_sentence(new_run):
    run = new_run("run", "decoding.too_long=error", "decoding.max_source_tokens=2")
    assert list(run.events())[-1].reason == "all 6 steps are done"


def test_validation_translates_where_the_model_is(new_run, monkeypatch):
    """decoding.device is about a loaded model, not about the one in training."""
    monkeypatch.setattr("ferryman.workflows.load.choose_device", lambda _name: torch.device("meta"))
    monkeypatch.setattr("ferryman.engines.devices.choose_device", lambda _name: torch.device("meta"))
    run = new_run("run", "training.device=cpu")
    list(run.events())
    assert next(run.trainer.model.parameters()).device.type == "cpu"


def test_two_runs_in_one_folder_do_not_mix(new_run):
    first, second = new_run("run"), new_run("run")
    events = first.events()
    next(events)
    with pytest.raises(TrainingError, match="another process is training in this folder"):
        next(second.events())
    assert list(events)[-1].reason == "all 6 steps are done"


def test_a_model_that_diverged_is_not_searched_with(new_run):
    run = new_run("run", "training.learning_rate=1e30", "training.clip_norm=0", "training.warmup_steps=1")
    assert isinstance(list(run.events())[-1], Stopped)


def test_a_swapped_tokenizer_is_refused(new_run):
    runs = [new_run(name, f"tokenizer.kind={kind}") for name, kind in (("one", "bpe"), ("two", "unigram"))]
    for run in runs:
        list(run.events())
    sizes = {load_file(run.folder / "model.safetensors")["target_table"].size(0) for run in runs}
    shutil.copy(runs[1].folder / "tokenizer.model", runs[0].folder / "tokenizer.model")
    words = "not the one" if len(sizes) == 1 else "belong to different models"
    with pytest.raises(CheckpointError, match=words):
        load_model(runs[0].folder)


def test_too_few_pairs_are_told_unless_the_model_has_learned_from_others(new_run):
    first = new_run("first")
    assert any("only 36 pairs to train on" in getattr(event, "text", "") for event in list(first.events()))
    tuned = new_run("tuned", f"training.start_from={first.folder}")
    assert not any("pairs to train on:" in getattr(event, "text", "") for event in tuned.events())
