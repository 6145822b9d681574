"""Which pairs stand together in a batch, and in what order batches come.

Pairs of similar length share a batch, so that little is padding. The order depends on the seed and the epoch alone, and
a ``Position`` says where one is, so a run can go on exactly there. Corpora of other weights than 1 come more or less
often; which of their pairs an epoch has, ``mixture`` says.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from jaxtyping import Int

from ferryman.data.mixture import Mixture
from ferryman.errors import ConfigError, DataError


@dataclass(frozen=True)
class Position:
    """The next batch to come: ``batch`` of ``epoch``, both counted from 0, and the pairs of that epoch before it."""

    epoch: int = 0
    batch: int = 0
    pairs: int = 0


class BatchSampler:
    """Draws batches of at most ``batch_tokens`` tokens on their longer side, padding counted."""

    def __init__(
        self,
        source_lengths: Int[np.ndarray, "pairs"],
        target_lengths: Int[np.ndarray, "pairs"],
        *,
        batch_tokens: int,
        seed: int,
        weights: Sequence[tuple[int, float]] | None = None,
    ) -> None:
        """Set up; lengths include whatever the batch adds, such as the end symbol.

        Args:
            source_lengths: in tokens, of every pair.
            target_lengths: likewise.
            batch_tokens: the largest batch, on its longer side.
            seed: of the order.
            weights: for each stretch of pairs, how many pairs and how often they come in an epoch; None: all once.

        Raises:
            DataError: there is no pair.
            ConfigError: a pair alone is over the budget.
        """
        if not len(source_lengths):
            raise DataError("the corpus has no pair left to train on; see the report of what was dropped")
        self.source_lengths = source_lengths
        self.target_lengths = target_lengths
        self.longest = np.maximum(source_lengths, target_lengths)
        self.batch_tokens = batch_tokens
        self.seed = seed
        self.mixture = Mixture(weights or [(len(source_lengths), 1.0)], seed)
        if self.longest.max() > batch_tokens:
            raise ConfigError(
                f"training.batch_tokens: {batch_tokens} tokens do not hold every pair; pairs are {self.longest.min()} "
                f"to {self.longest.max()} tokens long; raise it, or lower data.max_tokens to drop the long ones"
            )

    def batches(self, start: Position) -> Iterator[tuple[Int[np.ndarray, "rows"], Position]]:
        """Yield the pairs' indices of every batch from ``start`` on, without end, each with the position after it."""
        epoch, first, pairs = start.epoch, start.batch, start.pairs
        while True:
            order = self.epoch(epoch)
            for number, indices in enumerate(order[first:], start=first + 1):
                pairs += len(indices)
                yield indices, Position(epoch, number, pairs) if number < len(order) else Position(epoch + 1)
            epoch, first, pairs = epoch + 1, 0, 0

    def epochs(self, position: Position) -> float:
        """Tell how many times the corpus was gone through before ``position``."""
        return position.epoch + position.pairs / max(1, self.mixture.size(position.epoch))

    def epoch(self, epoch: int) -> list[Int[np.ndarray, "rows"]]:
        """List the batches of one epoch in their order: every pair as often as its weight says."""
        generator = np.random.default_rng((self.seed, epoch))
        chosen = self.mixture.pairs(epoch)
        source_lengths, target_lengths = self.source_lengths[chosen], self.target_lengths[chosen]
        noise = generator.random(len(chosen))
        # Source lengths rise and fall in turn as target lengths grow, so that neighbours stay alike on both sides.
        zigzag = np.where(target_lengths % 2, source_lengths, -source_lengths)
        order = np.lexsort((noise, zigzag, target_lengths))
        batches = self._cut(chosen[order])
        return [batches[index] for index in generator.permutation(len(batches))]

    def _cut(self, order: Int[np.ndarray, "pairs"]) -> list[Int[np.ndarray, "rows"]]:
        longest = self.longest[order]
        batches, start = [], 0
        while start < len(order):
            window = np.maximum.accumulate(longest[start : start + self.batch_tokens // longest[start]])
            fits = window * np.arange(1, len(window) + 1) <= self.batch_tokens
            rows = int(fits.argmin()) if not fits.all() else len(window)
            batches.append(order[start : start + rows])
            start += rows
        return batches
