"""The training loop: when it validates, what it reports, and that it learns."""

import math
from collections import deque
from itertools import pairwise

import pytest
from toy_task import new_trainer, of_kind, run, scripted, ticking, tiny_model, write_task

from ferryman.data.sampler import Position
from ferryman.training.events import Logged, Validated
from ferryman.training.schedule import learning_rate
from ferryman.training.update import Update


@pytest.mark.parametrize(
    ("steps", "validations", "expected"),
    [(20, 4, [5, 10, 15, 20]), (7, 3, [3, 5, 7]), (6, 0, [6]), (3, 10, [1, 2, 3]), (100, 100, list(range(1, 101)))],
)
def test_validations_are_spread_evenly(reversals, steps, validations, expected):
    trainer = new_trainer(reversals, steps=steps, validations=validations, validate=lambda model: {"loss": 1.0})
    trainer.updater.update = lambda *_: Update(1.0, 1.0, 1, 1.0)
    assert [event.step for event in of_kind(run(trainer), Validated)] == expected


def test_validates_every_so_many_steps_and_at_the_end(reversals):
    trainer = new_trainer(reversals, steps=7, validate_every_steps=3)
    assert [event.step for event in of_kind(run(trainer), Validated)] == [3, 6, 7]


def test_validation_at_the_start_can_be_the_best(reversals):
    """T44."""
    trainer = new_trainer(
        reversals, steps=4, validate_every_steps=2, validate_at_start=True, validate=scripted(1.0, 2.0, 3.0)
    )
    validated = of_kind(run(trainer), Validated)
    assert [(event.step, event.best) for event in validated] == [(0, True), (2, False), (4, False)]
    assert trainer.progress.best_step == 0


@pytest.mark.parametrize(
    ("metric", "figures", "best"),
    [
        ("bleu", [{"loss": 1.0, "bleu": 9.0}, {"loss": 2.0, "bleu": 10.0}], 2),
        ("chrf", [{"loss": 1.0, "chrf": 9.0}, {"loss": 0.5, "chrf": 8.0}], 1),
        ("loss", [{"loss": 1.0, "bleu": 9.0}, {"loss": 2.0, "bleu": 10.0}], 1),
        ("bleu", [{"loss": 1.0}, {"loss": 0.5}], 2),
        ("bleu", [{"loss": 1.0, "bleu": 9.0}, {"loss": 0.5, "bleu": 9.0}], 2),
        ("bleu", [{"loss": 1.0, "bleu": 9.0}, {"loss": 2.0, "bleu": 9.0}], 1),
        ("bleu", [{}, {}], 2),
        ("loss", [{"loss": math.nan}, {"loss": 7.0}], 2),
        ("loss", [{"loss": 7.0}, {"loss": math.nan}], 1),
    ],
)
def test_which_validation_is_the_best(reversals, metric, figures, best):
    rest = deque(figures)
    trainer = new_trainer(
        reversals, steps=2, validate_every_steps=1, best_metric=metric, validate=lambda _: rest.popleft()
    )
    run(trainer)
    assert trainer.progress.best_step == best


def test_comparing_a_changed_model_counts_as_a_validation(reversals):
    trainer = new_trainer(reversals, steps=2, validate=scripted(3.0, 2.0), validations=0)
    run(trainer)
    event = trainer.compare()
    assert event.best
    assert event.figures == {"loss": 2.0}


# What it reports


def test_logged_figures(reversals):
    trainer = new_trainer(
        reversals, steps=6, log_every_steps=2, accumulate=2, validations=0, elapsed=ticking(0.5), label_smoothing=0.0
    )
    logged = of_kind(run(trainer), Logged)
    assert [event.step for event in logged] == [2, 4, 6]
    assert [event.progress for event in logged] == pytest.approx([2 / 6, 4 / 6, 1.0])
    assert all(event.loss == event.nll and 1 < event.nll < 5 for event in logged)
    assert logged[-1].epoch == trainer.sampler.epochs(trainer.progress.position)
    rates = [learning_rate(trainer.config, 16, step, 0.0) for step in (2, 4, 6)]
    assert [event.learning_rate for event in logged] == pytest.approx(rates)
    assert all(event.gradient_norm > 0 and event.tokens_per_second > 0 for event in logged)


def test_seconds_go_on_from_those_used_before(reversals):
    """The clock of a second process starts at 0 again; the time between the two is not counted."""
    trainer = new_trainer(reversals, minutes=10.0, validations=0, elapsed=ticking(1.0))
    trainer.progress.seconds = 595.0
    trainer.progress.validation_seconds = 1.0
    trainer.progress.step = 100
    events = run(trainer)
    assert events[-1].step < 106
    assert 600 <= events[-1].seconds < 605


def test_accumulation_draws_so_many_batches_a_step(reversals):
    trainer = new_trainer(reversals, steps=3, accumulate=4, validations=0)
    drawn = []
    load_batch = trainer.load_batch
    trainer.load_batch = lambda indices, after: drawn.append(indices) or load_batch(indices, after)
    run(trainer)
    assert len(drawn) == 12
    assert trainer.progress.position != Position()


# That it learns (T27)


@pytest.mark.parametrize("norm_order", ["pre", "post"])
@pytest.mark.parametrize(("layers", "steps", "reached"), [(2, 60, 1.6), (12, 24, 2.4)])
def test_learns_to_copy(tmp_path, norm_order, layers, steps, reached):
    """2.26 is what knowing how frequent each token is gives, without a look at the source."""
    store = write_task(tmp_path / "store", 200, answer=lambda source: source)
    model = tiny_model(norm_order=norm_order, encoder_layers=layers, decoder_layers=layers, d_model=32, dropout=0.0)
    trainer = new_trainer(
        store, model=model, steps=steps, batch_tokens=200, warmup_steps=20, learning_rate=5e-3, log_every_steps=6
    )
    trainer.validate = lambda model: {}
    losses = [event.nll for event in of_kind(run(trainer), Logged)]
    assert all(math.isfinite(loss) for loss in losses)
    assert losses[-1] < reached
    assert losses[-1] < losses[0] - 0.2


def test_a_first_validation_quicker_than_set_aside_for_is_not_followed_by_another(reversals):
    """It moves the moments at which validations are due, in a budget of minutes, a little later."""
    trainer = new_trainer(reversals, minutes=10.0, validations=3, elapsed=ticking(1.0))
    steps = [event.step for event in of_kind(run(trainer), Validated)]
    assert len(steps) == 3
    assert min(later - earlier for earlier, later in pairwise(steps)) > 50
