"""Phrases that may not occur in a translation."""

import math

import torch
from jaxtyping import Float
from torch import Tensor

from ferryman.decoding.rules.automaton import Automaton
from ferryman.decoding.rules.rule import Rows, Rule


def forbid_phrases(automaton: Automaton, opening: int, device: torch.device) -> Rule:
    """Never let a phrase become whole, whichever tokens it is made of; ``opening`` is the state of an empty text.

    The state of a hypothesis is worked out anew from its last tokens at every step, so that it needs no keeping.
    """
    after, hits = automaton.after.to(device), automaton.hits.to(device)

    def rule(rows: Rows, log_probs: Float[Tensor, "rows vocab"]) -> Float[Tensor, "rows vocab"]:
        said = rows.history[:, 1:]
        recent = said[:, max(0, said.size(1) - automaton.reach) :]
        begin = 0 if recent.size(1) < said.size(1) else opening
        state = torch.full_like(rows.history[:, 0], begin)
        for token in recent.unbind(dim=1):
            state = after[state, token].long()
        return log_probs.masked_fill_(hits[state], -math.inf)

    return rule
