"""Positional encodings (§3.5): sinusoids, or learned vectors."""

from functools import lru_cache
from typing import Literal, Protocol, runtime_checkable

import torch
from jaxtyping import Float
from torch import Tensor, nn

from ferryman.errors import TranslationError

Layout = Literal["interleaved", "halves", "fairseq"]


@lru_cache(maxsize=64)
def sinusoids(length: int, d_model: int, layout: Layout = "interleaved") -> Float[Tensor, "length d_model"]:
    """Tabulate PE(pos, 2i) = sin(pos / 10000^(2i / d_model)) and PE(pos, 2i + 1) = cos(the same), §3.5.

    ``halves`` holds the same numbers, all sines before all cosines. ``fairseq`` is laid out like it, and its last
    frequency is 1 / 10000 itself: pos / 10000^(i / (d_model / 2 - 1)), as in tensor2tensor. Computed in float64,
    rounded once; on the CPU whatever the default device is, because the table is kept.
    """
    last = d_model - 2 if layout == "fairseq" else d_model
    frequencies = 10000.0 ** (-torch.arange(0, d_model, 2, dtype=torch.float64, device="cpu") / max(1, last))
    angles = torch.arange(length, dtype=torch.float64, device="cpu")[:, None] * frequencies
    both = torch.stack((angles.sin(), angles.cos()), dim=-1 if layout == "interleaved" else 1)
    return both.flatten(1).float()


@runtime_checkable  # so that shape checks can look at arguments
class Positions(Protocol):
    """What an embedding knows of positions."""

    def __call__(self, first: int, length: int, like: Tensor) -> Float[Tensor, "length d_model"]:
        """Encode positions ``first … first + length - 1``, counted from 0."""
        ...


class SinusoidalPositions(nn.Module):
    """Sinusoids for any length; no weights."""

    def __init__(self, d_model: int, *, layout: Layout = "interleaved", offset: int = 0) -> None:
        super().__init__()
        self.d_model = d_model
        self.layout: Layout = layout
        self.offset = offset

    def forward(self, first: int, length: int, like: Tensor) -> Float[Tensor, "length d_model"]:
        """Look up positions ``first … first + length - 1`` in the dtype and on the device of ``like``."""
        start = first + self.offset
        rounded = 1 << max(6, (start + length - 1).bit_length())  # so that few tables serve all lengths
        return sinusoids(rounded, self.d_model, self.layout)[start : start + length].to(like)


class LearnedPositions(nn.Module):
    """One learned vector a position, up to ``max_positions``."""

    def __init__(self, d_model: int, max_positions: int, *, offset: int = 0) -> None:
        super().__init__()
        self.offset = offset
        self.max_positions = max_positions
        self.weight = nn.Parameter(torch.empty(max_positions + offset, d_model))

    def forward(self, first: int, length: int, like: Tensor) -> Float[Tensor, "length d_model"]:
        """Look up positions ``first … first + length - 1``.

        Raises:
            TranslationError: the sequence is longer than the table.
        """
        if first + length > self.max_positions:
            raise TranslationError(
                f"a sequence of {first + length} tokens does not fit {self.max_positions} learned positions; "
                "shorten it or train with a larger model.max_positions"
            )
        start = first + self.offset
        return self.weight[start : start + length].to(like)
