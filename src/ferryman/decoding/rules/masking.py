"""Tokens that may not be said at all, or not yet."""

import math
from collections.abc import Iterable

import torch
from jaxtyping import Float
from torch import Tensor

from ferryman.decoding.rules.rule import Rows, Rule


def forbid(ids: Iterable[int]) -> Rule:
    """Never generate these tokens."""
    banned = torch.tensor(sorted(set(ids)), dtype=torch.long)

    def rule(rows: Rows, log_probs: Float[Tensor, "rows vocab"]) -> Float[Tensor, "rows vocab"]:
        nonlocal banned
        banned = banned.to(log_probs.device)
        return log_probs.index_fill_(1, banned, -math.inf)

    return rule


def forbid_beginning(ids: Iterable[int]) -> Rule:
    """Never begin with one of these tokens; later they may come."""
    banned = sorted(set(ids))

    def rule(rows: Rows, log_probs: Float[Tensor, "rows vocab"]) -> Float[Tensor, "rows vocab"]:
        if rows.history.size(1) == 1:
            log_probs[:, banned] = -math.inf
        return log_probs

    return rule


def minimum_length(minimum: int, eos: int) -> Rule:
    """Mask the end symbol until a hypothesis that ends has at least ``minimum`` tokens, the end symbol counted.

    Where a sentence's maximum length is smaller, it wins and the hypothesis is truncated.
    """

    def rule(rows: Rows, log_probs: Float[Tensor, "rows vocab"]) -> Float[Tensor, "rows vocab"]:
        # The start symbol stands in for the end symbol: the history is as long as a hypothesis that ends now.
        if rows.history.size(1) < minimum:
            log_probs[:, eos] = -math.inf
        return log_probs

    return rule
