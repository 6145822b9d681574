"""Seeded chance."""

from collections.abc import Sequence
from random import Random
from typing import TypeVar

T = TypeVar("T")


class Dice:
    """Draw from a seeded stream, in a way that no version of Python changes."""

    def __init__(self, seed: str) -> None:
        self._random = Random(seed).random

    def fraction(self) -> float:
        """Draw a number from 0 up to 1."""
        return self._random()

    def chance(self, probability: float) -> bool:
        """Come out true with a probability."""
        return self._random() < probability

    def choose(self, options: Sequence[T]) -> T:
        """Choose one of several options, all as likely."""
        return options[int(self._random() * len(options))]

    def number(self, low: int, high: int) -> int:
        """Choose a whole number, both ends included."""
        return low + int(self._random() * (high - low + 1))
