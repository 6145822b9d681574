"""Attention (§3.2): the equation as pure functions, and the module that owns its weights."""

import math
from typing import Literal

import torch.nn.functional as F
from jaxtyping import Bool, Float
from torch import Tensor, nn

from ferryman.model.masks import causal_mask
from ferryman.model.observe import Observer

Heads = Float[Tensor, "batch heads queries d_k"]


def attention_weights(
    queries: Float[Tensor, "batch heads queries d_k"],
    keys: Float[Tensor, "batch heads keys d_k"],
    mask: Bool[Tensor, "#batch #heads #queries keys"] | None = None,
    observe: Observer | None = None,
) -> Float[Tensor, "batch heads queries keys"]:
    """Compute softmax(Q K^T / sqrt(d_k)), the weights of eq. 1; masked-out keys get exactly 0."""
    scores = queries @ keys.transpose(-2, -1)
    scaled = scores / math.sqrt(queries.size(-1))
    masked = scaled if mask is None else scaled.masked_fill(~mask, -math.inf)
    weights = masked.softmax(dim=-1)
    if observe:
        for name, tensor in (("scores", scores), ("scaled", scaled), ("masked", masked), ("weights", weights)):
            observe(name, tensor)
    return weights


def explicit_attention(
    queries: Float[Tensor, "batch heads queries d_k"],
    keys: Float[Tensor, "batch heads keys d_k"],
    values: Float[Tensor, "batch heads keys d_v"],
    mask: Bool[Tensor, "#batch #heads #queries keys"] | None = None,
    observe: Observer | None = None,
) -> Float[Tensor, "batch heads queries d_v"]:
    """Compute eq. 1 as it is written: softmax(Q K^T / sqrt(d_k)) V."""
    return attention_weights(queries, keys, mask, observe) @ values


def fused_attention(
    queries: Float[Tensor, "batch heads queries d_k"],
    keys: Float[Tensor, "batch heads keys d_k"],
    values: Float[Tensor, "batch heads keys d_v"],
    mask: Bool[Tensor, "#batch #heads #queries keys"] | Literal["causal"] | None = None,
    dropout: float = 0.0,
) -> Float[Tensor, "batch heads queries d_v"]:
    """Compute eq. 1 in one kernel that never stores the weights; equal to ``explicit_attention`` up to rounding.

    The mask ``"causal"`` stands for ``causal_mask``; the kernel then leaves out half of the work.
    """
    if mask == "causal":
        if queries.size(2) == keys.size(2):
            return F.scaled_dot_product_attention(queries, keys, values, dropout_p=dropout, is_causal=True)
        mask = _causal(queries, keys)
    return F.scaled_dot_product_attention(queries, keys, values, attn_mask=mask, dropout_p=dropout)


def _causal(queries: Tensor, keys: Tensor) -> Tensor | None:
    """Make the mask for queries at the last of the keys' positions; the very last one may attend to all."""
    return None if queries.size(2) == 1 else causal_mask(queries.size(2), keys.size(2), queries.device)


class MultiHeadAttention(nn.Module):
    """Multi-head attention (§3.2.2): Concat(head_1, …, head_h) W^O, head_i = Attention(Q W_i^Q, K W_i^K, V W_i^V).

    ``in_projection`` stacks W^Q, W^K and W^V of all heads, so that self-attention is one matrix product;
    ``out_projection`` is W^O. d_k = d_v = d_model / heads. Differs from the paper: the projections have biases, as in
    the paper's own code.
    """

    def __init__(self, d_model: int, heads: int, *, dropout: float = 0.0) -> None:
        super().__init__()
        self.heads = heads
        self.dropout = dropout
        self.in_projection = nn.Linear(d_model, 3 * d_model)
        self.out_projection = nn.Linear(d_model, d_model)

    def project(self, x: Float[Tensor, "batch length d_model"]) -> tuple[Heads, Heads, Heads]:
        """Project one sequence to queries, keys and values, each (batch, heads, length, d_k)."""
        queries, keys, values = self.in_projection(x).chunk(3, dim=-1)
        return self.split(queries), self.split(keys), self.split(values)

    def project_queries(self, x: Float[Tensor, "batch queries d_model"]) -> Heads:
        """Project the asking side of encoder-decoder attention: (batch, heads, queries, d_k)."""
        d_model = x.size(-1)
        weight, bias = self.in_projection.weight[:d_model], self.in_projection.bias[:d_model]
        return self.split(F.linear(x, weight, bias))

    def project_memory(self, memory: Float[Tensor, "batch src d_model"]) -> tuple[Heads, Heads]:
        """Project the encoder's output to keys and values, each (batch, heads, src, d_k); once a sentence."""
        d_model = memory.size(-1)
        weight, bias = self.in_projection.weight[d_model:], self.in_projection.bias[d_model:]
        keys, values = F.linear(memory, weight, bias).chunk(2, dim=-1)
        return self.split(keys), self.split(values)

    def forward(
        self,
        queries: Float[Tensor, "batch heads queries d_k"],
        keys: Float[Tensor, "batch heads keys d_k"],
        values: Float[Tensor, "batch heads keys d_v"],
        mask: Bool[Tensor, "#batch #heads #queries keys"] | Literal["causal"] | None = None,
        observe: Observer | None = None,
    ) -> Float[Tensor, "batch queries d_model"]:
        """Attend with every head, join the heads and project them (§3.2.2); ``"causal"``: see ``causal_mask``."""
        if observe:
            for name, tensor in (("queries", queries), ("keys", keys), ("values", values)):
                observe(name, tensor)
            seen = _causal(queries, keys) if mask == "causal" else mask
            attended = explicit_attention(queries, keys, values, seen, observe)
        else:
            attended = fused_attention(queries, keys, values, mask, self.dropout if self.training else 0.0)
        joined = attended.transpose(1, 2).flatten(2)
        output: Tensor = self.out_projection(joined)
        if observe:
            observe("heads", attended)
            observe("output", output)
        return output

    def split(self, x: Float[Tensor, "batch length d_model"]) -> Heads:
        """Cut the features into heads: (batch, length, d_model) -> (batch, heads, length, d_k)."""
        return x.view(*x.shape[:2], self.heads, -1).transpose(1, 2)
