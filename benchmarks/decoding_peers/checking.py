"""Whether two sides say the same."""

from collections.abc import Sequence
from typing import Any

EQUAL = {"float32": 0.99, "int8": 0.9, "bfloat16": 0.9}
"""Share of the translations that must be token for token ours."""
TOLERANCE = 1e-3  # of a log-probability, in nats a token

Output = Sequence[Any]  # tokens, log-probability or None


class DifferentError(Exception):
    """A side does something else than ours, so its speed means nothing."""


def agreement(ours: Sequence[Output], theirs: Sequence[Output]) -> dict[str, float | None]:
    """Tell the share of equal translations, and the largest difference of log-probability a token among these."""
    pairs = list(zip(ours, theirs, strict=True))
    equal = [(one, other) for one, other in pairs if one[0] == other[0]]
    differences = [abs(one[1] - other[1]) / (len(one[0]) + 1) for one, other in equal if None not in (one[1], other[1])]
    return {
        "equal": round(len(equal) / len(pairs), 4),
        "log_prob_difference": round(max(differences), 6) if differences else None,
    }


def check(found: dict[str, float | None], compute: str) -> None:
    """Refuse a side that differs; rounding may change a few translations, and their log-probabilities.

    Raises:
        DifferentError: says by how much.

    """
    equal, difference = found["equal"], found["log_prob_difference"]
    if equal is None or equal < EQUAL[compute]:
        raise DifferentError(f"only {equal} of its translations are ours; needed: {EQUAL[compute]}")
    if compute == "float32" and difference is not None and difference > TOLERANCE:
        raise DifferentError(f"its log-probabilities differ by {difference} nats a token; allowed: {TOLERANCE}")
