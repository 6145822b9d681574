import pytest
import torch
from torch import Tensor, nn

from ferryman.model.norm import PostNorm, PreNorm

EPSILON = 0.01


def layer_norm(x: Tensor, norm: nn.LayerNorm) -> Tensor:
    centred = x - x.mean(-1, keepdim=True)
    variance = centred.square().mean(-1, keepdim=True)
    return centred / (variance + EPSILON).sqrt() * norm.weight + norm.bias


@pytest.fixture(params=[PostNorm, PreNorm])
def add_norm(request) -> PostNorm | PreNorm:
    add_norm = request.param(8, dropout=0.4, epsilon=EPSILON)
    nn.init.normal_(add_norm.norm.weight)
    nn.init.normal_(add_norm.norm.bias)
    return add_norm


def test_order_of_sum_and_norm(add_norm):
    add_norm.eval()
    x, sublayer = torch.randn(2, 3, 8), torch.randn(2, 3, 8)
    if isinstance(add_norm, PostNorm):
        assert add_norm.before(x) is x
        torch.testing.assert_close(add_norm.after(x, sublayer), layer_norm(x + sublayer, add_norm.norm))
    else:
        torch.testing.assert_close(add_norm.before(x), layer_norm(x, add_norm.norm))
        torch.testing.assert_close(add_norm.after(x, sublayer), x + sublayer)


def test_dropout_falls_on_the_sub_layer_and_not_on_the_residual(add_norm):
    x = torch.randn(2, 3, 8)
    kept = add_norm.after(x, torch.zeros(2, 3, 8))
    torch.testing.assert_close(kept, layer_norm(x, add_norm.norm) if isinstance(add_norm, PostNorm) else x)
    torch.manual_seed(1)
    seen = {}
    add_norm.after(x, torch.ones(2, 3, 8), seen.__setitem__)
    dropped = torch.isclose(seen["residual"], x)
    assert 0 < dropped.sum() < dropped.numel()
