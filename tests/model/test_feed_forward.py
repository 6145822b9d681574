import math

import pytest
import torch

from ferryman.model.dropout import dropout_mask
from ferryman.model.feed_forward import FeedForward, GatedFeedForward

FORMULAS = {
    "relu": lambda x: max(0.0, x),
    "silu": lambda x: x / (1 + math.exp(-x)),
    "gelu": lambda x: x * (1 + math.erf(x / math.sqrt(2))) / 2,
}


def layer(activation: str, *, dropout: float = 0.0) -> FeedForward | GatedFeedForward:
    if activation == "swiglu":
        return GatedFeedForward(6, 10, dropout=dropout)
    return FeedForward(6, 10, activation=activation, dropout=dropout)


@pytest.mark.parametrize("activation", FORMULAS)
def test_equation_2_with_each_activation(activation):
    feed_forward, x = layer(activation), torch.randn(2, 3, 6)
    inner = x @ feed_forward.inner.weight.T + feed_forward.inner.bias
    hidden = inner.detach().clone().apply_(FORMULAS[activation])
    expected = hidden @ feed_forward.outer.weight.T + feed_forward.outer.bias
    torch.testing.assert_close(feed_forward(x), expected)


def test_swiglu_multiplies_a_silu_gate_with_a_value():
    feed_forward, x = GatedFeedForward(6, 10), torch.randn(2, 3, 6)
    weight, bias = feed_forward.inner.weight, feed_forward.inner.bias
    gate, value = x @ weight[:10].T + bias[:10], x @ weight[10:].T + bias[10:]
    hidden = gate / (1 + torch.exp(-gate)) * value
    torch.testing.assert_close(feed_forward(x), hidden @ feed_forward.outer.weight.T + feed_forward.outer.bias)


@pytest.mark.parametrize("activation", [*FORMULAS, "swiglu"])
def test_every_position_is_fed_forward_by_itself(activation):
    feed_forward, x = layer(activation), torch.randn(2, 5, 6)
    order = torch.tensor([3, 0, 4, 1, 2])
    torch.testing.assert_close(feed_forward(x)[:, order], feed_forward(x[:, order]))
    torch.testing.assert_close(feed_forward(x)[:, 2:3], feed_forward(x[:, 2:3]))


@pytest.mark.parametrize("activation", ["relu", "swiglu"])
def test_dropout_stands_between_the_two_matrices(activation):
    feed_forward, x = layer(activation, dropout=0.5), torch.randn(2, 3, 6)
    seen = {}
    torch.manual_seed(5)
    output = feed_forward(x, seen.__setitem__)
    torch.manual_seed(5)
    dropped = seen["hidden"] * dropout_mask(seen["hidden"].shape, 0.5, x)
    torch.testing.assert_close(output, feed_forward.outer(dropped))
