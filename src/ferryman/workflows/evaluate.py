"""How good a model, or a file of translations, is on a test set."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ferryman.corpus import ReadingReport, read_pairs
from ferryman.corpus.files import format_of
from ferryman.corpus.lines import count_lines, raw_lines, unequal_counts
from ferryman.errors import ConfigError, DataError
from ferryman.evaluation.checks import suspicious_alignment
from ferryman.evaluation.compare import Comparison, compare_systems
from ferryman.evaluation.scores import Scores, corpus_scores
from ferryman.text.directions import directions
from ferryman.translator import Translator
from ferryman.workflows.file_languages import language_of
from ferryman.workflows.load import load_ready


@dataclass(frozen=True)
class TestSet:
    """Sources (none, if only given translations are scored) and one or more sets of references."""

    sources: list[str] | None
    references: list[list[str]]
    target_language: str


@dataclass(frozen=True)
class Evaluation:
    """Scores of one system, its translations, and what was out of the ordinary."""

    scores: Scores
    hypotheses: list[str]
    flags: dict[str, int]
    warning: str | None = None
    comparison: dict[str, Comparison] | None = None

    def to_json(self) -> dict[str, Any]:
        """Give the scores as a value that ``json`` can write."""
        result = {**self.scores.to_json(), "flags": self.flags}
        if self.warning:
            result["warning"] = self.warning
        for name, found in (self.comparison or {}).items():
            result.setdefault("comparison", {})[name] = {
                "other": found.baseline.score,
                "difference": found.difference,
                "p_value": found.p_value,
                "signature": found.signature,
            }
        return result


def evaluate(  # noqa: PLR0913 - each is a separate choice of the caller
    system: Path,
    files: Sequence[Path],
    *,
    target_language: str | None = None,
    to: str | None = None,
    other: Path | None = None,
    overrides: Sequence[str] = (),
    partners: Sequence[Path] = (),
) -> Evaluation:
    """Score a model on ``SOURCE REFERENCE…`` (or one file of pairs), or a file of translations on ``REFERENCE…``.

    Args:
        system: a model folder, or a text file of translations.
        files: the test set.
        target_language: chooses the metrics' tokeniser; a model knows its own.
        to: language to translate into, for a model of several.
        other: a second model or file of translations to compare with.
        overrides: ``decoding.key=value``, for models.
        partners: more models, whose probabilities are averaged with the first's.

    Raises:
        DataError: a path is missing, line counts differ, or a file cannot be read; before anything is translated.
        ConfigError: files are missing from the call, or the target language is.

    """
    for path in (system, *([other] if other else [])):
        if not path.exists():
            raise DataError(f"{path}: no such file or folder; give a model's folder or a file of translations")
    translator = load_ready(system, overrides, to=to, partners=partners) if system.is_dir() else None
    if translator is None and to is not None:
        raise ConfigError(f"--to is for a model, and {system} is none; for translations give --target-language")
    if translator is None and partners:
        raise ConfigError(f"--with is for a model, and {system} is none")
    test = _test_set(translator, files, target_language, system)
    if other is not None and not other.is_dir() and (found := count_lines(other)) != len(test.references[0]):
        raise DataError(f"{other} has {found} lines, but there are {len(test.references[0])} references")
    hypotheses, flags = _hypotheses(translator or system, test)
    warning = suspicious_alignment(test.sources, test.references[0]) if test.sources is not None else None
    comparison = None
    if other is not None:
        second = load_ready(other, overrides, to=to) if other.is_dir() else other
        baseline, _ = _hypotheses(second, test)
        comparison = compare_systems(baseline, hypotheses, test.references, target_language=test.target_language)
    scores = corpus_scores(hypotheses, test.references, target_language=test.target_language)
    return Evaluation(scores, hypotheses, flags, warning, comparison)


def read_lines(path: Path) -> list[str]:
    """Read a text file's lines; see ``ferryman.corpus.lines``."""
    return [line.text() for line in raw_lines(path)]


def read_aligned_texts(first: Path, others: Sequence[Path]) -> tuple[list[str], list[list[str]]]:
    """Read files that belong together line by line.

    Raises:
        DataError: they have different numbers of lines; before anything is read.

    """
    if error := unequal_counts(first, *others):
        raise error
    return read_lines(first), [read_lines(path) for path in others]


def _test_set(translator: Translator | None, files: Sequence[Path], language: str | None, system: Path) -> TestSet:
    if translator is not None:
        return read_test_set(translator, files, language)
    if not files:
        raise ConfigError(f"{system} is no model folder, so a file of translations: give its REFERENCE files too")
    language = language or language_of(files[0]) or language_of(system)
    if not language:
        raise ConfigError("give --target-language, such as de: it decides how BLEU splits words")
    return TestSet(None, read_aligned_texts(system, files)[1], language)


def read_test_set(translator: Translator, files: Sequence[Path], language: str | None = None) -> TestSet:
    """Read a model's test set: SOURCE and REFERENCE files, or one file of pairs.

    Raises:
        DataError: line counts differ, or a file cannot be read.
        ConfigError: files are missing from the call.

    """
    data = translator.config.data
    learned = translator.target_language()
    language = language or learned
    if len(files) == 1 and format_of(files[0]):
        direction, corpus = next(item for item in directions(data).items() if item[0].target == learned)
        pairs = list(
            read_pairs(
                files,
                languages=(direction.source, language),
                columns=corpus.columns or data.columns,
                fields=corpus.fields or data.fields,
                report=ReadingReport(),
            )
        )
        return TestSet([pair.source for pair in pairs], [[pair.target for pair in pairs]], language)
    if len(files) < 2:
        raise ConfigError("give SOURCE and REFERENCE files, or one file of pairs (.tsv .jsonl .tmx .po .mo)")
    sources, references = read_aligned_texts(files[0], files[1:])
    return TestSet(sources, references, language)


def _hypotheses(system: Translator | Path, test: TestSet) -> tuple[list[str], dict[str, int]]:
    if isinstance(system, Path):
        return read_lines(system), {}
    if test.sources is None:
        raise ConfigError("a model can be compared only where the sources are given")
    found = system.translate(test.sources)
    return [translation.text for translation in found], dict(Counter(flag for one in found for flag in one.flags))
