"""Numbers and properties that *Attention Is All You Need* states."""

import itertools
import math

import pytest
import torch
import torch.nn.functional as F

from ferryman.config_file import load_config
from ferryman.model.attention import attention_weights
from ferryman.model.estimate import count_parameters
from ferryman.model.positions import sinusoids
from ferryman.model.transformer import Transformer
from ferryman.training.schedule import paper_rate


@pytest.mark.parametrize(("name", "millions"), [("base", 63.1), ("big", 214.2)])
def test_table_3_sizes(name, millions):
    """The paper's 65 M and 213 M are for vocabularies of its own; these are for exactly 37,000 shared tokens (§5.1)."""
    config = load_config(name)
    assert config.tokenizer.vocab_size == 37_000
    with torch.device("meta"):
        model = Transformer(37_000, 37_000, config.model)
    assert round(count_parameters(model) / 1e6, 1) == millions


@pytest.mark.parametrize("name", ["base", "big"])
def test_shipped_settings_are_the_paper_s(name):
    config = load_config(name)
    model, training, decoding = config.model, config.training, config.decoding
    expected = {"base": (512, 2048, 8, 0.1, 100_000, 5), "big": (1024, 4096, 16, 0.3, 300_000, 20)}[name]
    assert (
        model.d_model, model.d_ff, model.heads, model.dropout, training.steps, training.average_last
    ) == expected  # fmt: skip
    assert (model.encoder_layers, model.decoder_layers) == (6, 6)  # §3.1
    assert model.d_model // model.heads == 64  # §3.2.2
    assert (model.norm_order, model.activation, model.tie, model.positions) == (
        "post",
        "relu",
        "three-way",
        "sinusoidal",
    )
    assert (training.betas, training.epsilon) == ((0.9, 0.98), 1e-9)  # §5.3
    assert (training.schedule, training.warmup_steps, training.label_smoothing) == ("paper", 4000, 0.1)  # §5.3, §5.4
    assert (decoding.beam, decoding.length_penalty) == (4, 0.6)  # §6.1


@pytest.mark.parametrize(("d_model", "warmup"), [(512, 4000), (64, 10)])
def test_the_learning_rate_peaks_at_the_end_of_warm_up(d_model, warmup):
    """Equation 3: a straight line up to d_model^-0.5 * warmup^-0.5, then the inverse root of the step."""
    rates = [paper_rate(step, d_model, warmup) for step in range(1, 3 * warmup)]
    assert rates.index(max(rates)) + 1 == warmup
    assert max(rates) == pytest.approx((d_model * warmup) ** -0.5)
    rises = [after - before for before, after in itertools.pairwise(rates[:warmup])]
    assert rises == pytest.approx([rates[0]] * (warmup - 1))
    assert paper_rate(4 * warmup, d_model, warmup) == pytest.approx(max(rates) / 2)


@pytest.mark.parametrize("shift", [1, 5, 100])
def test_sinusoids_shift_by_a_rotation(shift):
    """§3.5: PE(pos + k) is a linear function of PE(pos), for each frequency the same rotation at every position."""
    table = sinusoids(300, 64).double().unflatten(1, (32, 2))
    angles = shift / 10000 ** (torch.arange(32, dtype=torch.float64) / 32)
    rotation = torch.stack(
        (torch.stack((angles.cos(), angles.sin()), -1), torch.stack((-angles.sin(), angles.cos()), -1)), -2
    )
    rotated = torch.einsum("fij,pfj->pfi", rotation, table[:-shift])
    torch.testing.assert_close(rotated, table[shift:], atol=1e-6, rtol=0)


def test_wavelengths_are_a_geometric_progression_from_2_pi_to_10000_times_2_pi():
    """§3.5; the largest falls one ratio short of its limit."""
    first = sinusoids(2, 512).double()[1]
    wavelengths = 2 * math.pi / torch.atan2(first[0::2], first[1::2])
    assert wavelengths[0].item() == pytest.approx(2 * math.pi)
    ratios = wavelengths[1:] / wavelengths[:-1]
    torch.testing.assert_close(ratios, torch.full_like(ratios, 10000 ** (1 / 256)), atol=0, rtol=1e-5)
    assert (wavelengths[-1] * ratios[-1]).item() == pytest.approx(10000 * 2 * math.pi, rel=1e-4)


def test_a_lookup_is_a_one_hot_vector_times_the_matrix(model, draw_tokens):
    """§3.4: embedding and pre-softmax layer are one matrix, the former scaled by the root of d_model."""
    tokens, seen = draw_tokens(2, 5), {}
    model.encode(tokens, observe=seen.__setitem__)
    one_hot = F.one_hot(tokens, 13).float()
    torch.testing.assert_close(seen["source_embedding.tokens"], one_hot @ model.target_table * math.sqrt(16))
    hidden = torch.randn(2, 5, 16)
    torch.testing.assert_close(model.project(hidden), hidden @ model.target_table.T)


def test_dot_products_grow_with_d_k_until_they_are_scaled():
    """Footnote 4 of §3.2.1: for unit-variance queries and keys, q · k has variance d_k."""
    seen = {}
    attention_weights(torch.randn(1, 1, 400, 64), torch.randn(1, 1, 400, 64), observe=seen.__setitem__)
    assert seen["scores"].var().item() == pytest.approx(64, rel=0.1)
    assert seen["scaled"].var().item() == pytest.approx(1, rel=0.1)
