"""All attention masks. True = this query may attend to this key; broadcastable to (batch, heads, queries, keys)."""

import torch
from jaxtyping import Bool
from torch import Tensor


def source_mask(real: Bool[Tensor, "batch src"]) -> Bool[Tensor, "batch 1 1 src"]:
    """Let every query see the real source positions and no padding.

    A row without any real position may see its first one: no row is ever fully masked, so no softmax is ever 0 / 0.
    """
    empty = ~real.any(dim=1, keepdim=True)
    first = torch.arange(real.size(1), device=real.device) == 0
    return (real | (empty & first))[:, None, None, :]


def causal_mask(queries: int, keys: int, device: torch.device) -> Bool[Tensor, "1 1 queries keys"]:
    """Let a position see itself and what stands before it (§3.2.3); queries are the last of the keys' positions."""
    return torch.ones(queries, keys, dtype=torch.bool, device=device).tril(keys - queries)[None, None]
