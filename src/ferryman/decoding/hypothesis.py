"""One translation that a search proposes."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Attention:
    """Which source tokens the decoder looked at while it said each token; every row of weights sums to 1."""

    source: tuple[int, ...]  # ids, the end symbol last if there is one
    weights: tuple[tuple[float, ...], ...]  # a row for each target token, a column for each source token


@dataclass(frozen=True)
class Hypothesis:
    """A sequence of tokens and how likely the model finds it.

    ``tokens`` leaves out the start symbol and ends with the end symbol if ``finished``; the length is their number.
    ``log_prob`` is the sum of their natural log-probabilities, ``score`` that sum over the length penalty: higher is
    better for both. ``flags`` is for those who look at what was found: what is out of the ordinary about it.
    """

    tokens: tuple[int, ...]
    log_prob: float
    score: float
    finished: bool
    flags: tuple[str, ...] = ()
    token_log_probs: tuple[float, ...] = ()  # where these were asked for
    attention: Attention | None = None  # likewise

    @property
    def truncated(self) -> bool:
        """Tell whether the search stopped before the end symbol."""
        return not self.finished
