"""Why the training loop ends (T35), and what it survives (T21, T31)."""

import math
import os
import signal
from itertools import count

import pytest
import torch
from toy_task import new_trainer, of_kind, run, scripted, ticking

from ferryman.training import update as update_module
from ferryman.training.events import Logged, Stepped, Stopped, Validated


def test_ends_when_the_steps_are_done(reversals):
    events = run(new_trainer(reversals, steps=7))
    assert events[-1].reason == "all 7 steps are done"
    assert [event.step for event in of_kind(events, Stepped)] == [1, 2, 3, 4, 5, 6, 7]
    assert events[-1].step == 7


@pytest.mark.parametrize("epochs", [1.0, 2.5])
def test_ends_when_the_epochs_are_done(reversals, epochs):
    trainer = new_trainer(reversals, epochs=epochs)
    events = run(trainer)
    assert events[-1].reason == ("the one epoch is done" if epochs == 1 else "all 2.5 epochs are done")
    a_batch_before = trainer.sampler.epochs(trainer.progress.position) - 8 / len(reversals)
    assert a_batch_before < epochs <= trainer.sampler.epochs(trainer.progress.position)


def test_ends_when_the_minutes_are_used(reversals):
    trainer = new_trainer(reversals, minutes=1.0, validations=0, schedule="linear", elapsed=ticking(1.0))
    events = run(trainer)
    assert events[-1].reason == "the one minute is used"
    assert 60 <= events[-1].seconds < 65
    assert 20 < events[-1].step < 60
    assert trainer.share_used() == 1.0


def test_minutes_leave_room_for_the_last_validation(reversals):
    """A validation of 10 seconds came before, so the steps end after 50."""
    now = [0.0]

    def validate(model):
        now[0] += 10
        return {"loss": 1.0}

    def load(indices, after, load_batch):
        now[0] += 1
        return load_batch(indices, after)

    trainer = new_trainer(
        reversals, minutes=1.0, validate_every_steps=30, log_every_steps=1, validate=validate, elapsed=lambda: now[0]
    )
    load_batch = trainer.load_batch
    trainer.load_batch = lambda indices, after: load(indices, after, load_batch)
    events = run(trainer)
    assert [event.seconds for event in of_kind(events, Validated)] == [40.0, 60.0]
    assert of_kind(events, Logged)[-1].progress == 1.0
    assert events[-1].seconds == 60.0


def test_ends_without_improvement_for_as_many_validations_as_patience(reversals):
    trainer = new_trainer(
        reversals, steps=100, validate_every_steps=2, patience=3, validate=scripted(5, 4, 4.5, 4, 3, 3, 3.1, 9)
    )
    events = run(trainer)
    assert events[-1].reason == "no improvement in 3 validations"
    assert [event.best for event in of_kind(events, Validated)] == [True, True, False, False, True, False, False, False]
    assert (trainer.progress.best_step, trainer.progress.best_score) == (10, -3)


def test_ends_when_the_learning_rate_is_too_low(reversals):
    trainer = new_trainer(
        reversals, steps=100, warmup_steps=4, learning_rate=1e-2, stop_learning_rate=5e-3, validations=0
    )
    events = run(trainer)
    assert events[-1].step == 17  # 0.01 * sqrt(4 / 17) is the first below 0.005
    assert events[-1].reason == "the learning rate 4.85e-03 is below training.stop_learning_rate"


def test_ends_after_the_current_step_when_asked_by_a_signal(reversals):
    """SIGTERM: no last validation, as there may be no time for it."""
    trainer = new_trainer(reversals, steps=100, validations=0)
    before = signal.signal(signal.SIGTERM, lambda *_: trainer.stop("received SIGTERM"))
    try:
        events = []
        for event in trainer.events():
            events.append(event)
            if event == Stepped(3):
                os.kill(os.getpid(), signal.SIGTERM)
    finally:
        signal.signal(signal.SIGTERM, before)
    assert events[-1].reason == "received SIGTERM"
    assert events[-1].step == 3
    assert not of_kind(events, Validated)


