"""Against saying the same again and again."""

import math

import torch
from jaxtyping import Float
from torch import Tensor

from ferryman.decoding.rules.rule import Rows, Rule


def no_repeat_ngram(size: int) -> Rule:
    """Never say any ``size`` tokens in a row twice; ``size`` is at least 1. Paulus et al. (2018), § 2.5."""

    def rule(rows: Rows, log_probs: Float[Tensor, "rows vocab"]) -> Float[Tensor, "rows vocab"]:
        said = rows.history[:, 1:]
        if said.size(1) < size:
            return log_probs
        grams = said.unfold(1, size, 1)
        ending = said[:, said.size(1) - size + 1 :]
        begun = (grams[:, :, :-1] == ending[:, None]).all(dim=2)
        bar = torch.where(begun, -math.inf, math.inf).to(log_probs.dtype)
        return log_probs.scatter_reduce_(1, grams[:, :, -1], bar, "amin")

    return rule


def repetition_penalty(factor: float) -> Rule:
    """Multiply the log-probability of every token said before by ``factor``, which is at least 1.

    Keskar et al. (2019), § 4.1, who apply it to logits. Differs from them: a log-probability is never positive, so one
    rule serves, and the token can only become less likely. The numbers that come out are no distribution.
    """

    def rule(rows: Rows, log_probs: Float[Tensor, "rows vocab"]) -> Float[Tensor, "rows vocab"]:
        said = rows.history[:, 1:]
        return log_probs.scatter_(1, said, log_probs.gather(1, said) * factor)

    return rule
