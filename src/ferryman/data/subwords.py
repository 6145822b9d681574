"""Subword regularisation: a text in other tokens each time that it comes (after Provilkov et al., 2020)."""

from collections.abc import Sequence

import numpy as np
from jaxtyping import Int


class SubwordDropout:
    """Replaces tokens, at random, by the two that they were merged from, and these again.

    Differs from BPE-dropout: merges are undone, not left out. That needs no text, and breaks fewer tokens into letters.
    """

    def __init__(self, parts: Int[np.ndarray, "vocab two"], probability: float, longest: int) -> None:
        """Set up.

        Args:
            parts: for each token the two that make it up; -1 where there are none.
            probability: of breaking a token, asked anew for each part.
            longest: a sequence that would have more tokens than this stays as it was.
        """
        self.parts = parts
        self.probability = probability
        self.longest = longest

    def __call__(self, rows: Sequence[np.ndarray], generator: np.random.Generator) -> list[np.ndarray]:
        """Break tokens of some sequences of ids."""
        ids, of = np.concatenate(rows), np.repeat(np.arange(len(rows)), [len(row) for row in rows])
        new = np.ones(len(ids), dtype=bool)
        while True:
            broken = new & (self.parts[ids, 0] >= 0) & (generator.random(len(ids)) < self.probability)
            if not broken.any():
                break
            pieces = 1 + broken
            at = (np.cumsum(pieces) - pieces)[broken]
            parts = self.parts[ids[broken]]
            ids, of, new = (np.repeat(values, pieces) for values in (ids, of, broken))
            ids[at], ids[at + 1] = parts[:, 0], parts[:, 1]
        ends = np.cumsum(np.bincount(of, minlength=len(rows)))[:-1]
        return [
            found if len(found) <= self.longest else row for row, found in zip(rows, np.split(ids, ends), strict=True)
        ]
