"""The decoder laid out for one token a step: plain tensors, as few operations as there can be, nothing of a module.

What a ``Transformer`` spends on views, copies and calls costs more than its products when a step has few rows. The
arithmetic is the same; ``TorchStepper`` is what every result must equal.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import cast

import torch
from jaxtyping import Float
from torch import Tensor, nn

from ferryman.model.feed_forward import FeedForward, GatedFeedForward
from ferryman.model.layers import DecoderLayer
from ferryman.model.norm import PreNorm
from ferryman.model.transformer import Transformer

Product = Callable[[Tensor], Tensor]
"""A linear layer: (rows, in) -> (rows, out)."""
Pack = Callable[[Tensor, Tensor | None], Product]
"""Makes a product of a weight (out, in) and a bias (out)."""
Norm = Callable[[Tensor], Tensor]


@dataclass(frozen=True)
class PackedLayer:
    """One decoder layer (Figure 1, right)."""

    pre_norm: bool
    norms: tuple[Norm, Norm, Norm]
    project: Product  # W^Q, W^K and W^V of self-attention
    project_out: Product
    ask: Product  # W^Q of encoder-decoder attention
    ask_out: Product
    feed: Product


class PackedDecoder:
    """A model's decoder, packed once for all translations. The weights must not change afterwards."""

    def __init__(self, model: Transformer, pack: Pack | None = None) -> None:
        """Lay out the weights; ``pack`` says how, unset: in float32."""
        pack = pack or transposed
        config = model.config
        self.model = model
        self.heads = config.heads
        self.scale = math.sqrt(config.d_model) if config.scale_embedding else 1.0
        self.layers = [_layer(cast(DecoderLayer, layer), pack) for layer in model.decoder.layers]
        final = model.decoder.final_norm
        self.final_norm = None if final is None else _norm(final)
        self.output = pack(model.output_table, model.output_bias)

    def embed(self, tokens: Tensor, position: int) -> Float[Tensor, "rows d_model"]:
        """Embed one token a row, all at one position (§3.4, §3.5)."""
        table = self.model.target_table
        encoding = self.model.target_embedding.positions(position, 1, table)
        return torch.add(encoding, table.index_select(0, tokens), alpha=self.scale)


def transposed(weight: Tensor, bias: Tensor | None) -> Product:
    """Make a product in float32, of a matrix laid out as it is read: (in, out)."""
    matrix = weight.detach().t().contiguous()
    if bias is None:
        return lambda x: torch.mm(x, matrix)
    vector = bias.detach()
    return lambda x: torch.addmm(vector, x, matrix)


def _layer(layer: DecoderLayer, pack: Pack) -> PackedLayer:
    norms = (layer.self_attention_norm, layer.cross_attention_norm, layer.feed_forward_norm)
    attention, cross = layer.self_attention, layer.cross_attention
    d_model = cross.in_projection.in_features
    return PackedLayer(
        pre_norm=isinstance(norms[0], PreNorm),
        norms=tuple(_norm(norm.norm) for norm in norms),  # type: ignore[arg-type]
        project=pack(attention.in_projection.weight, attention.in_projection.bias),
        project_out=_linear(attention.out_projection, pack),
        ask=pack(cross.in_projection.weight[:d_model], cross.in_projection.bias[:d_model]),
        ask_out=_linear(cross.out_projection, pack),
        feed=_feed(layer.feed_forward, pack),
    )


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
            return outer(nn.functional.silu(gate) * value)

        return gated
    activation = feed.activation
    return lambda x: outer(activation(inner(x)))

