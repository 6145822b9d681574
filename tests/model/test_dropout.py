import math

import pytest
import torch

from ferryman.model.dropout import LEVELS, Dropout, dropout_mask

COUNT = 1 << 20
PROBABILITIES = [0.05, 0.1, 0.15, 0.3, 0.5, 0.9]


def exact(probability: float) -> float:
    """The nearest probability that 16 bits can tell."""
    return round(probability * LEVELS) / LEVELS


def draw(probability: float, count: int = COUNT) -> torch.Tensor:
    torch.manual_seed(1)
    return dropout_mask(torch.Size([count]), probability, torch.empty(0))


@pytest.mark.parametrize("probability", PROBABILITIES)
def test_elements_are_dropped_with_the_probability_asked(probability):
    share = (draw(probability) == 0).double().mean().item()
    sigma = math.sqrt(exact(probability) * (1 - exact(probability)) / COUNT)
    assert abs(share - exact(probability)) < 4 * sigma
    assert abs(exact(probability) - probability) <= 0.5 / LEVELS


@pytest.mark.parametrize("probability", PROBABILITIES)
def test_what_is_kept_is_scaled_so_that_the_expectation_stays(probability):
    mask = draw(probability)
    scale = torch.tensor(1 / (1 - exact(probability)))
    assert mask.unique().tolist() == [0.0, scale.item()]
    sigma = math.sqrt(exact(probability) / (1 - exact(probability)) / COUNT)
    assert abs(mask.double().mean().item() - 1) < 4 * sigma


@pytest.mark.parametrize("distance", [1, 2, 3, 4, 64])
def test_neighbours_are_dropped_independently(distance):
    dropped = (draw(0.5) == 0).double() - 0.5
    correlation = (dropped[distance:] * dropped[:-distance]).mean().item() * 4
    assert abs(correlation) < 4 / math.sqrt(COUNT)


@pytest.mark.parametrize("shape", [(), (0, 3), (1,), (3, 5, 7)])
def test_any_shape_gets_a_mask_of_that_shape(shape):
    assert dropout_mask(torch.Size(shape), 0.5, torch.empty(0)).shape == shape


def test_a_probability_just_below_1_still_has_a_scale():
    assert draw(1 - 1e-9, 1000).isfinite().all()


def test_the_mask_takes_the_precision_of_what_it_masks():
    assert Dropout(0.5)(torch.ones(8, dtype=torch.bfloat16)).dtype == torch.bfloat16


def test_the_same_seed_draws_the_same_mask_and_the_next_draw_another():
    torch.manual_seed(1)
    first, second = (dropout_mask(torch.Size([100]), 0.5, torch.empty(0)) for _ in range(2))
    assert torch.equal(first, draw(0.5, 100))
    assert not torch.equal(first, second)


@pytest.mark.parametrize("dropout", [Dropout(0.5).eval(), Dropout(0.0)])
def test_nothing_happens_outside_training_or_with_probability_0(dropout):
    x, y = torch.randn(4, 5), torch.randn(4, 5)
    assert dropout(x) is x
    assert torch.equal(dropout.add(x, y), x + y)


def test_add_equals_x_plus_dropped_y():
    dropout, x, y = Dropout(0.3), torch.randn(4, 5), torch.randn(4, 5)
    torch.manual_seed(2)
    expected = x + dropout(y)
    torch.manual_seed(2)
    torch.testing.assert_close(dropout.add(x, y), expected)


def test_the_gradient_is_the_mask():
    dropout, x, y = Dropout(0.3), torch.randn(6, 7, requires_grad=True), torch.randn(6, 7, requires_grad=True)
    torch.manual_seed(3)
    dropout.add(x, y).sum().backward()
    torch.manual_seed(3)
    assert torch.equal(y.grad, dropout_mask(y.shape, 0.3, y))
    assert torch.equal(x.grad, torch.ones(6, 7))
