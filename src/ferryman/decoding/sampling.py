"""Sampling: translations drawn at random, as the model finds them likely."""

import hashlib
import math
from collections.abc import Sequence
from dataclasses import dataclass

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor

from ferryman.decoding.hypothesis import Hypothesis
from ferryman.decoding.pool import Pool, in_input_order, places
from ferryman.decoding.rules import Rows, Rule, apply
from ferryman.decoding.scoring import penalty
from ferryman.decoding.stepper import Stepper, start


@dataclass(frozen=True)
class Sharpening:
    """How a distribution is changed before a token is drawn from it, in this order."""

    temperature: float = 1.0  # log-probabilities are divided by it
    top_k: int = 0  # only so many tokens, the likeliest, may be drawn (Fan et al., 2018); 0: all
    top_p: float = 1.0  # only the likeliest tokens that together are so likely may be (Holtzman et al., 2020); 1: all

    def __call__(self, log_probs: Float[Tensor, "rows vocab"]) -> Float[Tensor, "rows vocab"]:
        """Return the probabilities to draw with."""
        scaled = log_probs.double() / self.temperature
        if 0 < self.top_k < scaled.size(1):
            scaled = scaled.masked_fill(scaled < scaled.topk(self.top_k, dim=1).values[:, -1:], -math.inf)
        probs = scaled.softmax(dim=1)
        if self.top_p < 1:
            best = probs.sort(dim=1, descending=True, stable=True)
            beyond = best.values.cumsum(dim=1) - best.values >= self.top_p
            probs = probs.masked_fill(torch.zeros_like(beyond).scatter(1, best.indices, beyond), 0.0)
        return probs


def chances(seed: int, sentence: Sequence[int], samples: int, length: int) -> Float[Tensor, "samples length"]:
    """Draw a number between 0 and 1 for every token of every sample of a sentence.

    They depend on the seed, the sentence's tokens and the number of the sample alone: not on other sentences, nor on
    how many samples there are.
    """
    numbers = []
    for sample in range(samples):
        key = hashlib.blake2b(repr((seed, sample, list(sentence))).encode(), digest_size=7).digest()
        generator = torch.Generator().manual_seed(int.from_bytes(key, "big"))
        numbers.append(torch.rand(length, dtype=torch.float64, generator=generator))
    return torch.stack(numbers)


@torch.inference_mode()
def sample_search(  # noqa: PLR0913 - each is a separate choice of the caller
    stepper: Stepper,
    *,
    chance: Float[Tensor, "batch samples longest"],
    max_lengths: Int[Tensor, "batch"],
    bos: int,
    eos: int,
    sharpening: Sharpening = Sharpening(),
    length_penalty: float = 0.0,
    rules: Sequence[Rule] = (),
) -> list[list[Hypothesis]]:
    """Return the samples of every sentence, best score first, alike ones as often as they were drawn.

    ``chance``, on the stepper's device, decides what is drawn: see ``chances``. Log-probabilities are those of the
    model under its rules; ``sharpening`` only changes what is drawn.

    Raises ``ConfigError`` and ``TranslationError`` as ``greedy_search`` does.
    """
    samples = chance.size(1)
    batch = start(stepper, samples, max_lengths)
    device = max_lengths.device
    live = _Samples.begin(chance, max_lengths, bos)
    done = []
    while batch > 0 and len(live.sentences) > 0:
        log_probs = apply(rules, Rows(live.history, live.sentences), stepper.step(live.history[:, -1]))
        live = live.follow(log_probs, sharpening, eos)
        over = live.open.logical_not().view(-1, samples).all(dim=1).tolist()
        if any(over):
            gone, left = places(over, device), places([not flag for flag in over], device)
            done.append((live.sentences[gone], live.take(gone).settle(length_penalty)))
            live = live.take(left)
            if len(left) > 0:
                stepper.keep(left)
    return in_input_order(done, eos)


@dataclass(frozen=True)
class _Samples:
    """The samples of the sentences still in the search, some of which may have come to their end."""

    sentences: Int[Tensor, "batch"]
    limits: Int[Tensor, "batch"]
    chance: Float[Tensor, "batch samples longest"]
    history: Int[Tensor, "rows past"]
    log_prob: Float[Tensor, "rows"]
    length: Int[Tensor, "rows"]
    open: Bool[Tensor, "rows"]

    @classmethod
    def begin(
        cls, chance: Float[Tensor, "batch samples longest"], limits: Int[Tensor, "batch"], bos: int
    ) -> "_Samples":
        rows, device = chance.size(0) * chance.size(1), limits.device
        return cls(
            sentences=torch.arange(chance.size(0), device=device),
            limits=limits,
            chance=chance,
            history=torch.full((rows, 1), bos, device=device),
            log_prob=torch.zeros(rows, device=device),
            length=torch.zeros(rows, dtype=torch.long, device=device),
            open=torch.ones(rows, dtype=torch.bool, device=device),
        )

    def follow(self, log_probs: Float[Tensor, "rows vocab"], sharpening: Sharpening, eos: int) -> "_Samples":
        """Draw the next token of every sample that is open."""
        step = self.history.size(1)
        best = log_probs.amax(dim=1)
        possible = self.open & ~(best == -math.inf)
        cumulated = sharpening(log_probs).cumsum(dim=1)
        drawn = self.chance[:, :, step - 1].flatten()[:, None] * cumulated[:, -1:]
        token = torch.searchsorted(cumulated, drawn, right=True).clamp(max=cumulated.size(1) - 1)
        more = torch.where(best.isnan(), best, log_probs.gather(1, token).squeeze(1))
        token = token.squeeze(1).masked_fill(~possible, eos)
        limits = self.limits.repeat_interleave(self.chance.size(1))
        return _Samples(
            self.sentences,
            self.limits,
            self.chance,
            history=torch.cat([self.history, token[:, None]], dim=1),
            log_prob=torch.where(possible, self.log_prob + more, self.log_prob),
            length=self.length + possible,
            open=possible & (token != eos) & (step < limits) & ~more.isnan(),
        )

    def take(self, kept: Int[Tensor, "kept"]) -> "_Samples":
        """Return these sentences alone."""
        samples = self.chance.size(1)
        rows = (kept[:, None] * samples + torch.arange(samples, device=kept.device)).flatten()
        return _Samples(
            self.sentences[kept],
            self.limits[kept],
            self.chance[kept],
            self.history[rows],
            self.log_prob[rows],
            self.length[rows],
            self.open[rows],
        )

    def settle(self, alpha: float) -> Pool:
        """Score the samples, and put the best first."""
        samples = self.chance.size(1)
        penalties = torch.tensor([penalty(length, alpha) for length in range(self.history.size(1))])
        score = self.log_prob / penalties.to(self.log_prob)[self.length]
        order = score.view(-1, samples).sort(dim=1, descending=True, stable=True).indices
        tokens = self.history[:, 1:].view(len(order), samples, -1)
        return Pool(
            score=score.view(-1, samples).gather(1, order),
            log_prob=self.log_prob.view(-1, samples).gather(1, order),
            length=self.length.view(-1, samples).gather(1, order),
            tokens=tokens.gather(1, order[:, :, None].expand(-1, -1, tokens.size(2))),
        )