def test_the_first_request_gives_the_reason(reversals):
    trainer = new_trainer(reversals, steps=5)
    trainer.stop("first")
    trainer.stop("second")
    assert run(trainer)[-1].reason == "first"


def spoil(trainer, monkeypatch, steps):
    """Put NaN into one gradient at these steps."""
    update, tensor = trainer.updater.update, trainer.model.decoder.layers[0].feed_forward.outer.weight

    def spoiled(*arguments):
        factor = math.nan if trainer.progress.step + 1 in steps else 1.0
        hook = tensor.register_hook(lambda gradient: gradient * factor)
        result = update(*arguments)
        hook.remove()
        return result

    monkeypatch.setattr(trainer.updater, "update", spoiled)


def test_ends_after_too_many_skipped_steps_in_a_row(reversals, monkeypatch):
    """T31."""
    trainer = new_trainer(reversals, steps=100, max_skipped_steps=3, log_every_steps=1)
    spoil(trainer, monkeypatch, {2, 4, 5, 7, 8, 9})
    events = run(trainer)
    bad = "decoder.layers.0.feed_forward.outer.weight"
    assert events[-1].reason.startswith("3 steps in a row had gradients that are not finite")
    assert bad in events[-1].reason
    assert [event.step for event in of_kind(events, Stepped) if event.bad_tensor == bad] == [2, 4, 5, 7, 8, 9]
    assert trainer.progress.skipped_steps == 6
    assert all(parameter.isfinite().all() for parameter in trainer.model.parameters())
    losses = {event.step: event.loss for event in of_kind(events, Logged)}
    assert math.isnan(losses[2])
    assert math.isfinite(losses[3])


def test_a_run_of_which_no_step_was_taken_fails(reversals, monkeypatch):
    trainer = new_trainer(reversals, steps=3)
    spoil(trainer, monkeypatch, {1, 2, 3})
    events = run(trainer)
    assert events[-1].reason.startswith("every step had gradients that are not finite, so none was taken")
    assert trainer.stop_reason == events[-1].reason
    assert not trainer.is_sound


def test_a_run_whose_loss_was_never_finite_fails(reversals):
    trainer = new_trainer(reversals, steps=4, validate_every_steps=2, validate=scripted(math.nan, math.inf))
    events = run(trainer)
    assert "the loss on the validation set was never finite" in events[-1].reason
    assert not events[-1].has_model
    assert not any(event.best for event in of_kind(events, Validated))


@pytest.mark.parametrize(("losses", "sound"), [((3.0, 12.9), True), ((3.0, 13.1), False), ((3.0, math.nan), False)])
def test_weights_with_a_loss_out_of_all_bounds_are_not_sound(reversals, losses, sound):
    trainer = new_trainer(reversals, steps=4, validate_every_steps=2, validate=scripted(*losses))
    assert run(trainer)[-1].has_model
    assert trainer.stop_reason is None
    assert trainer.is_sound == sound


def test_a_lack_of_memory_is_counted_and_training_goes_on(reversals, monkeypatch):
    """T21: at the third batch."""
    batch_loss, calls = update_module.batch_loss, count(1)

    def limited(*arguments):
        if next(calls) == 3:
            raise torch.OutOfMemoryError("CUDA out of memory")
        return batch_loss(*arguments)

    monkeypatch.setattr(update_module, "batch_loss", limited)
    trainer = new_trainer(reversals, steps=5, validations=0, validate=scripted(1.0))
    events = run(trainer)
    assert [event.splits for event in of_kind(events, Stepped)] == [0, 0, 1, 0, 0]
    assert trainer.progress.splits == 1
    assert trainer.progress.skipped_steps == 0


def test_nothing_to_do_is_said_without_a_step(reversals):
    trainer = new_trainer(reversals, steps=5)
    trainer.progress.step = 5
    trainer.progress.validated = trainer.progress.mark
    assert run(trainer) == [Stopped(5, "all 5 steps are done", 0.0)]
