"""A model laid out to translate: plain tensors, as few operations as there can be, nothing of a module.

What a ``Transformer`` spends on views, copies and calls costs more than its products when a step has few rows. The
arithmetic is the same; ``TorchStepper`` is what every result must equal.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import cast

import torch
from torch import Tensor, nn

from ferryman.engines.embedder import Embedder
from ferryman.model.feed_forward import FeedForward, GatedFeedForward
from ferryman.model.layers import DecoderLayer, EncoderLayer
from ferryman.model.norm import PreNorm
from ferryman.model.transformer import Transformer

Product = Callable[[Tensor], Tensor]
"""A linear layer: (rows, in) -> (rows, out)."""
Pack = Callable[[Tensor, Tensor | None], Product]
"""Makes a product of a weight (out, in) and a bias (out)."""
Norm = Callable[[Tensor], Tensor]


@dataclass(frozen=True)
class PackedSelfAttention:
    """Self-attention and feed-forward: an encoder layer (Figure 1, left), or the same parts of a decoder layer."""

    pre_norm: bool
    norm: Norm
    project: Product  # W^Q, W^K and W^V
    project_out: Product
    feed_norm: Norm
    feed: Product


@dataclass(frozen=True)
class PackedCrossAttention:
    """Encoder-decoder attention: the further part of a decoder layer (Figure 1, right)."""

    norm: Norm
    ask: Product  # W^Q
    remember: Product  # W^K and W^V, of the memory
    ask_out: Product


class PackedModel:
    """A model packed once for all translations. Its weights must not change afterwards."""

    def __init__(self, model: Transformer, pack: Pack | None = None) -> None:
        """Lay out the weights; ``pack`` says how, unset: in float32."""
        pack = pack or transposed
        config = model.config
        self.heads = config.heads
        self.d_model = config.d_model
        self.embed_source = Embedder(model.source_embedding, model.source_table)
        self.embed_target = Embedder(model.target_embedding, model.target_table)
        encoder = [cast(EncoderLayer, layer) for layer in model.encoder.layers]
        decoder = [cast(DecoderLayer, layer) for layer in model.decoder.layers]
        self.encoder_layers = [_self_attention(layer, pack) for layer in encoder]
        self.decoder_layers = [(_self_attention(layer, pack), _cross_attention(layer, pack)) for layer in decoder]
        self.encoder_norm, self.decoder_norm = (_final(stack.final_norm) for stack in (model.encoder, model.decoder))
        self.output = pack(model.output_table, model.output_bias)


def transposed(weight: Tensor, bias: Tensor | None) -> Product:
    """Make a product in float32, of a matrix laid out as it is read: (in, out)."""
    matrix = weight.detach().t().contiguous()
    if bias is None:
        return lambda x: torch.mm(x, matrix)
    vector = bias.detach()
    return lambda x: torch.addmm(vector, x, matrix)


def _self_attention(layer: EncoderLayer | DecoderLayer, pack: Pack) -> PackedSelfAttention:
    attention = layer.self_attention
    return PackedSelfAttention(
        pre_norm=isinstance(layer.self_attention_norm, PreNorm),
        norm=_norm(layer.self_attention_norm.norm),
        project=_linear(attention.in_projection, pack),
        project_out=_linear(attention.out_projection, pack),
        feed_norm=_norm(layer.feed_forward_norm.norm),
        feed=_feed(layer.feed_forward, pack),
    )


def _cross_attention(layer: DecoderLayer, pack: Pack) -> PackedCrossAttention:
    stacked, d_model = layer.cross_attention.in_projection, layer.cross_attention.in_projection.in_features
    return PackedCrossAttention(
        norm=_norm(layer.cross_attention_norm.norm),
        ask=pack(stacked.weight[:d_model], stacked.bias[:d_model]),
        remember=pack(stacked.weight[d_model:], stacked.bias[d_model:]),
        ask_out=_linear(layer.cross_attention.out_projection, pack),
    )


def _final(norm: nn.LayerNorm | None) -> Norm:
    return (lambda x: x) if norm is None else _norm(norm)


def _linear(linear: nn.Linear, pack: Pack) -> Product:
    return pack(linear.weight, linear.bias)


def _norm(norm: nn.LayerNorm) -> Norm:
    shape, weight, bias, epsilon = norm.normalized_shape, norm.weight.detach(), norm.bias.detach(), norm.eps
    return lambda x: torch.layer_norm(x, shape, weight, bias, epsilon)


def _feed(feed: FeedForward | GatedFeedForward, pack: Pack) -> Product:
    inner, outer = _linear(feed.inner, pack), _linear(feed.outer, pack)
    if isinstance(feed, GatedFeedForward):

        def gated(x: Tensor) -> Tensor:
            gate, value = inner(x).chunk(2, dim=-1)
            return outer(nn.functional.silu(gate).mul_(value))

        return gated
    if feed.activation is nn.functional.relu:
        return lambda x: outer(torch.relu_(inner(x)))
    activation = feed.activation
    return lambda x: outer(activation(inner(x)))
