"""Score a test set: BLEU, chrF and TER, each with the signature that says how it was measured."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ferryman.evaluation.metrics import METRICS, check_counts, make_metrics


@dataclass(frozen=True)
class Score:
    """One score of one set.

    Attributes:
        name: what sacreBLEU calls it: BLEU, chrF2, TER.
        score: in percent, not rounded. Higher is better, but for TER.
        signature: sacreBLEU's, such as ``nrefs:1|case:mixed|eff:no|tok:13a|smooth:exp|version:2.6.0``.
    """

    name: str
    score: float
    signature: str


@dataclass(frozen=True)
class Scores(Mapping[str, Score]):
    """The scores of one set by metric (``bleu``, ``chrf``, ``ter``), and of how many sentences."""

    by_metric: Mapping[str, Score]
    sentences: int

    def __getitem__(self, metric: str) -> Score:
        return self.by_metric[metric]

    def __iter__(self) -> Iterator[str]:
        return iter(self.by_metric)

    def __len__(self) -> int:
        return len(self.by_metric)

    def to_json(self) -> dict[str, Any]:
        """Return ``{"bleu": {"score": …, "signature": …}, …, "sentences": …}``."""
        shown = {name: {"score": one.score, "signature": one.signature} for name, one in self.items()}
        return {**shown, "sentences": self.sentences}


def corpus_scores(
    hypotheses: Sequence[str],
    references: Sequence[Sequence[str]],
    *,
    target_language: str,
    metrics: Sequence[str] = tuple(METRICS),
) -> Scores:
    """Score translations against one or more sets of references.

    Equal to ``sacrebleu`` on the same lines with the tokeniser of ``bleu_tokeniser``.

    Args:
        hypotheses: one translation a line, detokenised.
        references: reference sets, each with one line a hypothesis; untouched text, as a reader would see it.
        target_language: BCP-47 code; chooses the tokeniser.
        metrics: which of ``bleu``, ``chrf``, ``ter``.

    Raises:
        DataError: the counts differ (both are named) or nothing is there; before any work.
        ConfigError: unknown metric, or the language is not a well-formed code.
    """
    check_counts(hypotheses, references)
    scores = {}
    for name, metric in make_metrics(metrics, target_language).items():
        result = metric.corpus_score(hypotheses, references)
        scores[name] = Score(result.name, float(result.score), metric.get_signature().format())
    return Scores(scores, len(hypotheses))
