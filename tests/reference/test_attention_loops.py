"""Attention as three loops in plain Python."""

import math

import torch
from hypothesis import given
from hypothesis import strategies as st

from ferryman.model.attention import attention_weights, explicit_attention

Matrix = list[list[float]]


def loop_weights(queries: Matrix, keys: Matrix, mask: list[list[bool]]) -> Matrix:
    rows = []
    for query, allowed in zip(queries, mask, strict=True):
        scores = []
        for key in keys:
            score = 0.0
            for a, b in zip(query, key, strict=True):
                score += a * b
            scores.append(score / math.sqrt(len(query)))
        powers = [math.exp(score) if yes else 0.0 for score, yes in zip(scores, allowed, strict=True)]
        rows.append([power / sum(powers) for power in powers])
    return rows


def loop_attention(weights: Matrix, values: Matrix) -> Matrix:
    rows = []
    for row in weights:
        total = [0.0] * len(values[0])
        for weight, value in zip(row, values, strict=True):
            for index, number in enumerate(value):
                total[index] += weight * number
        rows.append(total)
    return rows


@given(st.tuples(*[st.integers(1, 4)] * 4), st.integers(0, 1000))
def test_the_equation_equals_three_loops(sizes, seed):
    (n_queries, n_keys, d_k, d_v), generator = sizes, torch.Generator().manual_seed(seed)
    queries, keys, values = (
        torch.randn(2, 2, *shape, generator=generator) for shape in ((n_queries, d_k), (n_keys, d_k), (n_keys, d_v))
    )
    mask = torch.rand(2, 1, n_queries, n_keys, generator=generator) < 0.6
    mask[..., 0] = True
    weights = attention_weights(queries, keys, mask)
    attended = explicit_attention(queries, keys, values, mask)
    for batch in range(2):
        for head in range(2):
            expected = loop_weights(queries[batch, head].tolist(), keys[batch, head].tolist(), mask[batch, 0].tolist())
            torch.testing.assert_close(weights[batch, head], torch.tensor(expected), atol=1e-5, rtol=0)
            result = loop_attention(expected, values[batch, head].tolist())
            torch.testing.assert_close(attended[batch, head], torch.tensor(result), atol=1e-5, rtol=0)
