"""What a rule is: it takes choices away from a search.

A rule is a function of the hypotheses so far and of the log-probabilities of their next tokens. It may write into the
log-probabilities it is given, and must only ever lower them: the searches' early stopping relies on it. All that it
knows of a hypothesis is its history and its sentence, so it stays right however the rows of a beam are reordered.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from jaxtyping import Float, Int
from torch import Tensor


@dataclass(frozen=True)
class Rows:
    """The hypotheses that a step goes on with, those of a sentence side by side."""

    history: Int[Tensor, "rows length"]  # the start symbol and the tokens so far
    sentences: Int[Tensor, "batch"]  # numbers of the sentences in the input; each has rows / batch rows

    def of_sentence(self) -> Int[Tensor, "rows"]:
        """Return the number of each row's sentence."""
        return self.sentences.repeat_interleave(self.history.size(0) // self.sentences.size(0))


Rule = Callable[[Rows, Float[Tensor, "rows vocab"]], Float[Tensor, "rows vocab"]]


def apply(rules: Sequence[Rule], rows: Rows, log_probs: Float[Tensor, "rows vocab"]) -> Float[Tensor, "rows vocab"]:
    """Pass the log-probabilities through every rule in turn."""
    for rule in rules:
        log_probs = rule(rows, log_probs)
    return log_probs
