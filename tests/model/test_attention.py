import math

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import Tensor

from ferryman.model.attention import MultiHeadAttention, attention_weights, explicit_attention, fused_attention
from ferryman.model.masks import causal_mask


@st.composite
def problems(draw) -> tuple[Tensor, Tensor, Tensor, Tensor | None]:
    """Queries, keys, values and a mask (or None) of any small shape; no query is left without a key."""
    batch, heads, queries, keys, d_k, d_v = (draw(st.integers(1, 6)) for _ in range(6))
    generator = torch.Generator().manual_seed(draw(st.integers(0, 1000)))
    tensors = (
        torch.randn(batch, heads, length, width, generator=generator) * 2
        for length, width in ((queries, d_k), (keys, d_k), (keys, d_v))
    )
    shape = (draw(st.sampled_from([1, batch])), draw(st.sampled_from([1, heads])), draw(st.sampled_from([1, queries])))
    mask = torch.rand(*shape, keys, generator=generator) < draw(st.floats(0, 1))
    mask[..., draw(st.integers(0, keys - 1))] = True
    return *tensors, draw(st.sampled_from([mask, None]))


@given(problems())
def test_the_fused_kernel_equals_the_equation_in_values_and_gradients(problem):
    *tensors, mask = problem
    results = []
    for attention in (explicit_attention, fused_attention):
        inputs = [tensor.clone().requires_grad_() for tensor in tensors]
        output = attention(*inputs, mask)
        output.square().mean().backward()
        results.append((output, *(tensor.grad for tensor in inputs)))
    for explicit, fused in zip(*results, strict=True):
        torch.testing.assert_close(fused, explicit, atol=1e-5, rtol=1e-4)


@pytest.mark.parametrize(("queries", "keys"), [(1, 1), (1, 4), (3, 4), (5, 5)])
def test_the_causal_mask_by_name_is_the_causal_mask(queries, keys):
    attention = MultiHeadAttention(12, 3).eval()
    q, k, v = torch.randn(2, 3, queries, 4), torch.randn(2, 3, keys, 4), torch.randn(2, 3, keys, 4)
    mask = causal_mask(queries, keys, torch.device("cpu"))
    torch.testing.assert_close(fused_attention(q, k, v, "causal"), explicit_attention(q, k, v, mask))
    seen = {}
    watched = attention(q, k, v, "causal", seen.__setitem__)
    assert (seen["weights"][~mask.expand_as(seen["weights"])] == 0).all()
    torch.testing.assert_close(attention(q, k, v, "causal"), watched)


@given(problems())
def test_weights_are_a_distribution_over_the_keys_allowed(problem):
    queries, keys, _, mask = problem
    weights = attention_weights(queries, keys, mask)
    torch.testing.assert_close(weights.sum(-1), torch.ones(weights.shape[:-1]))
    if mask is not None:
        assert (weights[~mask.expand_as(weights)] == 0).all()
        assert (weights[mask.expand_as(weights)] > 0).all()


def test_scores_are_divided_by_the_root_of_d_k():
    queries, keys = torch.full((1, 1, 1, 16), 0.5), torch.zeros(1, 1, 2, 16)
    keys[..., 0, :] = 1.0  # scores 8 and 0, scaled 2 and 0
    weights = attention_weights(queries, keys)
    assert weights[0, 0, 0, 0].item() == pytest.approx(math.exp(2) / (math.exp(2) + 1))


def test_projections_stack_queries_keys_and_values_of_all_heads():
    attention = MultiHeadAttention(12, 3)
    x = torch.randn(2, 5, 12)
    weight, bias = attention.in_projection.weight, attention.in_projection.bias
    for index, projected in enumerate(attention.project(x)):
        assert projected.shape == (2, 3, 5, 4)
        for head in range(3):
            rows = slice(12 * index + 4 * head, 12 * index + 4 * head + 4)
            torch.testing.assert_close(projected[:, head], x @ weight[rows].T + bias[rows])


def test_the_two_sides_of_cross_attention_project_as_self_attention_does():
    attention = MultiHeadAttention(12, 3)
    x = torch.randn(2, 5, 12)
    queries, keys, values = attention.project(x)
    torch.testing.assert_close(attention.project_queries(x), queries)
    for one, other in zip(attention.project_memory(x), (keys, values), strict=True):
        torch.testing.assert_close(one, other)


def test_heads_are_joined_in_order_and_projected():
    attention = MultiHeadAttention(8, 2)
    queries, keys, values = attention.project(torch.randn(1, 4, 8))
    heads = explicit_attention(queries, keys, values)
    joined = torch.cat((heads[:, 0], heads[:, 1]), dim=-1)
    torch.testing.assert_close(attention(queries, keys, values), attention.out_projection(joined))


def test_attention_dropout_acts_in_training_alone():
    attention = MultiHeadAttention(8, 2, dropout=0.5)
    projected = attention.project(torch.randn(1, 6, 8))
    assert not torch.equal(attention(*projected), attention(*projected))
    attention.eval()
    assert torch.equal(attention(*projected), attention(*projected))
