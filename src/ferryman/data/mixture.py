"""Which pairs of a corpus of several parts an epoch has: each as often as the weight of its part says."""

from collections.abc import Sequence

import numpy as np
from jaxtyping import Int

from ferryman.errors import ConfigError

_MIXING = 1  # parts the random numbers here from those of the order


class Mixture:
    """Chooses the pairs of every epoch, from the seed and the epoch alone.

    A part of weight 2.5 comes twice as a whole and once in half. Which half is told by one shuffled order of the part,
    which the epochs walk through in turn, around and around: so in the long run its pairs come equally often.
    """

    def __init__(self, parts: Sequence[tuple[int, float]], seed: int) -> None:
        """Set up; a part is a number of pairs that follow one another, and their weight.

        Raises:
            ConfigError: nothing would ever be chosen.
        """
        self.parts = parts
        self.seed = seed
        if not sum(pairs * weight for pairs, weight in parts):
            raise ConfigError(
                "data.weight: no pair is left of the corpora whose weight is above 0; raise another corpus's weight"
            )

    def size(self, epoch: int) -> int:
        """Count the pairs of an epoch."""
        return sum(int(weight) * pairs + end - start for pairs, weight, start, end in self._walks(epoch))

    def pairs(self, epoch: int) -> Int[np.ndarray, "chosen"]:
        """List the pairs of an epoch, by index and in no order that matters."""
        chosen, first = [np.empty(0, dtype=np.int64)], 0
        for number, (pairs, weight, start, end) in enumerate(self._walks(epoch)):
            chosen += [np.arange(first, first + pairs)] * int(weight)
            if start < end:
                shuffled = np.random.default_rng((self.seed, number, _MIXING)).permutation(pairs)
                chosen.append(first + shuffled[np.arange(start, end) % pairs])
            first += pairs
        return np.concatenate(chosen)

    def _walks(self, epoch: int) -> list[tuple[int, float, int, int]]:
        """Tell for each part from where to where the epoch walks through its shuffled order."""
        steps = [(pairs, weight, weight % 1 * pairs) for pairs, weight in self.parts]
        return [(pairs, weight, int(epoch * step), int((epoch + 1) * step)) for pairs, weight, step in steps]
