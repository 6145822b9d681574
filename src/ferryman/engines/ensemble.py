"""Several models as one: the mean of their probabilities."""

import math
from collections.abc import Sequence

import torch
from jaxtyping import Float, Int
from torch import Tensor

from ferryman.decoding.stepper import Stepper


class EnsembleStepper:
    """Steps several models, of whatever sizes, over the same rows, and averages the probabilities that they give."""

    def __init__(self, steppers: Sequence[Stepper]) -> None:
        """Set up; there is at least one, and all have the same sentences and vocabulary."""
        self.steppers = list(steppers)

    def start(self, beam: int) -> int:
        """Prepare ``beam`` rows for each sentence with every model; return the number of sentences."""
        counts = [stepper.start(beam) for stepper in self.steppers]
        return counts[0]

    def step(self, tokens: Int[Tensor, "rows"]) -> Float[Tensor, "rows vocab"]:
        """Append one token to each row; return the logarithms of the mean probabilities of the next."""
        return mean_log_probs([stepper.step(tokens) for stepper in self.steppers])

    def reorder(self, rows: Int[Tensor, "rows"]) -> None:
        """Let row i continue the past of ``rows[i]``."""
        for stepper in self.steppers:
            stepper.reorder(rows)

    def keep(self, sentences: Int[Tensor, "kept"]) -> None:
        """Go on with these sentences alone."""
        for stepper in self.steppers:
            stepper.keep(sentences)


def mean_log_probs(log_probs: Sequence[Float[Tensor, "*shape"]]) -> Float[Tensor, "*shape"]:
    """Return the logarithms of the mean of probabilities, at most 0."""
    if len(log_probs) == 1:
        return log_probs[0]
    return (torch.stack(list(log_probs)).logsumexp(dim=0) - math.log(len(log_probs))).clamp_(max=0.0)
