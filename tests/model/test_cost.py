"""What arithmetic says a model costs is what PyTorch allocates and multiplies."""

import pytest
import torch
from torch.utils.flop_counter import FlopCounterMode

from ferryman.config import ModelConfig
from ferryman.model.cost import matrix_weights, training_operations
from ferryman.model.estimate import count_parameters
from ferryman.model.transformer import Transformer

SHAPES = [
    {},
    {"tie": "two-way"},
    {"tie": "none"},
    {"activation": "swiglu", "encoder_layers": 3},
    {"d_model": 64, "d_ff": 512, "decoder_layers": 1},
]


def config(**changes) -> ModelConfig:
    return ModelConfig(**{"d_model": 128, "d_ff": 256, "heads": 4, "encoder_layers": 2, "decoder_layers": 2, **changes})


@pytest.mark.parametrize("changes", SHAPES, ids=str)
def test_weights_are_those_of_the_model_but_for_biases_and_norms(changes):
    vocab = (700, 700) if changes.get("tie", "three-way") == "three-way" else (700, 500)
    allocated = count_parameters(Transformer(*vocab, config(**changes)))
    assert 0.98 < matrix_weights(config(**changes), *vocab) / allocated < 1


@pytest.mark.parametrize("changes", SHAPES, ids=str)
def test_operations_are_those_of_a_training_step(changes):
    model, source, target = Transformer(700, 700, config(**changes)), 16, 8
    with FlopCounterMode(display=False) as counter:
        tokens = torch.zeros(4, source, dtype=torch.long), torch.zeros(4, target, dtype=torch.long)
        model(*tokens).sum().backward()
    expected = training_operations(config(**changes), 700, source / target) * 4 * target
    assert counter.get_total_flops() == pytest.approx(expected, rel=0.08)
