"""The optimiser: the paper's Adam, and decay where it belongs."""

import pytest
import torch
from toy_task import tiny_model

from ferryman.config import TrainingConfig
from ferryman.training.optimizer import build_optimizer


def test_the_papers_numbers():
    """§5.3: beta_1 = 0.9, beta_2 = 0.98, epsilon = 10^-9; no decay."""
    optimizer = build_optimizer(tiny_model(), TrainingConfig())
    for group in optimizer.param_groups:
        assert (group["betas"], group["eps"], group["weight_decay"]) == ((0.9, 0.98), 1e-9, 0.0)


@pytest.mark.parametrize("tie", ["three-way", "two-way", "none"])
def test_every_weight_once(tie):
    model = tiny_model(tie=tie, output_bias=True)
    owned = [
        id(parameter)
        for group in build_optimizer(model, TrainingConfig()).param_groups
        for parameter in group["params"]
    ]
    assert sorted(owned) == sorted({id(parameter) for parameter in model.parameters()})


def test_frozen_weights_are_left_out():
    model = tiny_model()
    model.target_table.requires_grad_(False)
    owned = [
        id(parameter)
        for group in build_optimizer(model, TrainingConfig()).param_groups
        for parameter in group["params"]
    ]
    assert id(model.target_table) not in owned
    assert len(owned) == len(list(model.parameters())) - 1


def test_decay_is_decoupled_and_on_matrices_alone():
    """Without a gradient a matrix shrinks by learning rate times decay; biases and norms stay."""
    model = tiny_model(output_bias=True)
    optimizer = build_optimizer(model, TrainingConfig(weight_decay=0.1))
    before = {name: parameter.detach().clone() for name, parameter in model.named_parameters()}
    for parameter in model.parameters():
        parameter.grad = torch.zeros_like(parameter)
    for group in optimizer.param_groups:
        group["lr"] = 0.5
    optimizer.step()
    for name, parameter in model.named_parameters():
        expected = before[name] * (1 - 0.5 * 0.1) if parameter.dim() >= 2 else before[name]
        torch.testing.assert_close(parameter.detach(), expected)
