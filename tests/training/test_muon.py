"""Muon: the step of each matrix, against singular values by PyTorch's own decomposition."""

import pytest
import torch
from torch import nn

from ferryman.training.muon import ADAM_SIZE, Muon, orthogonalise

SHAPES = pytest.mark.parametrize("shape", [(3, 8, 8), (2, 6, 20), (2, 20, 6)])


def drawn(shape, smallest):
    """Matrices with singular values from ``smallest`` to 1, before their norm is taken out."""
    left, _, right = torch.linalg.svd(torch.randn(shape), full_matrices=False)
    values = torch.linspace(smallest, 1, min(shape[1:]))
    return left @ torch.diag(values) @ right


@SHAPES
def test_singular_values_become_about_one_and_directions_stay(shape):
    matrices = drawn(shape, 0.1)
    found = orthogonalise(matrices)
    left, _, right = torch.linalg.svd(matrices, full_matrices=False)
    along = torch.linalg.diagonal(left.mT @ found @ right.mT)
    assert along.min() > 0.85
    assert along.max() < 1.15
    torch.testing.assert_close(found, left @ torch.diag_embed(along) @ right, atol=1e-4, rtol=0)


def test_the_size_of_a_gradient_does_not_matter_and_none_is_no_step():
    matrices = drawn((2, 6, 6), 0.1)
    torch.testing.assert_close(orthogonalise(matrices), orthogonalise(matrices * 1e-6), atol=1e-4, rtol=0)
    assert (orthogonalise(torch.zeros(1, 4, 4)) == 0).all()


@pytest.mark.parametrize("parts", [1, 3])
def test_a_step_is_nesterovs_of_each_stacked_matrix(parts):
    weight = nn.Parameter(torch.randn(parts * 4, 6))
    optimizer = Muon({weight: parts}, momentum=0.9, weight_decay=0.0)
    optimizer.param_groups[0]["lr"] = 0.5
    mean = torch.zeros_like(weight)
    for _ in range(3):
        before = weight.detach().clone()
        weight.grad = torch.randn_like(weight)
        mean = 0.9 * mean + 0.1 * weight.grad
        optimizer.step()
        direction = 0.1 * weight.grad + 0.9 * mean
        expected = torch.cat([orthogonalise(part[None])[0] for part in direction.chunk(parts)])
        torch.testing.assert_close(weight.detach(), before - 0.5 * ADAM_SIZE * 6**0.5 * expected)


def test_a_step_is_of_the_size_of_adams():
    weight = nn.Parameter(torch.zeros(64, 256))
    optimizer = Muon({weight: 1}, momentum=0.9, weight_decay=0.0)
    optimizer.param_groups[0]["lr"] = 1.0
    weight.grad = torch.randn_like(weight)
    optimizer.step()
    assert weight.detach().square().mean().sqrt().item() == pytest.approx(ADAM_SIZE, rel=0.15)


def test_matrices_of_one_shape_do_not_influence_one_another():
    weights = [nn.Parameter(torch.zeros(4, 4)) for _ in range(2)]
    together = Muon(dict.fromkeys(weights, 1), momentum=0.9, weight_decay=0.0)
    alone = nn.Parameter(torch.zeros(4, 4))
    single = Muon({alone: 1}, momentum=0.9, weight_decay=0.0)
    gradients = torch.randn(2, 4, 4)
    weights[0].grad, weights[1].grad, alone.grad = gradients[0], gradients[1], gradients[0].clone()
    for optimizer in (together, single):
        optimizer.param_groups[0]["lr"] = 1.0
        optimizer.step()
    torch.testing.assert_close(weights[0], alone)
