"""The learning rate over time (§5.3)."""

from itertools import pairwise

import pytest

from ferryman.config import TrainingConfig
from ferryman.training.schedule import learning_rate, paper_rate

PEAK, WARMUP = 0.01, 100
SCHEDULES = ["inverse_sqrt", "linear", "cosine", "constant"]


def rate(schedule, step, progress=0.0):
    config = TrainingConfig(schedule=schedule, learning_rate=PEAK, warmup_steps=WARMUP)
    return learning_rate(config, 512, step, progress)


def test_equation_3():
    """d_model^-0.5 * min(step^-0.5, step * warmup^-1.5), for the base model with 4000 steps of warm-up."""
    for step in (1, 100, 3999, 4000, 4001, 100_000):
        expected = 512**-0.5 * min(step**-0.5, step * 4000**-1.5)
        assert paper_rate(step, 512, 4000) == pytest.approx(expected)
    assert max(range(1, 20_000), key=lambda step: paper_rate(step, 512, 4000)) == 4000
    assert paper_rate(4000, 512, 4000) == pytest.approx(7e-4, rel=0.01)


@pytest.mark.parametrize("step", [1, 50, 100, 400])
def test_the_papers_schedule_is_equation_3_and_inverse_sqrt_without_a_peak_too(step):
    expected = paper_rate(step, 64, WARMUP)
    for schedule in ("paper", "inverse_sqrt"):
        config = TrainingConfig(schedule=schedule, warmup_steps=WARMUP)
        assert learning_rate(config, 64, step, 0.5) == pytest.approx(expected)


@pytest.mark.parametrize("schedule", SCHEDULES)
def test_warm_up_is_linear_to_the_peak(schedule):
    assert [rate(schedule, step) for step in (1, 25, 50, 100)] == pytest.approx([PEAK / 100, PEAK / 4, PEAK / 2, PEAK])


def test_after_warm_up():
    assert rate("constant", 5000, 0.9) == PEAK
    assert rate("inverse_sqrt", 4 * WARMUP, 0.9) == pytest.approx(PEAK / 2)
    assert rate("linear", 5000, 0.75) == pytest.approx(PEAK / 4)
    assert rate("cosine", 5000, 0.5) == pytest.approx(PEAK / 2)
    assert rate("cosine", 5000, 1 / 3) == pytest.approx(PEAK * 3 / 4)


@pytest.mark.parametrize("schedule", ["linear", "cosine"])
def test_ends_at_zero_when_the_budget_does(schedule):
    assert rate(schedule, 5000, 1.0) == 0.0


@pytest.mark.parametrize("schedule", SCHEDULES)
def test_never_rises_after_warm_up(schedule):
    rates = [rate(schedule, step, step / 1000) for step in range(WARMUP, 1001)]
    assert all(later <= earlier for earlier, later in pairwise(rates))
