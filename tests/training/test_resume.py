"""Going on after an interruption: bit for bit as if there had been none (T32), from a file without pickle (T39)."""

import json
import zipfile

import pytest
import torch
from safetensors import safe_open
from safetensors.torch import load_file, save_file
from toy_task import new_trainer, new_updater, optimizer_state, scripted, tiny_model, without_timings

from ferryman.errors import CheckpointError
from ferryman.training.events import Stepped, Stopped, Validated
from ferryman.training.progress import Progress, progress_from_json, progress_to_json
from ferryman.training.resume import load_state, save_state

SETTINGS = {"steps": 20, "accumulate": 2, "validate_every_steps": 4, "log_every_steps": 3, "patience": 50}


class Watched:
    """A trainer whose events and drawn pairs are written down."""

    def __init__(self, store, *, seed=0, **settings):
        torch.manual_seed(seed)
        self.trainer = new_trainer(store, model=tiny_model(seed, dropout=0.2), **{**SETTINGS, **settings})
        self.events, self.pairs = [], []
        load_batch = self.trainer.load_batch
        self.trainer.load_batch = lambda indices, after: (
            self.pairs.append(indices.tolist()) or load_batch(indices, after)
        )

    def run(self, stop_after=None, save=None):
        """Train until the end, or until a step after which it is asked to stop; ``save`` at which event."""
        for event in self.trainer.events():
            if not isinstance(event, Stopped) or stop_after is None:
                self.events.append(without_timings(event))
            if stop_after is not None and event == Stepped(stop_after):
                self.trainer.stop("received SIGTERM")
            if save is not None and isinstance(event, save[0]) and event.step == save[1]:
                save_state(save[2], self.trainer)
        return self


def everything(trainer):
    """All tensors that the rest of a run depends on."""
    state = optimizer_state(trainer.updater)
    tensors = {"random": torch.get_rng_state()}
    for name, parameter in trainer.model.named_parameters():
        tensors[name] = parameter.detach()
        tensors |= {f"{name} {part}": tensor for part, tensor in state.get(parameter, {}).items()}
    return tensors


def assert_bit_equal(actual, expected):
    assert actual.keys() == expected.keys()
    assert [name for name, tensor in expected.items() if not torch.equal(actual[name], tensor)] == []


@pytest.mark.parametrize("optimizer", ["adamw", "muon"])
def test_ten_steps_and_ten_more_are_twenty(reversals, tmp_path, optimizer):
    """T32: weights, moments, random state, losses, order, best score and patience, interrupted inside epoch 2."""
    whole = Watched(reversals, optimizer=optimizer).run()
    first = Watched(reversals, optimizer=optimizer).run(stop_after=10)
    save_state(tmp_path / "state", first.trainer)
    assert first.trainer.progress.position.epoch == 1
    assert first.trainer.progress.position.batch > 0
    second = Watched(reversals, seed=99, optimizer=optimizer)
    load_state(tmp_path / "state", second.trainer)
    second.run()
    assert first.events + second.events == whole.events
    assert first.pairs + second.pairs == whole.pairs
    assert_bit_equal(everything(second.trainer), everything(whole.trainer))
    assert second.trainer.progress == whole.trainer.progress
    assert len(whole.events) > 30


@pytest.mark.parametrize("when", [(Validated, 8), (Stepped, 8), (Stepped, 11)], ids=["validated", "after it", "later"])
def test_after_a_kill_the_steps_since_the_last_save_come_again(reversals, tmp_path, when):
    """Kill -9: the first run goes on a little after it saved, then all it did since is lost."""
    whole = Watched(reversals).run()
    killed = Watched(reversals)
    killed.run(stop_after=13, save=(*when, tmp_path / "state"))
    again = Watched(reversals, seed=99)
    load_state(tmp_path / "state", again.trainer)
    again.run()
    cut = whole.events.index(
        next(event for event in killed.events if isinstance(event, when[0]) and event.step == when[1])
    )
    missed = [event for event in again.events if event != Stepped(when[1])]
    assert missed == [event for event in whole.events[cut + 1 :] if event != Stepped(when[1])]
    assert_bit_equal(everything(again.trainer), everything(whole.trainer))


