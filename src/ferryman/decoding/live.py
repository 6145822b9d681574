"""The unfinished hypotheses of a beam search."""

import math
from dataclasses import dataclass

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor

from ferryman.decoding.candidates import BeamStep, ending, going_on
from ferryman.decoding.pool import Pool
from ferryman.decoding.scoring import penalty


@dataclass(frozen=True)
class Live:
    """The beams of the sentences still in the search, likeliest first.

    A place of log-probability minus infinity is empty.
    """

    sentences: Int[Tensor, "batch"]  # their numbers in the input
    limits: Int[Tensor, "batch"]  # maximum lengths
    last_penalty: Float[Tensor, "batch"]  # the length penalty at the limit
    log_prob: Float[Tensor, "batch beam"]
    origin: Int[Tensor, "batch beam"]  # the place in the beam before this one whose past each continues
    history: Int[Tensor, "batch beam past"]  # the start symbol and the tokens so far

    @classmethod
    def begin(cls, max_lengths: Int[Tensor, "batch"], beam: int, bos: int, alpha: float) -> "Live":
        """Start every sentence with one hypothesis, as all of a beam are equal at first."""
        batch, device = len(max_lengths), max_lengths.device
        log_prob = torch.full((batch, beam), -math.inf, device=device)
        log_prob[:, 0] = 0.0
        return cls(
            sentences=torch.arange(batch, device=device),
            limits=max_lengths,
            last_penalty=torch.tensor([penalty(limit, alpha) for limit in max_lengths.tolist()], device=device),
            log_prob=log_prob,
            origin=torch.zeros((batch, beam), dtype=torch.long, device=device),
            history=torch.full((batch, beam, 1), bos, device=device),
        )

    def take(self, places: Int[Tensor, "kept"]) -> "Live":
        """Go on with these sentences alone."""
        return Live(*(part[places] for part in vars(self).values()))

    def step(
        self,
        alpha: float,
        eos: int,
        log_prob: Float[Tensor, "batch candidates"],
        token: Int[Tensor, "batch candidates"],
        origin: Int[Tensor, "batch candidates"],
    ) -> BeamStep:
        """Say what becomes of candidates: which end and which go on; see ``BeamStep`` for what they are."""
        beam, length = self.history.shape[1:]
        is_eos = token == eos
        if _none(is_eos):
            ends, kept = is_eos, torch.arange(token[:, :beam].size(1)).expand(len(token), -1)
        else:
            ends, kept = ending(log_prob, is_eos, beam), going_on(is_eos, beam)
        return BeamStep(
            length=length,
            penalty=penalty(length, alpha),
            sentences=self.sentences,
            log_prob=log_prob,
            token=token,
            origin=origin,
            ends=ends,
            kept=kept,
        )

    def rows(self) -> Int[Tensor, "rows"]:
        """Return the row whose past each row continues."""
        batch, beam = self.origin.shape
        first = torch.arange(batch, device=self.origin.device)[:, None] * beam
        return (first + self.origin).flatten()

    def follow(self, step: BeamStep, pool: Pool) -> tuple["Live", Pool]:
        """Return the next beams and the pool with the hypotheses that ended."""
        origin = step.origin.gather(1, step.kept)
        live = Live(
            self.sentences,
            self.limits,
            self.last_penalty,
            log_prob=step.log_prob.masked_fill(step.ends, -math.inf).gather(1, step.kept),
            origin=origin,
            history=self._paths(origin, step.token.gather(1, step.kept)),
        )
        return live, pool if _none(step.ends) else pool.merge(self._ended(step))

    def _ended(self, step: BeamStep) -> Pool:
        beam = self.log_prob.size(1)
        finished = step.log_prob.masked_fill(~step.ends, -math.inf)[:, :beam]
        token = step.token[:, :beam]
        return Pool(
            score=finished / step.penalty,
            log_prob=finished,
            length=torch.full_like(token, step.length),
            tokens=self._paths(step.origin[:, :beam], token)[:, :, 1:],
        )

    def _paths(
        self, origin: Int[Tensor, "batch paths"], token: Int[Tensor, "batch paths"]
    ) -> Int[Tensor, "batch paths length"]:
        """Append tokens to the hypotheses that they continue."""
        past = self.history.gather(1, origin[:, :, None].expand(-1, -1, self.history.size(2)))
        return torch.cat([past, token[:, :, None]], dim=2)

    def over(self, pool: Pool, n_best: int) -> Bool[Tensor, "batch"]:
        """Tell which sentences have nothing to wait for.

        A hypothesis that lives can only grow less likely and is divided by no more than the penalty at its limit, so
        its final score is at most today's log-probability over that penalty. If the ``n_best``-th place in the pool is
        as good, none can enter the first ``n_best``. (An empty place is as good where nothing lives, and nothing is
        worse than not a number.)
        """
        worst, ceiling = pool.score[:, n_best - 1], self.log_prob.amax(dim=1) / self.last_penalty
        over = (self.history.size(2) > self.limits) | ~(worst < ceiling)
        if self.log_prob.size(1) == 1:  # greedy search waits for no rival
            over |= worst > -math.inf
        return over


def _none(flags: Bool[Tensor, "batch candidates"]) -> bool:
    """Tell whether none is set, as in most steps; but a GPU is not asked, which would take longer than the work."""
    return flags.device.type == "cpu" and not bool(flags.any())
