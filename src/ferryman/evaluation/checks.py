"""Checks of a test set before its score is believed."""

import math
from collections import Counter
from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from ferryman.errors import DataError

_FEWEST_LINES = 20
_CLEAR = 5.0  # standard errors; shuffled real sets stay below 4.6, aligned ones below 1.2, from 20 lines on
_WORDS_OVER_LENGTH = 8.0  # weight of shared letters against length: about equal between related languages


def suspicious_alignment(sources: Sequence[str], references: Sequence[str]) -> str | None:
    """Say whether the references seem to be off by one line, from some line on; None where all seems well.

    A blank line too many in one file leaves the counts equal once an end is cut off, and a score near 0. Each line
    pair is rated as it stands and with the reference's neighbour, by likeness of length (Gale and Church, 1993) and by
    letter trigrams shared (names, numbers, related words). Where, to the end of the set, the neighbours fit
    better by five standard errors, there is a warning. It takes some 50 lines between related languages and some
    100 between unrelated ones; a set without any relation of its lines gives none.

    Raises:
        DataError: the counts differ.
    """
    if len(sources) != len(references):
        raise DataError(f"{len(sources)} source lines but {len(references)} references: they must be equal in number.")
    if len(sources) < _FEWEST_LINES:
        return None
    as_it_stands, above, below = _likeness(sources, references)
    clear, line, place = max(
        (*_clearest_suffix(above - as_it_stands), "above"), (*_clearest_suffix(below - as_it_stands), "below")
    )
    if clear < _CLEAR:
        return None
    return (
        f"from about line {line} on, source lines fit the reference one line {place} better than their own: "
        "look there for a blank, missing or extra line in either file."
    )


def _likeness(sources: Sequence[str], references: Sequence[str]) -> list[NDArray[np.float64]]:
    """Rate each source line with its reference, the one above and the one below; where there is none, as its own."""
    lengths = [_standardised([math.log1p(len(line)) for line in lines]) for lines in (sources, references)]
    vectors = _trigram_vectors([*sources, *references])
    source_vectors, reference_vectors = vectors[: len(sources)], vectors[len(sources) :]
    ratings: list[NDArray[np.float64]] = []
    for shift in (0, -1, 1):
        rating = np.full(len(sources), np.nan)
        for index in range(max(0, -shift), min(len(sources), len(sources) - shift)):
            shared = _dot(source_vectors[index], reference_vectors[index + shift])
            rating[index] = lengths[0][index] * lengths[1][index + shift] + _WORDS_OVER_LENGTH * shared
        ratings.append(np.where(np.isnan(rating), ratings[0] if ratings else 0.0, rating))
    return ratings


def _clearest_suffix(gains: NDArray[np.float64]) -> tuple[float, int]:
    """Return the largest mean gain of a suffix, in standard errors, and the line at which that suffix starts."""
    lines = np.arange(1, len(gains) + 1)
    means = np.cumsum(gains[::-1]) / lines
    variances = np.cumsum(gains[::-1] ** 2) / lines - means**2
    clear = means / np.sqrt(np.maximum(variances, 1e-9) / lines)
    longest = int(clear[_FEWEST_LINES - 1 :].argmax()) + _FEWEST_LINES
    return float(clear[longest - 1]), len(gains) - longest + 1


def _standardised(values: Sequence[float]) -> NDArray[np.float64]:
    centred: NDArray[np.float64] = np.asarray(values) - np.mean(values)
    return centred / max(float(centred.std()), 1e-9)


def _trigram_vectors(lines: Sequence[str]) -> list[dict[str, float]]:
    """Return each line's letter trigrams, weighted by their rarity, as a vector of length 1."""
    trigrams = [{line[start : start + 3] for start in range(len(line) - 2)} for line in map(str.casefold, lines)]
    spread = Counter(trigram for one in trigrams for trigram in one)
    vectors = []
    for one in trigrams:
        weights = {trigram: math.log(len(lines) / spread[trigram]) for trigram in one}
        norm = math.hypot(*weights.values()) or 1.0
        vectors.append({trigram: weight / norm for trigram, weight in weights.items()})
    return vectors


def _dot(one: Mapping[str, float], other: Mapping[str, float]) -> float:
    return sum(one[key] * other[key] for key in one.keys() & other.keys())
