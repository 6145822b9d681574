"""What a translator says of one text."""

from dataclasses import dataclass

from ferryman.translator.alignment import Alignment


@dataclass(frozen=True)
class Translation:
    """One translation. Scores are natural logarithms: higher is better.

    ``flags`` says what was out of the ordinary: ``split`` (the source was too long and translated in pieces), ``cut``
    (the source was too long and its end is not translated), ``unknown`` (the model has no tokens for some of the
    source, and did not read it), ``truncated`` (the length bound came before the end),
    ``protected`` (the model lost something that must not change, and it was put back; see ``decoding.protect``),
    ``retried`` (the first translation was doubtful and this, which is not, took its place); else the doubts that
    remain: see ``ferryman.text.doubts``; ``unmet`` (a required phrase is not in it), ``forbidden`` (a forbidden
    phrase is, across two pieces).
    """

    text: str
    score: float  # log_prob over the length penalty
    log_prob: float  # of all tokens, end symbol included
    tokens: tuple[int, ...]
    flags: tuple[str, ...] = ()
    alternatives: tuple["Translation", ...] = ()  # the next best, if more than one was asked for
    token_log_probs: tuple[float, ...] = ()  # of each token, with decoding.token_log_probs
    alignment: Alignment | None = None  # with decoding.alignment
