"""The position-wise feed-forward layer (§3.3)."""

from collections.abc import Callable

import torch.nn.functional as F
from jaxtyping import Float
from torch import Tensor, nn

from ferryman.model.dropout import Dropout
from ferryman.model.observe import Observer

ACTIVATIONS: dict[str, Callable[[Tensor], Tensor]] = {"relu": F.relu, "silu": F.silu, "gelu": F.gelu}


class FeedForward(nn.Module):
    """FFN(x) = max(0, x W_1 + b_1) W_2 + b_2 (eq. 2), or the same with SiLU or GELU in place of max(0, ·)."""

    def __init__(self, d_model: int, d_ff: int, *, activation: str = "relu", dropout: float = 0.0) -> None:
        super().__init__()
        self.activation = ACTIVATIONS[activation]
        self.inner = nn.Linear(d_model, d_ff)
        self.outer = nn.Linear(d_ff, d_model)
        self.dropout = Dropout(dropout)

    def forward(
        self, x: Float[Tensor, "batch length d_model"], observe: Observer | None = None
    ) -> Float[Tensor, "batch length d_model"]:
        """Apply eq. 2 at every position by itself."""
        return _observed(observe, hidden := self.activation(self.inner(x)), self.outer(self.dropout(hidden)))


class GatedFeedForward(nn.Module):
    """(SiLU(x W_g) * (x W_1)) W_2: SwiGLU (Shazeer, 2020).

    ``inner`` stacks W_g and W_1. Differs from the paper: three matrices, so d_ff is usually 2/3 as wide.
    """

    def __init__(self, d_model: int, d_ff: int, *, dropout: float = 0.0) -> None:
        super().__init__()
        self.inner = nn.Linear(d_model, 2 * d_ff)
        self.outer = nn.Linear(d_ff, d_model)
        self.dropout = Dropout(dropout)

    def forward(
        self, x: Float[Tensor, "batch length d_model"], observe: Observer | None = None
    ) -> Float[Tensor, "batch length d_model"]:
        """Apply the gated layer at every position by itself."""
        gate, value = self.inner(x).chunk(2, dim=-1)
        return _observed(observe, hidden := F.silu(gate) * value, self.outer(self.dropout(hidden)))


def _observed(observe: Observer | None, hidden: Tensor, output: Tensor) -> Tensor:
    if observe:
        observe("hidden", hidden)
        observe("output", output)
    return output
