"""Dropout (§5.4) that draws its random bits in bulk.

PyTorch's CPU dropout draws one number an element on one thread and takes a quarter of a small model's training step.
Here 64 random bits serve four elements, so the probability is a multiple of 1/65536.
"""

import torch
import torch.nn.functional as F
from jaxtyping import Float
from torch import Tensor, nn

LANES = 4  # 16-bit lanes of a 64-bit draw
LEVELS = 1 << 16


def dropout_mask(shape: torch.Size, probability: float, like: Tensor) -> Tensor:
    """Draw a mask of 0 (with ``probability``) and 1 / (1 - probability), from PyTorch's default CPU generator."""
    count = shape.numel()
    draws = torch.empty((count + LANES - 1) // LANES, dtype=torch.int64).random_(-(1 << 63), None)
    dropped = min(round(probability * LEVELS), LEVELS - 1)
    # Compared as floats, which hold 16 bits exactly: a quarter of the time that it takes by way of booleans.
    kept = draws.view(torch.int16)[:count].to(torch.float32).ge_(dropped - LEVELS // 2)
    return kept.mul_(LEVELS / (LEVELS - dropped)).view(shape).to(like.dtype)


class Dropout(nn.Module):
    """Zero each element with ``probability`` in training and scale the rest up; do nothing otherwise."""

    def __init__(self, probability: float) -> None:
        super().__init__()
        self.probability = probability

    def forward(self, x: Float[Tensor, "*shape"]) -> Float[Tensor, "*shape"]:
        """Drop elements of ``x``."""
        if not self.training or self.probability == 0.0:
            return x
        if x.device.type != "cpu":
            return F.dropout(x, self.probability)
        return x * dropout_mask(x.shape, self.probability, x)

    def add(self, x: Float[Tensor, "*shape"], y: Float[Tensor, "*shape"]) -> Float[Tensor, "*shape"]:
        """Compute x + Dropout(y) in one pass over memory."""
        if not self.training or self.probability == 0.0:
            return x + y
        if x.device.type != "cpu":
            return x + F.dropout(y, self.probability)
        return torch.addcmul(x, y, dropout_mask(y.shape, self.probability, y))
