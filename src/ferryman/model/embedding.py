"""Token embedding plus position (§3.4, §3.5, Figure 1 bottom)."""

import math

import torch.nn.functional as F
from jaxtyping import Float, Int
from torch import Tensor, nn

from ferryman.model.dropout import Dropout
from ferryman.model.observe import Observer
from ferryman.model.positions import Positions


class Embedding(nn.Module):
    """Dropout(sqrt(d_model) * E[token] + PE[position]), §3.4 and §5.4.

    The table itself belongs to the ``Transformer``, which may share it; see ``ferryman.model.transformer``.
    """

    def __init__(self, positions: Positions, *, scale: bool = True, dropout: float = 0.0) -> None:
        super().__init__()
        self.positions = positions
        self.scale = scale
        self.dropout = Dropout(dropout)

    def forward(
        self,
        tokens: Int[Tensor, "batch length"],
        table: Float[Tensor, "vocab d_model"],
        first: int = 0,
        observe: Observer | None = None,
    ) -> Float[Tensor, "batch length d_model"]:
        """Embed ``tokens``, the first of which stands at position ``first``."""
        embedded = F.embedding(tokens, table)
        if self.scale:
            embedded = embedded * math.sqrt(table.size(1))
        encoding = self.positions(first, tokens.size(1), like=embedded)
        total = embedded + encoding
        if observe:
            observe("tokens", embedded)
            observe("positions", encoding)
            observe("sum", total)
        dropped: Tensor = self.dropout(total)
        return dropped
