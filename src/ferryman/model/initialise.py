"""Every initial weight, in one place.

Matrices: Xavier uniform (Glorot & Bengio, 2010), W^Q, W^K and W^V each by itself although they are stored as one.
Embeddings and learned positions: normal with standard deviation 1 / sqrt(d_model), so that embeddings have unit
variance after the scaling of §3.4 and logits are of order one. Biases 0, norms 1. The paper does not say how it began.
"""

import torch
from torch import nn

from ferryman.model.attention import MultiHeadAttention
from ferryman.model.feed_forward import GatedFeedForward
from ferryman.model.positions import LearnedPositions


@torch.no_grad()
def initialise(module: nn.Module, generator: torch.Generator | None = None) -> None:
    """Draw the weights of one module (not of its children); for ``nn.Module.apply``."""
    if isinstance(module, nn.Linear):
        nn.init.xavier_uniform_(module.weight, generator=generator)
        nn.init.zeros_(module.bias)
    elif isinstance(module, nn.LayerNorm):
        module.reset_parameters()
    elif isinstance(module, LearnedPositions):
        nn.init.normal_(module.weight, std=module.weight.size(1) ** -0.5, generator=generator)
    elif isinstance(module, MultiHeadAttention):
        for part in module.in_projection.weight.chunk(3):
            nn.init.xavier_uniform_(part, generator=generator)
    elif isinstance(module, GatedFeedForward):
        for part in module.inner.weight.chunk(2):
            nn.init.xavier_uniform_(part, generator=generator)
