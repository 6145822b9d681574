"""The best hypotheses of many sentences, kept as tensors while a search runs."""

import math
from collections.abc import Iterable
from dataclasses import dataclass

import torch
from jaxtyping import Float, Int
from torch import Tensor
from torch.nn.functional import pad

from ferryman.decoding.hypothesis import Hypothesis
from ferryman.errors import TranslationError


@dataclass(frozen=True)
class Pool:
    """The best ``beam`` hypotheses of every sentence, best first; a place of score minus infinity is empty."""

    score: Float[Tensor, "batch beam"]
    log_prob: Float[Tensor, "batch beam"]
    length: Int[Tensor, "batch beam"]
    tokens: Int[Tensor, "batch beam longest"]  # past a hypothesis's length: anything

    @classmethod
    def empty(cls, batch: int, beam: int, device: torch.device) -> "Pool":
        """Make a pool in which every place is empty."""
        nothing = torch.full((batch, beam), -math.inf, device=device)
        zero = torch.zeros((batch, beam), dtype=torch.long, device=device)
        return cls(score=nothing, log_prob=nothing, length=zero, tokens=zero[:, :, None][:, :, :0])

    def merge(self, other: "Pool") -> "Pool":
        """Keep the best of both pools, as many as this one has places; among equals, its own come first."""
        beam = self.score.size(1)
        order = torch.cat([self.score, other.score], dim=1).sort(dim=1, descending=True, stable=True).indices[:, :beam]
        longest = max(self.tokens.size(2), other.tokens.size(2))
        tokens = torch.cat([pad(pool.tokens, (0, longest - pool.tokens.size(2))) for pool in (self, other)], dim=1)
        return Pool(
            score=torch.cat([self.score, other.score], dim=1).gather(1, order),
            log_prob=torch.cat([self.log_prob, other.log_prob], dim=1).gather(1, order),
            length=torch.cat([self.length, other.length], dim=1).gather(1, order),
            tokens=tokens.gather(1, order[:, :, None].expand(-1, -1, longest)),
        )

    def take(self, places: Int[Tensor, "kept"]) -> "Pool":
        """Return the pool of these sentences alone."""
        return Pool(self.score[places], self.log_prob[places], self.length[places], self.tokens[places])

    def unpack(self, eos: int) -> list[list[Hypothesis]]:
        """Return the hypotheses of each sentence, best first, without the empty places.

        Raises ``TranslationError`` if a log-probability is not a number.
        """
        columns = (self.tokens, self.length, self.log_prob, self.score)
        return [
            [
                make_hypothesis(tokens[:length], log_prob, score, eos)
                for tokens, length, log_prob, score in zip(*sentence, strict=True)
                if score != -math.inf
            ]
            for sentence in zip(*(column.tolist() for column in columns), strict=True)
        ]


def make_hypothesis(tokens: list[int], log_prob: float, score: float, eos: int) -> Hypothesis:
    """Put together a hypothesis of these tokens, without the start symbol.

    Raises ``TranslationError`` if the score is not a number.
    """
    if math.isnan(score):
        raise TranslationError(
            f"The model gave a log-probability that is not a number after at most {len(tokens)} tokens: "
            "its weights are damaged, or its numbers overflow in this precision. Try another checkpoint, or float32."
        )
    return Hypothesis(tuple(tokens), log_prob, score, finished=tokens[-1:] == [eos])


def in_input_order(parts: Iterable[tuple[Int[Tensor, "_"], Pool]], eos: int) -> list[list[Hypothesis]]:
    """Put together what left the search at different times, by the numbers of the sentences."""
    found = {
        sentence: hypotheses
        for sentences, pool in parts
        for sentence, hypotheses in zip(sentences.tolist(), pool.unpack(eos), strict=True)
    }
    return [found[sentence] for sentence in range(len(found))]


def places(flags: list[bool], device: torch.device) -> Int[Tensor, "kept"]:
    """Return the places at which the flags are set."""
    return torch.tensor([place for place, flag in enumerate(flags) if flag], dtype=torch.long, device=device)


def worth_leaving(ended: list[bool]) -> bool:
    """Whether so many sentences of a batch have ended, an eighth, that to go on without them saves more than it costs.

    To let them go, everything that is remembered of the others is copied.
    """
    return 8 * sum(ended) >= len(ended)
