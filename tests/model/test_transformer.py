import copy

import pytest
import torch
from torch import nn

from ferryman.config import ModelConfig
from ferryman.errors import TranslationError
from ferryman.model.transformer import Transformer


def test_logits_have_one_value_a_target_token(model, draw_tokens):
    assert model(draw_tokens(2, 5), draw_tokens(2, 3)).shape == (2, 3, 13)


def test_the_encoder_and_decoder_depths_are_independent(build_model):
    model = build_model(encoder_layers=3, decoder_layers=1)
    assert (len(model.encoder.layers), len(model.decoder.layers)) == (3, 1)


@pytest.mark.parametrize("position", [1, 4, 6])
def test_a_future_target_token_changes_no_earlier_logit(any_model, draw_tokens, position):
    source, target_in = draw_tokens(2, 5), draw_tokens(2, 7, seed=1)
    changed = target_in.clone()
    changed[:, position] = (changed[:, position] + 1) % 13
    before, after = any_model(source, target_in), any_model(source, changed)
    assert torch.equal(before[:, :position], after[:, :position])
    assert not torch.isclose(before[:, position:], after[:, position:]).all(dim=-1).any()


def test_what_a_pad_position_holds_changes_nothing(any_model, draw_tokens):
    real = torch.tensor([[True] * 6, [True] * 2 + [False] * 4])
    source, target_in = draw_tokens(2, 6), draw_tokens(2, 7, seed=1)
    changed = torch.where(real, source, draw_tokens(2, 6, seed=2))
    assert not torch.equal(changed, source)
    before, after = any_model(source, target_in, real), any_model(changed, target_in, real)
    assert torch.equal(before, after)
    assert not torch.equal(any_model(source, target_in), any_model(changed, target_in))


def test_a_sentence_does_not_depend_on_its_neighbour(any_model, draw_tokens):
    """Alone, and padded beside a sentence of 50 tokens on both sides (T24)."""
    source, target_in = draw_tokens(2, 50), draw_tokens(2, 50, seed=1)
    real = torch.arange(50) < torch.tensor([[5], [50]])
    beside = any_model(source, target_in, real)[:1, :6]
    alone = any_model(source[:1, :5], target_in[:1, :6])
    torch.testing.assert_close(beside, alone, atol=1e-5, rtol=0)


def test_a_mask_without_padding_equals_no_mask(any_model, draw_tokens):
    source, target_in = draw_tokens(2, 5), draw_tokens(2, 4, seed=1)
    masked = any_model(source, target_in, torch.ones(2, 5, dtype=torch.bool))
    torch.testing.assert_close(masked, any_model(source, target_in), atol=1e-5, rtol=0)


@pytest.mark.parametrize("training", [False, True])
def test_a_row_of_padding_alone_gives_no_nan(any_model, draw_tokens, training):
    real = torch.tensor([[True] * 4, [False] * 4])
    any_model.train(training)
    logits = any_model(draw_tokens(2, 4), draw_tokens(2, 3, seed=1), real)
    assert logits.isfinite().all()
    logits.logsumexp(-1).sum().backward()
    assert all(parameter.grad.isfinite().all() for parameter in any_model.parameters())


def test_every_weight_gets_a_gradient(any_model, draw_tokens):
    any_model(draw_tokens(3, 6), draw_tokens(3, 6, seed=1)).log_softmax(-1)[..., 0].sum().backward()
    for name, parameter in any_model.named_parameters():
        assert parameter.grad.abs().max() > 1e-6, name


@pytest.mark.parametrize("norm_order", ["post", "pre"])
def test_a_final_norm_closes_pre_norm_stacks_alone(build_model, norm_order):
    model = build_model(norm_order=norm_order)
    for stack in (model.encoder, model.decoder):
        assert isinstance(stack.final_norm, nn.LayerNorm) == (norm_order == "pre")


@pytest.mark.parametrize("tie", ["three-way", "two-way", "none"])
def test_embeddings_are_scaled_by_the_root_of_d_model(build_model, draw_tokens, tie):
    source, target_in = draw_tokens(2, 5), draw_tokens(2, 3, seed=1)
    scaled, plain = build_model(tie=tie), build_model(tie=tie, scale_embedding=False)
    for table in {plain.source_table, plain.target_table}:
        table.data *= 4.0  # the square root of d_model
    scaled.output_table = nn.Parameter(plain.output_table.clone())
    torch.testing.assert_close(scaled(source, target_in), plain(source, target_in))


def test_a_sequence_beyond_the_learned_positions_is_refused(build_model, draw_tokens):
    model = build_model(positions="learned", max_positions=16)
    state = model.encode(draw_tokens(1, 16))
    _, state = model.decode(draw_tokens(1, 16), state)
    with pytest.raises(TranslationError, match=r"17 tokens .* 16 learned positions"):
        model.decode(draw_tokens(1, 1), state)
    with pytest.raises(TranslationError, match="17 tokens"):
        model.encode(draw_tokens(1, 17))


def test_three_way_tying_of_two_vocabularies_is_refused():
    with pytest.raises(ValueError, match="not 10 and 12 tokens"):
        Transformer(10, 12, ModelConfig())


@pytest.mark.parametrize("seen", [False, True])
def test_nothing_hides_in_a_module(any_model, draw_tokens, seen):
    """A forward pass, a step, an observed pass: no attribute comes, goes or changes."""
    source, target_in = draw_tokens(2, 5), draw_tokens(2, 3, seed=1)
    before = [(module, dict(vars(module))) for module in any_model.modules()]
    weights = copy.deepcopy(any_model.state_dict())
    observe = (lambda name, tensor: None) if seen else None
    state = any_model.encode(source, torch.ones(2, 5, dtype=torch.bool), observe)
    _, state = any_model.decode(target_in, state, observe)
    any_model.decode(target_in[:, :1], state.reorder(torch.tensor([0, 1])), observe)
    for module, attributes in before:
        assert vars(module).keys() == attributes.keys()
        assert all(vars(module)[name] is value for name, value in attributes.items())
        assert not module._buffers and not module._forward_hooks
    assert all(torch.equal(tensor, weights[name]) for name, tensor in any_model.state_dict().items())


def test_dropout_acts_in_training_and_follows_the_seed(build_model, draw_tokens):
    model = build_model(dropout=0.3)
    inputs = draw_tokens(2, 5), draw_tokens(2, 3, seed=1)
    assert torch.equal(model(*inputs), model(*inputs))
    model.train()
    results = []
    for seed in (1, 1, 2):
        torch.manual_seed(seed)
        results.append(model(*inputs))
    assert torch.equal(results[0], results[1])
    assert not torch.equal(results[0], results[2])


def test_a_model_runs_on_the_meta_device_and_leaves_the_cpu_alone(draw_tokens):
    config = ModelConfig(d_model=12, d_ff=8, heads=2, encoder_layers=1, decoder_layers=1)
    with torch.device("meta"):
        imaginary = Transformer(13, 13, config)
        assert imaginary(torch.empty(2, 5, dtype=torch.long), torch.empty(2, 3, dtype=torch.long)).shape == (2, 3, 13)
    assert Transformer(13, 13, config)(draw_tokens(2, 5), draw_tokens(2, 3)).isfinite().all()


def test_inference_mode_leaves_training_alone(model, draw_tokens):
    inputs = draw_tokens(2, 9), draw_tokens(2, 9)
    with torch.inference_mode():
        expected = model(*inputs)
    logits = model(*inputs)
    logits.sum().backward()
    assert torch.equal(logits.detach(), expected)