def test_best_score_and_patience_go_on(reversals, tmp_path):
    losses = (5.0, 3.0, 4.0, 4.5, 4.2, 9.0)
    settings = {"validate_every_steps": 2, "patience": 3}
    whole = Watched(reversals, validate=scripted(*losses), **settings).run()
    first = Watched(reversals, validate=scripted(*losses[:3]), **settings).run(stop_after=6)
    save_state(tmp_path / "state", first.trainer)
    second = Watched(reversals, validate=scripted(*losses[3:]), **settings)
    load_state(tmp_path / "state", second.trainer)
    second.run()
    assert second.events[-1] == whole.events[-1] == Stopped(10, "no improvement in 3 validations", 0.0, 4)
    assert second.trainer.progress == whole.trainer.progress


def test_a_validation_at_the_start_is_not_made_twice(reversals, tmp_path):
    settings = {"validate_at_start": True, "validate_every_steps": 2, "steps": 2}
    first = Watched(reversals, validate=scripted(5.0, 4.0), **settings)
    first.run(save=(Validated, 0, tmp_path / "state"))
    second = Watched(reversals, validate=scripted(4.0), **settings)
    load_state(tmp_path / "state", second.trainer)
    second.run()
    assert second.trainer.progress == first.trainer.progress


def test_a_run_with_nothing_to_do_changes_nothing(reversals, tmp_path):
    """T34: the budget was used before."""
    first = Watched(reversals).run()
    save_state(tmp_path / "state", first.trainer)
    second = Watched(reversals, seed=99, steps=15)
    load_state(tmp_path / "state", second.trainer)
    assert second.trainer.finished() == "all 15 steps are done"
    assert second.run().events == [Stopped(20, "all 15 steps are done", 0.0, 20)]
    assert_bit_equal(everything(second.trainer), everything(first.trainer))


def test_a_longer_budget_goes_on(reversals, tmp_path):
    first = Watched(reversals, steps=4).run()
    save_state(tmp_path / "state", first.trainer)
    second = Watched(reversals, steps=6)
    load_state(tmp_path / "state", second.trainer)
    assert [event.step for event in second.run().events if isinstance(event, Stepped)] == [5, 6]


def test_a_longer_budget_is_validated_evenly_too(reversals, tmp_path):
    first = Watched(reversals, steps=10, validations=5).run()
    save_state(tmp_path / "state", first.trainer)
    second = Watched(reversals, steps=20, validations=5)
    load_state(tmp_path / "state", second.trainer)
    assert [event.step for event in second.run().events if isinstance(event, Validated)] == [12, 16, 20]


@pytest.mark.parametrize("settings", [{"validate_every_steps": 4}, {"validations": 5}], ids=["every 4", "5 in all"])
def test_a_validation_due_when_the_run_was_stopped_is_made_first(reversals, tmp_path, settings):
    whole = Watched(reversals, **settings).run()
    first = Watched(reversals, **settings).run(stop_after=8)
    assert first.events[-1] == Stepped(8)
    save_state(tmp_path / "state", first.trainer)
    second = Watched(reversals, **settings)
    load_state(tmp_path / "state", second.trainer)
    assert second.run().events == whole.events[whole.events.index(Stepped(8)) + 1 :]
    assert_bit_equal(everything(second.trainer), everything(whole.trainer))


def test_progress_survives_json_exactly():
    progress = Progress(step=3, seconds=0.1 + 0.2, best_score=-1 / 3)
    progress.window.loss = 1e-17
    assert progress_from_json(json.loads(json.dumps(progress_to_json(progress)))) == progress


@pytest.fixture
def saved(reversals, tmp_path):
    watched = Watched(reversals, steps=2).run()
    save_state(tmp_path / "run" / "state", watched.trainer)
    return tmp_path / "run" / "state", watched.trainer


def test_the_file_holds_named_tensors_and_no_pickle(saved):
    """T39."""
    path, trainer = saved
    assert not zipfile.is_zipfile(path)
    assert not path.read_bytes().startswith(b"\x80")
    names = [name for name, _ in trainer.model.named_parameters()]
    expected = {f"{part}.{name}" for part in ("model", "exp_avg", "exp_avg_sq") for name in names}
    assert load_file(path).keys() - {"random.cuda"} == expected | {"random.cpu"}
    with safe_open(path, framework="pt") as file:
        about = json.loads(file.metadata()["ferryman"])
    assert about["version"] == 1
    assert about["optimizer_steps"] == 2
    assert about["progress"]["step"] == 2


