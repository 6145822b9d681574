"""Two text files, line N of one the translation of line N of the other."""

from collections.abc import Iterator
from pathlib import Path

from ferryman.corpus.lines import count_lines, raw_lines
from ferryman.corpus.pair import Pair
from ferryman.corpus.report import ReadingReport
from ferryman.errors import DataError


def read_aligned(source: Path, target: Path, report: ReadingReport) -> Iterator[Pair]:
    """Read two aligned files; both are counted before the first pair is given.

    Raises:
        DataError: the counts differ (with both), or a line is not UTF-8.
    """
    counts = count_lines(source), count_lines(target)
    if counts[0] != counts[1]:
        message = (
            f"{source} has {counts[0]:,} lines but {target} has {counts[1]:,}: line N of one must translate line N"
        )
        report.refuse("line counts differ", DataError(f"{message} of the other; find where they part"))
    for left, right in zip(raw_lines(source), raw_lines(target), strict=False):
        try:
            pair = Pair(left.text(), right.text(), str(source), left.number)
        except DataError as error:
            report.refuse("line that is not UTF-8", error)
        else:
            yield pair
