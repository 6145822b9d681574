"""Doubtful translations: told by their texts, and tried again in other ways.

What is tried, in this order, until something is without doubt:

1. the other hypotheses of the same search, in their order, all of the beam;
2. those of another search, with twice the beam and what suits the doubt; see ``_remedy``.

It then takes the first place and is flagged ``retried``. If everything is doubtful, the first translation stays and its
doubts are its flags. Where nothing is in doubt, nothing is changed and nothing more is searched.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from ferryman.checkpoint import Tokenizers
from ferryman.config import DataConfig, DecodingConfig
from ferryman.decoding import Hypothesis, forbid_beginning, penalty
from ferryman.text.directions import source_of
from ferryman.text.doubts import find_doubts
from ferryman.translator.reranking import ranked, to_search, whole
from ferryman.translator.searching import Searcher

RETRIED = "retried"
TRUNCATED = "truncated"
LEAST_BEAM = 5  # of the second search
UNLIKELY = -2.0  # nats a token: what is less likely is no better than what is doubtful

_REMEDIES: dict[str, dict[str, Any]] = {  # settings of the second search, by doubt
    "looped": {"length_penalty": 0.0, "no_repeat_ngram": 3},
    "too_long": {"length_penalty": 0.0},
    TRUNCATED: {"length_penalty": 0.0, "no_repeat_ngram": 3},
}
Attempt = tuple[DecodingConfig, tuple[int, ...]]  # a way to search, and the tokens not to begin with
_TOO_LITTLE = {"empty", "too_short"}
_NOT_TRANSLATED = {"copied", "wrong_script"}


class Checker:
    """A second look at what a search found, and a second search where that is no good."""

    def __init__(self, searcher: Searcher, tokenizers: Tokenizers, data: DataConfig) -> None:
        """Set up for a model: ``searcher`` searches it, ``data`` knows its languages."""
        self.searcher = searcher
        self.tokenizers = tokenizers
        self.data = data

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
        languages, target = (source_of(self.data, to), to), self.tokenizers.target
        sources = [self.tokenizers.source.decode(row) for row in rows]

        def flagged(place: int, hypotheses: Sequence[Hypothesis]) -> list[Hypothesis]:
            return [self._flagged(sources[place], one, languages) for one in ranked(hypotheses, decoding, target)]

        settled = [flagged(place, best)[: decoding.n_best] for place, best in enumerate(found)]
        if not decoding.fallback or decoding.sampling:
            return settled
        doubtful = [place for place, best in enumerate(settled) if best[0].flags]
        for place in doubtful:
            _promote(settled[place], flagged(place, found[place]))
        for attempt in (_whole_beam, _remedy):
            doubtful = [place for place in doubtful if settled[place][0].flags != (RETRIED,)]
            ways = {place: attempt(settled[place][0], rows[place], decoding) for place in doubtful}
            for place, best in self._search(rows, ways):
                other = best if attempt is _whole_beam else [_rescored(one, decoding) for one in best]
                _promote(settled[place], flagged(place, other))
        return settled

    def _search(
        self, rows: Sequence[Sequence[int]], ways: Mapping[int, Attempt | None]
    ) -> Iterator[tuple[int, list[Hypothesis]]]:
        """Search some of the rows, each in its way and those with the same together; None: not at all."""
        groups: dict[Attempt, list[int]] = {}
        for place, way in ways.items():
            if way is not None:
                groups.setdefault(way, []).append(place)
        for (changed, beginning), places in groups.items():
            rules = [forbid_beginning(beginning)] if beginning else []
            yield from zip(places, self.searcher.search([rows[place] for place in places], changed, rules), strict=True)

    def _flagged(self, source: str, hypothesis: Hypothesis, languages: tuple[str, str]) -> Hypothesis:
        doubts = find_doubts(source, self.tokenizers.target.decode(hypothesis.tokens), languages)
        flags = (*([TRUNCATED] if hypothesis.truncated else []), *doubts)
        return replace(hypothesis, flags=flags) if flags else hypothesis


def _promote(settled: list[Hypothesis], candidates: Sequence[Hypothesis]) -> None:
    """Give the first place to the first candidate without doubt, if there is one."""
    for candidate in candidates:
        if not candidate.flags and candidate.log_prob >= UNLIKELY * len(candidate.tokens):
            others = [one for one in settled if one.tokens != candidate.tokens]
            settled[:] = [replace(candidate, flags=(RETRIED,)), *others]
            return


def _rescored(found: Hypothesis, decoding: DecodingConfig) -> Hypothesis:
    """Give what a second search found the score it has by the configuration."""
    return replace(found, score=found.log_prob / penalty(len(found.tokens), decoding.length_penalty))


def _whole_beam(doubtful: Hypothesis, row: Sequence[int], decoding: DecodingConfig) -> Attempt | None:
    """Return how to find all hypotheses of the same search; None where it has given them already."""
    return None if to_search(decoding) == whole(decoding) else (whole(decoding), ())


def _remedy(doubtful: Hypothesis, row: Sequence[int], decoding: DecodingConfig) -> Attempt | None:
    """Return how to search otherwise.

    A copy, or what is in another script, must begin with something else. What is too short must have half as many
    tokens as its source. What does not come to an end, or goes on for too long, is judged without a length penalty,
    which favours what is short, and may not say three tokens in a row twice.
    """
    flags = set(doubtful.flags)
    changes: dict[str, Any] = {"beam": max(2 * decoding.beam, LEAST_BEAM), "beam_groups": 1}
    for flag in doubtful.flags:
        changes |= _REMEDIES.get(flag, {})
    if flags & _TOO_LITTLE:
        changes["min_length"] = max(decoding.min_length, len(row) // 2, 1)
    beginning = doubtful.tokens[:1] if flags & _NOT_TRANSLATED else ()
    return whole(decoding.model_copy(update=changes)), beginning
