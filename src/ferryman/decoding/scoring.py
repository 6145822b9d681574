"""How hypotheses of different lengths compare."""

from ferryman.errors import ConfigError


def penalty(length: int, alpha: float) -> float:
    """Return the length penalty ``((5 + length) / 6) ** alpha`` by which a log-probability is divided.

    ``length`` counts the tokens with the end symbol. At ``alpha`` 0 the score is the plain log-probability; as that is
    negative, a greater ``alpha`` favours longer hypotheses. Wu et al. (2016), eq. 14, without coverage.

    Raises ``ConfigError`` if ``alpha`` is negative or not a number: a search may stop early only because the penalty
    never shrinks as a hypothesis grows.
    """
    if not alpha >= 0:
        raise ConfigError(f"The length penalty is {alpha}; it must be 0 (none) or more.")
    return float(((5 + length) / 6) ** alpha)
