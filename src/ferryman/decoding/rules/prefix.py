"""How every translation is to begin."""

import math
from collections.abc import Sequence

import torch
from jaxtyping import Float
from torch import Tensor

from ferryman.decoding.rules.rule import Rows, Rule, apply


def force_prefix(prefixes: Sequence[Sequence[int]], rules: Sequence[Rule], device: torch.device) -> Rule:
    """Say the tokens of a sentence's prefix first, whatever ``rules`` think of them, and obey these afterwards.

    A token keeps the log-probability that the model gives it. ``prefixes`` has one for each sentence, in their order;
    an empty one leaves its sentence alone.
    """
    longest = max(map(len, prefixes), default=0)
    wanted_at = torch.tensor([[*prefix, *[-1] * (longest - len(prefix))] for prefix in prefixes], device=device).long()

    def rule(rows: Rows, log_probs: Float[Tensor, "rows vocab"]) -> Float[Tensor, "rows vocab"]:
        place = rows.history.size(1) - 1
        if place >= longest:
            return apply(rules, rows, log_probs)
        wanted = wanted_at[rows.of_sentence(), place][:, None]
        forced, token = wanted >= 0, wanted.clamp(min=0)
        own = log_probs.gather(1, token)
        ruled = apply(rules, rows, log_probs).masked_fill_(forced, -math.inf)
        return ruled.scatter_(1, token, torch.where(forced, own, ruled.gather(1, token)))

    return rule
