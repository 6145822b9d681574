"""Tokens to vectors, for engines that have no modules (§3.4, §3.5)."""

import math

import torch
from jaxtyping import Float, Int
from torch import Tensor

from ferryman.model.embedding import Embedding


class Embedder:
    """sqrt(d_model) * E[token] + PE[position], positions and features in one matrix."""

    def __init__(self, embedding: Embedding, table: Float[Tensor, "vocab d_model"]) -> None:
        self.positions = embedding.positions
        self.table = table.detach()
        self.scale = math.sqrt(table.size(1)) if embedding.scale else 1.0

    def __call__(self, tokens: Int[Tensor, "batch length"], first: int) -> Float[Tensor, "batch*length d_model"]:
        """Embed tokens, the first of each row at position ``first``."""
        encoding = self.positions(first, tokens.size(1), self.table)
        vectors = self.table.index_select(0, tokens.flatten()).view(*tokens.shape, -1)
        return torch.add(encoding, vectors, alpha=self.scale).flatten(0, 1)

    def at(self, position: int, tokens: Int[Tensor, "rows"]) -> Float[Tensor, "rows d_model"]:
        """Embed one token of each row, all at the same position."""
        encoding = self.positions(position, 1, self.table)
        return torch.add(encoding, self.table.index_select(0, tokens), alpha=self.scale)
