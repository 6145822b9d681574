"""From a token store to the batches of training."""

from dataclasses import dataclass
from functools import partial

import numpy as np
from jaxtyping import Int

from ferryman.data.batch import Batch, Symbols
from ferryman.data.sampler import Position
from ferryman.data.store import TokenStore
from ferryman.data.subwords import SubwordDropout


@dataclass(frozen=True)
class Loader:
    """Makes batches; always the same one of the same indices and position."""

    store: TokenStore
    symbols: Symbols
    seed: int
    subword_dropout: SubwordDropout | None = None  # of sources

    def __call__(self, indices: Int[np.ndarray, "rows"], after: Position) -> Batch:
        """Read these pairs; ``after`` is the position after them, which tells one epoch's batch from another's."""
        if self.subword_dropout is None:
            return Batch.from_store(self.store, indices, self.symbols)
        generator = np.random.default_rng((self.seed, after.epoch, after.batch))
        return Batch.from_store(self.store, indices, self.symbols, partial(self.subword_dropout, generator=generator))
