import dataclasses

import pytest
import torch

from ferryman.config import ModelConfig
from ferryman.model.estimate import count_parameters, estimate
from ferryman.model.transformer import Transformer

CONFIG = ModelConfig(d_model=64, d_ff=256, heads=4, encoder_layers=2, decoder_layers=2)


def test_weights_are_what_the_model_allocates():
    size = estimate(CONFIG, 100, 100, batch_tokens=1)
    model = Transformer(100, 100, CONFIG)
    assert size.parameters == count_parameters(model)
    assert size.weights_bytes == sum(parameter.nbytes for parameter in model.parameters())


@pytest.mark.parametrize("norm_order", ["post", "pre"])
def test_activations_are_within_a_factor_of_two_of_what_is_kept(norm_order):
    """Measure what autograd saves for the backward pass, weights apart, each storage once."""
    config = CONFIG.model_copy(update={"norm_order": norm_order})
    model = Transformer(100, 100, config)
    weights = {parameter.untyped_storage().data_ptr() for parameter in model.parameters()}
    kept = {}

    def keep(tensor: torch.Tensor) -> torch.Tensor:
        storage = tensor.untyped_storage()
        if storage.data_ptr() not in weights:
            kept[storage.data_ptr()] = (storage.nbytes(), tensor)  # held, so that its address is not used again
        return tensor

    tokens = torch.zeros(8, 32, dtype=torch.long)
    with torch.autograd.graph.saved_tensors_hooks(keep, lambda tensor: tensor):
        hidden, _ = model.decode(tokens, model.encode(tokens))
    measured = sum(size for size, _ in kept.values())
    with_batch, without = (estimate(config, 100, 100, batch_tokens=count) for count in (tokens.numel(), 0))
    estimated = with_batch.training_bytes - without.training_bytes
    assert hidden.requires_grad
    assert measured / 2 < estimated < measured * 2


def test_training_holds_weights_gradients_and_two_moments():
    size = estimate(CONFIG, 100, 100, batch_tokens=0)
    assert size.training_bytes == 4 * size.weights_bytes


def test_it_reads_as_a_line():
    size = dataclasses.replace(estimate(CONFIG, 10, 10, 1), parameters=1_234_567, weights_bytes=4_938_268)
    assert str(size).startswith("1,234,567 parameters, 5 MB of weights, about ")


def test_the_paper_s_big_model_is_estimated_without_allocating_it():
    size = estimate(ModelConfig(d_model=1024, d_ff=4096, heads=16), 37_000, 37_000, batch_tokens=25_000)
    assert size.parameters == 214_245_376
    assert 4 * size.weights_bytes < size.training_bytes < 100e9
