"""One step of a beam search: the candidates it weighs and those it goes on with."""

import math
from dataclasses import dataclass

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor

from ferryman.decoding.largest import largest


@dataclass(frozen=True)
class BeamStep:
    """What a beam search saw and chose in one step: all that an explanation needs.

    The candidates of a sentence are its ``2 * beam`` likeliest continuations, likeliest first (fewer if the vocabulary
    has only one token); with required phrases, in the order in which they are given a place. One of log-probability
    minus infinity is no candidate, just an empty place.
    """

    length: int  # of the hypotheses that end now: 1 in the first step
    penalty: float  # the length penalty at that length
    sentences: Int[Tensor, "batch"]  # the numbers of the sentences still in the search
    log_prob: Float[Tensor, "batch candidates"]  # of all tokens so far
    token: Int[Tensor, "batch candidates"]  # the last one
    origin: Int[Tensor, "batch candidates"]  # the place in the beam whose past it continues
    ends: Bool[Tensor, "batch candidates"]  # whether it is finished now
    kept: Int[Tensor, "batch beam"]  # the candidate that takes each place in the next beam

    @property
    def score(self) -> Float[Tensor, "batch candidates"]:
        """Return the log-probabilities over the length penalty."""
        return self.log_prob / self.penalty

    def only(self, place: int) -> "BeamStep":
        """Return what the step was for the sentence at one place of the batch."""
        parts = (self.sentences, self.log_prob, self.token, self.origin, self.ends, self.kept)
        return BeamStep(self.length, self.penalty, *(part[place : place + 1] for part in parts))


def continuations(
    live: Float[Tensor, "batch beam"], log_probs: Float[Tensor, "rows vocab"]
) -> tuple[Float[Tensor, "batch candidates"], Int[Tensor, "batch candidates"], Int[Tensor, "batch candidates"]]:
    """Return the log-probability, last token and origin of the best ``2 * beam`` continuations, likeliest first.

    Among equals the lower origin and then the lower token come first. ``log_probs`` are written over.
    """
    batch, beam = live.shape
    vocab = log_probs.size(1)
    total, place = largest(log_probs.view(batch, beam, vocab), live, min(2 * beam, beam * vocab))
    log_prob, order = total.sort(dim=1, descending=True, stable=True)
    place = place.gather(1, order)
    return log_prob, place % vocab, place // vocab


def ending(
    log_prob: Float[Tensor, "batch candidates"], is_eos: Bool[Tensor, "batch candidates"], beam: int
) -> Bool[Tensor, "batch candidates"]:
    """Tell which candidates finish: those that end among the best ``beam``."""
    rank = torch.arange(log_prob.size(1), device=log_prob.device)
    return is_eos & (rank < beam) & (log_prob > -math.inf)


def going_on(is_eos: Bool[Tensor, "batch candidates"], beam: int) -> Int[Tensor, "batch beam"]:
    """Return the best ``beam`` candidates that do not end."""
    return is_eos.int().argsort(dim=1, stable=True)[:, :beam]
