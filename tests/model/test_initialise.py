import math

import pytest
import torch
from torch import nn

from ferryman.config import ModelConfig
from ferryman.model.transformer import Transformer

CONFIG = ModelConfig(d_model=128, d_ff=256, heads=4, encoder_layers=1, decoder_layers=1, positions="learned")


def build(seed: int = 0, **changes) -> Transformer:
    return Transformer(1000, 1000, CONFIG.model_copy(update=changes), torch.Generator().manual_seed(seed))


def assert_xavier(weight: torch.Tensor) -> None:
    """Uniform between plus and minus sqrt(6 / (in + out)): bounds nearly reached, variance a third of their square."""
    bound = math.sqrt(6 / sum(weight.shape))
    assert 0.99 * bound < weight.abs().max() <= bound
    assert weight.var().item() == pytest.approx(bound**2 / 3, rel=0.05)


def test_matrices_are_xavier_uniform_and_those_stacked_each_by_itself():
    model = build(activation="swiglu")
    layer = model.decoder.layers[0]
    for attention in (layer.self_attention, layer.cross_attention):
        for part in attention.in_projection.weight.chunk(3):
            assert_xavier(part)
        assert_xavier(attention.out_projection.weight)
    for part in layer.feed_forward.inner.weight.chunk(2):
        assert_xavier(part)
    assert_xavier(layer.feed_forward.outer.weight)
    assert_xavier(build().encoder.layers[0].feed_forward.inner.weight)


@pytest.mark.parametrize("tie", ["three-way", "two-way", "none"])
def test_embeddings_and_positions_have_variance_1_over_d_model(tie):
    model = build(tie=tie)
    tables = (model.source_table, model.target_table, model.output_table, model.source_embedding.positions.weight)
    for table in tables:
        assert table.std().item() == pytest.approx(128**-0.5, rel=4 / math.sqrt(2 * table.numel()))
        assert abs(table.mean().item()) < 4 * 128**-0.5 / math.sqrt(table.numel())


def test_biases_begin_as_0_and_norms_as_1():
    model = build(output_bias=True, norm_order="pre")
    for name, parameter in model.named_parameters():
        if name.endswith("bias"):
            assert (parameter == 0).all(), name
    norms = [module for module in model.modules() if isinstance(module, nn.LayerNorm)]
    assert len(norms) == 2 + 3 + 2
    assert all((norm.weight == 1).all() for norm in norms)


def test_the_generator_decides_every_weight():
    first, again, other = build(1), build(1), build(2)
    assert all(torch.equal(*pair) for pair in zip(first.parameters(), again.parameters(), strict=True))
    assert not torch.equal(first.target_table, other.target_table)


def test_resetting_forgets_everything():
    used, fresh = build(1, output_bias=True), build(1, output_bias=True)
    with torch.no_grad():
        for parameter in used.parameters():
            parameter.fill_(math.nan)
    used.reset_parameters(torch.Generator().manual_seed(1))
    for (name, parameter), expected in zip(used.named_parameters(), fresh.parameters(), strict=True):
        assert torch.equal(parameter, expected), name
