"""Compare two systems on one test set: could the difference be chance?"""

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

from sacrebleu.significance import PairedTest

from ferryman.errors import ConfigError
from ferryman.evaluation.metrics import check_counts, make_metrics

_SACREBLEU_NAMES = {"bootstrap": "bs", "randomisation": "ar"}
_CONFIDENCE_RESAMPLES = 1000


@dataclass(frozen=True, kw_only=True)
class PairedPlan:
    """How two systems are compared.

    Attributes:
        method: paired bootstrap resampling (Koehn, 2004) or approximate randomisation (Riezler and Maxwell, 2005).
        samples: resamples or trials.
        seed: of the random draws, at least 1; sacreBLEU's own by default.
        metrics: which of ``bleu``, ``chrf``, ``ter`` (slow).
    """

    method: Literal["bootstrap", "randomisation"] = "bootstrap"
    samples: int = 1000
    seed: int = 12345
    metrics: tuple[str, ...] = ("bleu", "chrf")


class Estimate(NamedTuple):
    """A system's score, and the mean and half width of its 95 % confidence interval over resampled test sets."""

    score: float
    mean: float
    half_width: float

    @property
    def interval(self) -> tuple[float, float]:
        """Return the two ends of the 95 % confidence interval."""
        return self.mean - self.half_width, self.mean + self.half_width


@dataclass(frozen=True)
class Comparison:
    """Two systems by one metric.

    Attributes:
        name: the metric as sacreBLEU calls it.
        baseline: the system compared with.
        system: the system of interest.
        p_value: two-sided: how often chance alone makes a difference as large.
        signature: sacreBLEU's, with seed and number of samples.
    """

    name: str
    baseline: Estimate
    system: Estimate
    p_value: float
    signature: str

    @property
    def difference(self) -> float:
        """Return by how much the system scores more than the baseline."""
        return self.system.score - self.baseline.score


def compare_systems(
    baseline: Sequence[str],
    system: Sequence[str],
    references: Sequence[Sequence[str]],
    *,
    target_language: str,
    plan: PairedPlan | None = None,
) -> dict[str, Comparison]:
    """Compare the translations of two systems of the same sentences, by metric (``bleu``, ``chrf``).

    Equal to ``SACREBLEU_SEED=seed sacrebleu --paired-bs`` (or ``--paired-ar``). sacreBLEU takes its seed from the
    environment alone: the variable is set for the time of the call, so do not run two calls at once in threads.

    Raises:
        DataError: the counts differ or nothing is there.
        ConfigError: unknown metric, a seed or a number of samples below 1, or an ill-formed language code.
    """
    plan = plan or PairedPlan()
    if plan.seed < 1 or plan.samples < 1:
        raise ConfigError(f"seed and samples must be at least 1, not {plan.seed} and {plan.samples}.")
    for hypotheses in (baseline, system):
        check_counts(hypotheses, references)
    metrics = make_metrics(plan.metrics, target_language)
    with _sacrebleu_seed(plan.seed):
        test = PairedTest(
            [("baseline", baseline), ("system", system)],
            metrics,
            references,
            test_type=_SACREBLEU_NAMES[plan.method],
            n_samples=plan.samples,
            n_ar_confidence=_CONFIDENCE_RESAMPLES if plan.method == "randomisation" else -1,
        )
        signatures, results = test()
    names = dict(zip(plan.metrics, signatures, strict=True))
    return {metric: _comparison(name, results[name], signatures[name].format()) for metric, name in names.items()}


def _comparison(name: str, results: Sequence[Any], signature: str) -> Comparison:
    baseline, system = (Estimate(float(r.score), float(r.mean), float(r.ci)) for r in results)
    return Comparison(name, baseline, system, float(results[1].p_value), signature)


@contextmanager
def _sacrebleu_seed(seed: int) -> Iterator[None]:
    before = os.environ.get("SACREBLEU_SEED")
    os.environ["SACREBLEU_SEED"] = str(seed)
    try:
        yield
    finally:
        if before is None:
            del os.environ["SACREBLEU_SEED"]
        else:
            os.environ["SACREBLEU_SEED"] = before
