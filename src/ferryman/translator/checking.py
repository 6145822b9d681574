"""Doubtful translations: told by their texts, and tried again in other ways.

What is tried, in this order, until something is without doubt:

1. the other hypotheses of the same search, in their order;
2. those of one more search, with twice the beam and what suits the doubt; see ``_remedy``.

It then takes the first place and is flagged ``retried``. If everything is doubtful, the first translation stays and its
doubts are its flags. Where nothing is in doubt, nothing is changed and nothing more is searched.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from ferryman.checkpoint import Tokenizers
from ferryman.config import DataConfig, DecodingConfig
from ferryman.decoding import Hypothesis, forbid_beginning, penalty
from ferryman.text.directions import directions
from ferryman.text.doubts import find_doubts
from ferryman.translator.reranking import ranked
from ferryman.translator.searching import Searcher

RETRIED = "retried"
TRUNCATED = "truncated"
LEAST_BEAM = 5  # of the second search
UNLIKELY = -2.0  # nats a token: what is less likely is no better than what is doubtful

_REMEDIES: dict[str, dict[str, Any]] = {  # settings of the second search, by doubt
    "looped": {"length_penalty": 0.0},
    "too_long": {"length_penalty": 0.0},
    TRUNCATED: {"length_penalty": 0.0},
}
_TOO_LITTLE = {"empty", "too_short"}
_NOT_TRANSLATED = {"copied", "wrong_script"}


class Checker:
    """A second look at what a search found, and a second search where that is no good."""

    def __init__(self, searcher: Searcher, tokenizers: Tokenizers, data: DataConfig) -> None:
        """Set up for a model: ``searcher`` searches it, ``data`` knows its languages."""
        self.searcher = searcher
        self.tokenizers = tokenizers
        self.directions = directions(data)

    def settle(
        self, rows: Sequence[Sequence[int]], found: Sequence[Sequence[Hypothesis]], decoding: DecodingConfig, to: str
    ) -> list[list[Hypothesis]]:
        """Return the hypotheses of each row of source ids, the one to answer with first, and at least it flagged.

        Args:
            rows: what was searched.
            found: the hypotheses of each, best first.
            decoding: how it was searched.
            to: language of the hypotheses.

        """
        settled: list[list[Hypothesis]] = []
        languages = self._from(to), to
        again: dict[tuple[DecodingConfig, tuple[int, ...]], list[int]] = {}
        sources = [self.tokenizers.source.decode(row) for row in rows]
        for place, (source, best) in enumerate(zip(sources, found, strict=True)):
            first, *others = ranked(best, decoding, self.tokenizers.target)
            first = self._flagged(source, first, languages)
            tried = others if decoding.fallback and first.flags else others[: decoding.n_best - 1]
            settled.append([first, *(self._flagged(source, other, languages) for other in tried)])
            if decoding.fallback and first.flags and not _promote(settled[-1], settled[-1][1:]):
                again.setdefault(_remedy(first, rows[place], decoding), []).append(place)
        for (changed, beginning), places in again.items():
            second = self.searcher.search(
                [rows[place] for place in places], changed, [forbid_beginning(beginning)] if beginning else []
            )
            for place, best in zip(places, second, strict=True):
                others = [_rescored(one, decoding) for one in ranked(best, decoding, self.tokenizers.target)]
                _promote(settled[place], [self._flagged(sources[place], other, languages) for other in others])
        return settled

    def _flagged(self, source: str, hypothesis: Hypothesis, languages: tuple[str, str]) -> Hypothesis:
        doubts = find_doubts(source, self.tokenizers.target.decode(hypothesis.tokens), languages)
        flags = (*([TRUNCATED] if hypothesis.truncated else []), *doubts)
        return replace(hypothesis, flags=flags) if flags else hypothesis

    def _from(self, to: str) -> str:
        """Return the language that is translated from into ``to``; empty if there are several."""
        sources = {direction.source for direction in self.directions if direction.target == to}
        return sources.pop() if len(sources) == 1 else ""


def _promote(settled: list[Hypothesis], candidates: Sequence[Hypothesis]) -> bool:
    """Give the first place to the first candidate without doubt, if there is one."""
    for candidate in candidates:
        if not candidate.flags and candidate.log_prob >= UNLIKELY * len(candidate.tokens):
            if candidate in settled:
                settled.remove(candidate)
            settled.insert(0, replace(candidate, flags=(RETRIED,)))
            return True
    return False


def _rescored(found: Hypothesis, decoding: DecodingConfig) -> Hypothesis:
    """Give what a second search found the score it has by the configuration."""
    return replace(found, score=found.log_prob / penalty(len(found.tokens), decoding.length_penalty))


def _remedy(
    doubtful: Hypothesis, row: Sequence[int], decoding: DecodingConfig
) -> tuple[DecodingConfig, tuple[int, ...]]:
    """Return how to search again, and the tokens that a translation must not begin with then.

    A copy, or what is in another script, must begin with something else. What is too short must have half as many
    tokens as its source. What does not come to an end, or goes on for too long, is judged without a length penalty,
    which favours what is short.
    """
    flags = set(doubtful.flags)
    changes: dict[str, Any] = {"beam": max(2 * decoding.beam, LEAST_BEAM), "n_best": 1}
    for flag in doubtful.flags:
        changes |= _REMEDIES.get(flag, {})
    if flags & _TOO_LITTLE:
        changes["min_length"] = max(decoding.min_length, len(row) // 2, 1)
    return decoding.model_copy(update=changes), doubtful.tokens[:1] if flags & _NOT_TRANSLATED else ()
