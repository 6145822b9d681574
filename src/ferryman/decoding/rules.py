"""Rules that take choices away from a search.

A rule is a function of the tokens so far (the start symbol first) and of the log-probabilities of the next one. It sees
no more than that history, so it stays right however the rows of a beam are reordered. It may write into the
log-probabilities it is given, and must only ever lower them: the searches' early stopping relies on it.
"""

import math
from collections.abc import Callable, Iterable, Sequence

from jaxtyping import Float, Int
from torch import Tensor

Rule = Callable[[Int[Tensor, "rows length"], Float[Tensor, "rows vocab"]], Float[Tensor, "rows vocab"]]


def forbid(ids: Iterable[int]) -> Rule:
    """Never generate these tokens."""
    banned = sorted(set(ids))

    def rule(
        history: Int[Tensor, "rows length"], log_probs: Float[Tensor, "rows vocab"]
    ) -> Float[Tensor, "rows vocab"]:
        for token in banned:
            log_probs[:, token] = -math.inf
        return log_probs

    return rule


def forbid_beginning(ids: Iterable[int]) -> Rule:
    """Never begin with one of these tokens; later they may come."""
    banned = sorted(set(ids))

    def rule(
        history: Int[Tensor, "rows length"], log_probs: Float[Tensor, "rows vocab"]
    ) -> Float[Tensor, "rows vocab"]:
        if history.size(1) == 1:
            log_probs[:, banned] = -math.inf
        return log_probs

    return rule


def minimum_length(minimum: int, eos: int) -> Rule:
    """Mask the end symbol until a hypothesis that ends has at least ``minimum`` tokens, the end symbol counted.

    Where a sentence's maximum length is smaller, it wins and the hypothesis is truncated.
    """

    def rule(
        history: Int[Tensor, "rows length"], log_probs: Float[Tensor, "rows vocab"]
    ) -> Float[Tensor, "rows vocab"]:
        # The start symbol stands in for the end symbol: the history is as long as a hypothesis that ends now.
        if history.size(1) < minimum:
            log_probs[:, eos] = -math.inf
        return log_probs

    return rule


def apply(
    rules: Sequence[Rule], history: Int[Tensor, "rows length"], log_probs: Float[Tensor, "rows vocab"]
) -> Float[Tensor, "rows vocab"]:
    """Pass the log-probabilities through every rule in turn."""
    for rule in rules:
        log_probs = rule(history, log_probs)
    return log_probs