def test_a_state_from_before_the_first_step(reversals, tmp_path):
    whole = Watched(reversals, steps=3).run()
    save_state(tmp_path / "state", Watched(reversals, steps=3).trainer)
    again = Watched(reversals, seed=99, steps=3)
    load_state(tmp_path / "state", again.trainer)
    assert again.run().events == whole.events


def rewritten(path, about=None, **tensors):
    """Write the file again with changes; a tensor of None is left out."""
    with safe_open(path, framework="pt") as file:
        told = json.loads(file.metadata()["ferryman"])
    kept = {name: tensor for name, tensor in {**load_file(path), **tensors}.items() if tensor is not None}
    save_file(kept, path, metadata={"ferryman": json.dumps({**told, **(about or {})})})


DAMAGE = {
    "missing": (lambda path: path.unlink(), "cannot read the training state"),
    "cut off": (lambda path: path.write_bytes(path.read_bytes()[:-100]), "cannot read the training state"),
    "empty": (lambda path: path.write_bytes(b""), "cannot read the training state"),
    "only weights": (lambda path: save_file({"a": torch.zeros(1)}, path), "version None, expected 1"),
    "not JSON": (
        lambda path: save_file({"a": torch.zeros(1)}, path, metadata={"ferryman": "{"}),
        "cannot read the training state",
    ),
    "a later version": (lambda path: rewritten(path, {"version": 2}), "version 2, expected 1"),
    "a weight missing": (lambda path: rewritten(path, **{"model.target_table": None}), "missing target_table"),
    "a moment missing": (lambda path: rewritten(path, **{"exp_avg_sq.target_table": None}), "missing target_table"),
    "a tensor too many": (lambda path: rewritten(path, **{"model.extra": torch.zeros(1)}), "left over extra"),
}


@pytest.mark.parametrize("kind", DAMAGE)
def test_a_file_that_is_not_this_runs_state_is_refused_and_changes_nothing(saved, reversals, kind):
    path, _ = saved
    damage, message = DAMAGE[kind]
    damage(path)
    trainer = Watched(reversals, seed=5).trainer
    before = {name: parameter.detach().clone() for name, parameter in trainer.model.named_parameters()}
    with pytest.raises(CheckpointError) as caught:
        load_state(path, trainer)
    assert str(caught.value).startswith(str(path))
    assert message in str(caught.value)
    assert all(torch.equal(parameter, before[name]) for name, parameter in trainer.model.named_parameters())
    assert trainer.progress == Progress()


def test_another_models_state_is_refused_naming_the_weights(saved, reversals):
    path, _ = saved
    trainer = new_trainer(reversals, model=tiny_model(d_ff=32), steps=2)
    with pytest.raises(CheckpointError, match=r"feed_forward\.inner\.weight is \(24, 16\), expected \(32, 16\)"):
        load_state(path, trainer)


def test_a_full_disk_leaves_the_old_state_whole(saved, reversals):
    """The size that a file may have is limited, so that writing fails in the middle as it does on a full disk."""
    resource = pytest.importorskip("resource", reason="needs POSIX limits")
    path, _ = saved
    before = path.read_bytes()
    trainer = Watched(reversals, steps=3).run().trainer
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (len(before) // 2, hard))
    try:
        with pytest.raises(CheckpointError, match="cannot write it"):
            save_state(path, trainer)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert path.read_bytes() == before
    assert [entry.name for entry in path.parent.iterdir()] == ["state"]
    save_state(path, trainer)
    assert path.read_bytes() != before


def test_loading_puts_the_optimiser_where_it_was(saved, reversals):
    """One more step from the file is one more step from the memory."""
    path, trainer = saved
    other = Watched(reversals, seed=5).trainer
    load_state(path, other)
    batch = trainer.load_batch(trainer.sampler.epoch(0)[0], trainer.progress.position)
    for each in (trainer, other):
        torch.manual_seed(1)
        each.updater.update([batch], 1e-3)
    assert_bit_equal(everything(other), everything(trainer))
    assert optimizer_state(new_updater(other.model)) == {}
