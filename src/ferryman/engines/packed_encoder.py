"""The encoder of a packed model: from source tokens to what the decoder attends to."""

import torch
import torch.nn.functional as F
from jaxtyping import Float, Int
from torch import Tensor

from ferryman.engines.packed import PackedModel, PackedSelfAttention


@torch.inference_mode()
def encode(
    packed: PackedModel, source: Int[Tensor, "batch src"], mask: Float[Tensor, "batch 1 1 src"] | None
) -> list[tuple[Float[Tensor, "batch heads src d_k"], Float[Tensor, "batch heads src d_k"]]]:
    """Return the keys and values of the memory for each decoder layer; ``mask`` is added to the scores."""
    batch = source.size(0)
    x = packed.embed_source(source, 0)
    for layer in packed.encoder_layers:
        x = _layer(layer, x, batch, packed.heads, mask)
    memory = packed.encoder_norm(x)

    def remembered(product_of_memory: Tensor) -> tuple[Tensor, Tensor]:
        keys, values = (split(part, batch, packed.heads) for part in product_of_memory.chunk(2, dim=1))
        return keys, values

    return [remembered(cross.remember(memory)) for _, cross in packed.decoder_layers]


def _layer(layer: PackedSelfAttention, x: Tensor, batch: int, heads: int, mask: Tensor | None) -> Tensor:
    """Follow Figure 1 (left) upwards; ``x`` is (batch * src, d_model)."""
    projected = layer.project(layer.norm(x) if layer.pre_norm else x)
    queries, keys, values = (split(part, batch, heads) for part in projected.chunk(3, dim=1))
    attended = F.scaled_dot_product_attention(queries, keys, values, attn_mask=mask)
    x = layer.project_out(attended.transpose(1, 2).reshape(x.shape)).add_(x)
    x = x if layer.pre_norm else layer.norm(x)
    x = layer.feed(layer.feed_norm(x) if layer.pre_norm else x).add_(x)
    return x if layer.pre_norm else layer.feed_norm(x)


def split(x: Float[Tensor, "positions d_model"], batch: int, heads: int) -> Float[Tensor, "batch heads length d_k"]:
    """Cut positions into sentences and features into heads."""
    return x.view(batch, -1, heads, x.size(1) // heads).transpose(1, 2)
