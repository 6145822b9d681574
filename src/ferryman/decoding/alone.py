"""Beam search for a sentence by itself, whose few candidates Python compares sooner than PyTorch does.

A call of PyTorch takes microseconds however few the numbers are, and a step of the search for many sentences has some
seventy. This one has twenty, and finds the same bit for bit.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import torch
from jaxtyping import Float, Int
from torch import Tensor

from ferryman.decoding.hypothesis import Hypothesis
from ferryman.decoding.largest import largest_of_one
from ferryman.decoding.pool import make_hypothesis
from ferryman.decoding.rules import Rows, Rule, apply
from ferryman.decoding.scoring import penalty
from ferryman.decoding.stepper import Stepper


class Candidate(NamedTuple):
    """A continuation: how likely all of it is, the place in the beam whose past it continues, and its last token."""

    log_prob: float
    origin: int
    token: int


@dataclass
class Alone:
    """One sentence in a beam search: what ``Live`` and ``Pool`` are for many."""

    beam: int
    n_best: int
    limit: int
    eos: int
    length_penalty: float
    history: Int[Tensor, "beam past"]  # the start symbol and the tokens so far, likeliest first
    log_prob: Float[Tensor, "beam"]
    pool: list[Hypothesis] = field(default_factory=list)  # what has ended, best first
    over: bool = False

    def follow(self, log_probs: Float[Tensor, "beam vocab"]) -> list[int] | None:
        """Take a step; return the place in the beam whose past each place continues now, if one is not its own."""
        vocab = log_probs.size(1)
        found = largest_of_one(log_probs, self.log_prob, min(2 * self.beam, self.beam * vocab))
        candidates = [Candidate(log_prob, *divmod(place, vocab)) for log_prob, place in found]
        ended = [one for one in candidates[: self.beam] if one.token == self.eos and one.log_prob > -math.inf]
        self.log_prob = self.log_prob.to(torch.promote_types(self.log_prob.dtype, log_probs.dtype))
        if ended:
            self._finish(ended)
        kept = [one for one in candidates if one.token != self.eos][: self.beam]
        if not kept or kept[0].log_prob == -math.inf:  # what there was before is the likeliest that is unfinished
            self.over = True
            return None
        kept += [Candidate(-math.inf, 0, self.eos)] * (self.beam - len(kept))  # of a vocabulary smaller than the beam
        origins, tokens = [one.origin for one in kept], torch.tensor([one.token for one in kept])
        moved = origins != list(range(self.beam))
        past = self.history[origins] if moved else self.history
        self.history = torch.cat([past, tokens[:, None]], dim=1)
        self.log_prob = self.log_prob.new_tensor([one.log_prob for one in kept])
        self.over = self._is_over(kept[0].log_prob)
        return origins if moved else None

    def _finish(self, ended: Sequence[Candidate]) -> None:
        log_prob, length = self.log_prob.new_tensor([one.log_prob for one in ended]), self.history.size(1)
        scores = (log_prob / penalty(length, self.length_penalty)).tolist()
        for one, score in zip(ended, scores, strict=True):
            tokens = [*self.history[one.origin, 1:].tolist(), self.eos]
            self.pool.append(make_hypothesis(tokens, one.log_prob, score, self.eos))
        self.pool = sorted(self.pool, key=lambda one: -one.score)[: self.beam]

    def _is_over(self, best: float) -> bool:
        """Tell whether nothing that lives, of which the likeliest is given, could still enter; see ``Live.over``."""
        if self.history.size(1) > self.limit or (self.beam == 1 and self.pool):
            return True
        if len(self.pool) < self.n_best:
            return math.isnan(best)
        ceiling = self.log_prob[0] / torch.tensor(penalty(self.limit, self.length_penalty))
        return not self.pool[self.n_best - 1].score < float(ceiling)

    def found(self) -> list[Hypothesis]:
        """Return the best that has ended, else the likeliest that has not."""
        if self.pool:
            return self.pool[: self.n_best]
        tokens, log_prob = self.history[0, 1:].tolist(), self.log_prob[0]
        score = float(log_prob / penalty(len(tokens), self.length_penalty))
        return [make_hypothesis(tokens, float(log_prob), score, self.eos)]


def search_alone(stepper: Stepper, rules: Sequence[Rule], state: Alone) -> list[Hypothesis]:
    """Return what ``beam_search`` finds for one sentence; its stepper has been started."""
    sentence = torch.zeros(1, dtype=torch.long)
    while not state.over:
        rows = Rows(state.history, sentence)
        origins = state.follow(apply(rules, rows, stepper.step(state.history[:, -1])))
        if origins is not None and not state.over:
            stepper.reorder(torch.tensor(origins))
    return state.found()
