"""Two text files, line N of one the translation of line N of the other."""

from collections.abc import Iterator
from pathlib import Path

from ferryman.corpus.lines import raw_lines, unequal_counts
from ferryman.corpus.pair import Pair
from ferryman.corpus.report import ReadingReport
from ferryman.errors import DataError


def read_aligned(source: Path, target: Path, report: ReadingReport) -> Iterator[Pair]:
    """Read two aligned files; both are counted before the first pair is given.

    Raises:
        DataError: the counts differ (with both), or a line is not UTF-8.
    """
    if error := unequal_counts(source, target):
        report.refuse("line counts differ", error)
    for left, right in zip(raw_lines(source), raw_lines(target), strict=False):
        try:
            pair = Pair(left.text(), right.text(), str(source), left.number)
        except DataError as broken:
            report.refuse("line that is not UTF-8", broken)
        else:
            yield pair
