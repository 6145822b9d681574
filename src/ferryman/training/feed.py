"""Which batches this worker computes in a step, brought to its device in time.

All workers draw the same batches in the same order from the sampler. A step takes ``accumulate * world`` of them, one
after another, across the ends of epochs; worker r alone reads the tokens of those numbered r, r + world, r + 2 world …
"""

from collections.abc import Callable
from dataclasses import dataclass
from itertools import islice

import torch
from jaxtyping import Int
from numpy import ndarray

from ferryman.data.batch import Batch
from ferryman.data.sampler import BatchSampler, Position
from ferryman.training.distributed import Workers

LoadBatch = Callable[[Int[ndarray, "rows"], Position], Batch]
"""Makes a batch of pairs' indices; the position after it tells it from all others."""


@dataclass(frozen=True)
class Portion:
    """What one step takes."""

    batches: list[Batch]  # this worker's
    target_tokens: int  # of all workers
    after: Position


class Feed:
    """Gives portions one by one, from a position on without end."""

    def __init__(
        self, sampler: BatchSampler, load_batch: LoadBatch, accumulate: int, workers: Workers, device: torch.device
    ) -> None:
        self.sampler = sampler
        self.load_batch = load_batch
        self.count = accumulate * workers.world
        self.workers = workers
        self.device = device
        self.stream = torch.cuda.Stream(device) if device.type == "cuda" else None  # type: ignore[no-untyped-call]
        self.waiting: Portion | None = None
        self.start(Position())

    def start(self, position: Position) -> None:
        """Go on from a position."""
        self.drawn = self.sampler.batches(position)
        self.waiting = None

    def look_ahead(self) -> None:
        """Load the next portion while a GPU is busy with this one; a CPU has nothing to gain."""
        if self.stream is not None and self.waiting is None:
            with torch.cuda.stream(self.stream):
                portion = self._load()
                self.waiting = Portion(
                    [batch.to(self.device) for batch in portion.batches], portion.target_tokens, portion.after
                )

    def take(self) -> Portion:
        """Give the next portion."""
        portion, self.waiting = self.waiting, None
        if portion is None or self.stream is None:
            return self._load()
        current = torch.cuda.current_stream(self.device)
        current.wait_stream(self.stream)
        for batch in portion.batches:
            for tensor in batch.tensors():
                tensor.record_stream(current)
        return portion

    def _load(self) -> Portion:
        drawn = list(islice(self.drawn, self.count))
        own = drawn[self.workers.rank :: self.workers.world]
        tokens = sum(int(self.sampler.target_lengths[indices].sum()) for indices, _ in drawn)
        return Portion([self.load_batch(*one) for one in own], tokens, drawn[-1][1])
