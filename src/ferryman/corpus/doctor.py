"""The data doctor: everything that is wrong with a corpus, in one pass and without stopping at the first problem."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ferryman.config import CleaningConfig
from ferryman.corpus.cleaning import clean
from ferryman.corpus.held_out import HeldOut, digest
from ferryman.corpus.pair import Pair
from ferryman.corpus.reading import read_pairs
from ferryman.corpus.report import CleaningReport, ReadingReport, Tally, remark_on_amount
from ferryman.corpus.shift import ShiftWatch
from ferryman.corpus.symptoms import signs_for, symptoms
from ferryman.errors import DataError


@dataclass(slots=True)
class Report:
    """A corpus's state of health."""

    files: list[str]
    reading: ReadingReport = field(default_factory=lambda: ReadingReport(tolerant=True))
    cleaning: CleaningReport = field(default_factory=CleaningReport)
    """What training would keep and drop."""
    warnings: Tally = field(default_factory=Tally)
    """What looks wrong, with the first places; such pairs are kept all the same."""

    @property
    def ok(self) -> bool:
        """Whether there is a corpus and all of it could be read; warnings and dropped pairs do not count."""
        return not self.reading.problems.counts and not self.reading.broken_files and self.reading.read > 0

    def to_json(self) -> dict[str, Any]:
        """Give the report as a value that ``json`` can write."""
        return {
            "files": self.files,
            "ok": self.ok,
            "reading": self.reading.to_json(),
            "cleaning": self.cleaning.to_json(),
            "warnings": self.warnings.to_json(),
        }

    def to_text(self) -> str:
        """Give the report as lines for people."""
        lines = [", ".join(self.files), self.reading.to_text(), self.cleaning.to_text()]
        if self.warnings.counts:
            lines += ["worth a look:", *self.warnings.to_lines()]
        if remark := remark_on_amount(self.cleaning.kept):
            lines.append(remark)
        return "\n".join(lines)


def examine(
    paths: Sequence[Path],
    *,
    languages: tuple[str, str],
    columns: tuple[int, int] = (1, 2),
    fields: tuple[str, str] = ("source", "target"),
    rules: CleaningConfig | None = None,
    held_out: HeldOut | None = None,
) -> Report:
    """Read and clean a corpus as training would, and look for signs of trouble in what was read.

    Lines that cannot be read are noted with file, line and byte, and the reading goes on after them. Needs memory for
    some 250 bytes a pair.

    Args:
        paths: as for ``read_pairs``.
        languages: source and target language; unknown (empty) ones leave out what depends on them.
        columns: as for ``read_pairs``.
        fields: as for ``read_pairs``.
        rules: the cleaner's limits; the defaults if left out.
        held_out: validation and test pairs to look for in the corpus.
    """
    report = Report([str(path) for path in paths])
    pairs = read_pairs(paths, languages=languages, columns=columns, fields=fields, report=report.reading)
    target_file = str(paths[1]) if len(paths) == 2 else None
    watched = _watch(_tolerated(pairs, report.reading), languages, report.warnings, target_file)
    for _ in clean(watched, rules or CleaningConfig(), held_out=held_out or HeldOut(), report=report.cleaning):
        pass
    return report


def _tolerated(pairs: Iterator[Pair], report: ReadingReport) -> Iterator[Pair]:
    """Note what ended the reading for good: a missing or unknown file."""
    try:
        yield from pairs
    except DataError as error:
        report.refuse("cannot go on", error)


def _watch(
    pairs: Iterator[Pair], languages: tuple[str, str], warnings: Tally, target_file: str | None
) -> Iterator[Pair]:
    """Look at each pair as it goes by; what is odd about a target is in ``target_file``, if it has one of its own."""
    signs = signs_for(languages[0]), signs_for(languages[1])
    shift = ShiftWatch()
    targets: dict[int, int] = {}
    for pair in pairs:
        for symptom in symptoms(pair, signs):
            in_target = symptom.startswith("target") and target_file is not None
            warnings.add(symptom, f"{target_file}:{pair.line}" if in_target else pair.place)
        target = digest(pair.target)
        if targets.setdefault(digest(pair.source), target) != target:
            warnings.add("source seen before with another target", pair.place)
        for suspicion in shift.add(pair):
            warnings.add("pairs that look shifted", suspicion)
        yield pair
    for suspicion in shift.finish():
        warnings.add("pairs that look shifted", suspicion)
