"""Misalignment: does line N of one side translate line N + 1 of the other?

Translations have similar lengths, so the lengths of two aligned sides are correlated, and those of shifted sides are
not until they are shifted back. A block of pairs is suspect where another offset fits clearly better than none.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np

from ferryman.corpus.pair import Pair

BLOCK_PAIRS = 256
FEWEST_PAIRS = 50
LARGEST_SHIFT = 3
CLEAR_FIT = 0.4
"""Correlation that another offset must reach."""
CLEAR_MARGIN = 0.25
"""By how much it must exceed the correlation without one; the standard error of a block's is 0.06."""


@dataclass(slots=True)
class ShiftWatch:
    """Watches pairs go by and tells of blocks that look shifted."""

    _places: list[str] = field(default_factory=list)
    _lengths: list[tuple[int, int]] = field(default_factory=list)

    def add(self, pair: Pair) -> Iterator[str]:
        """Watch one more pair; give a message if it completes a suspect block."""
        self._places.append(pair.place)
        self._lengths.append((len(pair.source.encode()), len(pair.target.encode())))
        if len(self._lengths) == BLOCK_PAIRS:
            yield from self.finish()

    def finish(self) -> Iterator[str]:
        """Judge the pairs since the last block."""
        shift = find_shift(self._lengths) if len(self._lengths) >= FEWEST_PAIRS else 0
        if shift:
            yield f"{self._places[0]} to {self._places[-1]}: targets seem to stand {shift:+d} lines from their sources"
        self._places.clear()
        self._lengths.clear()


def find_shift(lengths: list[tuple[int, int]]) -> int:
    """Find by how many lines the targets are late (positive) or early; 0 if no offset clearly fits better than none."""
    source, target = np.log1p(np.array(lengths, dtype=np.float64)).T
    fit = {shift: _correlation(source, target, shift) for shift in range(-LARGEST_SHIFT, LARGEST_SHIFT + 1)}
    best = max(fit, key=lambda shift: (fit[shift], -abs(shift)))
    return best if fit[best] > CLEAR_FIT and fit[best] - fit[0] > CLEAR_MARGIN else 0


def _correlation(source: np.ndarray, target: np.ndarray, shift: int) -> float:
    """Correlate each source with the target ``shift`` lines after it; 0 where a side does not vary."""
    if shift >= 0:
        left, right = source[: len(source) - shift], target[shift:]
    else:
        left, right = source[-shift:], target[:shift]
    spread = float(left.std() * right.std())
    return float(((left - left.mean()) * (right - right.mean())).mean()) / spread if spread > 0 else 0.0
