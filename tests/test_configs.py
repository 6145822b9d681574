"""Every configuration that ships can be built and takes a step."""

import pytest
import torch

from ferryman.config_file import config_names, load_config
from ferryman.model.estimate import count_parameters
from ferryman.model.transformer import Transformer

PRESETS = {  # encoder layers, decoder layers, d_model, d_ff, and parameters with the vocabulary stated
    "base": (6, 6, 512, 2048, 63_082_496),
    "big": (6, 6, 1024, 4096, 214_245_376),
    "small": (3, 3, 256, 1024, 7_578_624),
    "small-deep": (6, 2, 256, 1024, 8_894_464),
    "tiny": (4, 4, 128, 256, 2_605_568),
}


def test_the_presets_ship():
    assert set(PRESETS) < set(config_names())


@pytest.mark.parametrize("name", config_names())
def test_each_is_built_at_its_own_size(name):
    config = load_config(name)
    vocab, model = config.tokenizer.vocab_size, config.model
    with torch.device("meta"):
        built = Transformer(vocab, vocab, model)
    if name in PRESETS:
        shape = (model.encoder_layers, model.decoder_layers, model.d_model, model.d_ff)
        assert (*shape, count_parameters(built)) == PRESETS[name]
    assert built.target_table.shape == (vocab, model.d_model)


@pytest.mark.parametrize("name", config_names())
def test_each_takes_a_step_at_reduced_size(name, draw_tokens):
    config = load_config(name).model
    model = Transformer(13, 13, config.model_copy(update={"d_model": 4 * config.heads, "d_ff": 32}))
    before = [parameter.detach().clone() for parameter in model.parameters()]
    optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
    logits = model(draw_tokens(2, 5), draw_tokens(2, 4, seed=1))
    torch.nn.functional.cross_entropy(logits.flatten(0, 1), draw_tokens(8, seed=2)).backward()
    optimizer.step()
    for parameter, old in zip(model.parameters(), before, strict=True):
        assert parameter.isfinite().all()
        assert not torch.equal(parameter, old)


@pytest.mark.parametrize("name", config_names())
def test_each_has_a_budget(name):
    assert load_config(name).training.has_budget
