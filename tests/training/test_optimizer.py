"""The optimisers: the paper's Adam, decay where it belongs, and Muon where it is asked for."""

import pytest
import torch
from toy_task import tiny_model

from ferryman.config import TrainingConfig
from ferryman.training.muon import Muon
from ferryman.training.optimizer import build_optimizers, layer_matrices

KINDS = pytest.mark.parametrize("kind", ["adamw", "muon"])


def groups(model, **settings):
    return [group for one in build_optimizers(model, TrainingConfig(**settings)) for group in one.param_groups]


def test_the_papers_numbers():
    """§5.3: beta_1 = 0.9, beta_2 = 0.98, epsilon = 10^-9; no decay."""
    for group in groups(tiny_model()):
        assert (group["betas"], group["eps"], group["weight_decay"]) == ((0.9, 0.98), 1e-9, 0.0)


@KINDS
@pytest.mark.parametrize("tie", ["three-way", "two-way", "none"])
def test_every_weight_once(tie, kind):
    model = tiny_model(tie=tie, output_bias=True)
    owned = [id(parameter) for group in groups(model, optimizer=kind) for parameter in group["params"]]
    assert sorted(owned) == sorted({id(parameter) for parameter in model.parameters()})


@KINDS
def test_frozen_weights_are_left_out(kind):
    model = tiny_model()
    frozen = [model.target_table, model.encoder.layers[0].feed_forward.inner.weight]
    for parameter in frozen:
        parameter.requires_grad_(False)
    owned = [id(parameter) for group in groups(model, optimizer=kind) for parameter in group["params"]]
    assert not {id(parameter) for parameter in frozen} & set(owned)
    assert len(owned) == len(list(model.parameters())) - len(frozen)


@KINDS
def test_decay_is_decoupled_and_on_matrices_alone(kind):
    """Without a gradient a matrix shrinks by learning rate times decay; biases and norms stay."""
    model = tiny_model(output_bias=True)
    optimizers = build_optimizers(model, TrainingConfig(weight_decay=0.1, optimizer=kind))
    before = {name: parameter.detach().clone() for name, parameter in model.named_parameters()}
    for parameter in model.parameters():
        parameter.grad = torch.zeros_like(parameter)
    for optimizer in optimizers:
        for group in optimizer.param_groups:
            group["lr"] = 0.5
        optimizer.step()
    for name, parameter in model.named_parameters():
        expected = before[name] * (1 - 0.5 * 0.1) if parameter.dim() >= 2 else before[name]
        torch.testing.assert_close(parameter.detach(), expected)


@pytest.mark.parametrize("activation", ["relu", "swiglu"])
def test_muon_takes_the_matrices_of_layers_and_of_stacked_ones_each(activation):
    model = tiny_model(activation=activation, positions="learned", tie="none")
    muon, adam = build_optimizers(model, TrainingConfig(optimizer="muon"))
    names = {parameter: name for name, parameter in model.named_parameters()}
    taken = {names[parameter]: muon.parts[parameter] for parameter in muon.param_groups[0]["params"]}
    assert all(name.endswith("weight") and ".layers." in name for name in taken)
    assert {count for name, count in taken.items() if "in_projection" in name} == {3}
    assert {count for name, count in taken.items() if "out_projection" in name or "outer" in name} == {1}
    assert {count for name, count in taken.items() if "inner" in name} == {2 if activation == "swiglu" else 1}
    left = {names[parameter] for group in adam.param_groups for parameter in group["params"] if parameter.dim() >= 2}
    assert left == {name for name in names.values() if "table" in name or "positions" in name}
    assert isinstance(muon, Muon)
    assert layer_matrices(model).keys() == set(muon.param_groups[0]["params"])
