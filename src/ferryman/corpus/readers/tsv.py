"""Tab-separated columns, two of which are a pair. There is no quoting: a quotation mark is text."""

from collections.abc import Iterator
from pathlib import Path

from ferryman.corpus.lines import RawLine, raw_lines
from ferryman.corpus.pair import Pair
from ferryman.corpus.report import ReadingReport
from ferryman.errors import DataError


def read_tsv(path: Path, columns: tuple[int, int], report: ReadingReport) -> Iterator[Pair]:
    """Read the two columns (counted from 1) of a TSV file; empty lines are skipped and counted.

    Raises:
        DataError: a line has fewer columns, or is not UTF-8.
    """
    for line in raw_lines(path):
        if not line.data.strip():
            report.skipped["blank line"] += 1
            continue
        try:
            pair = _pair(line, columns)
        except DataError as error:
            report.refuse("bad TSV line", error)
        else:
            yield pair


def _pair(line: RawLine, columns: tuple[int, int]) -> Pair:
    cells = line.text().split("\t")
    if max(columns) > len(cells):
        raise DataError(
            f"{line.path}, line {line.number}: column {max(columns)} is wanted but there are only {len(cells)} "
            "(columns end at tabs); correct the line or set data.columns"
        )
    return Pair(cells[columns[0] - 1], cells[columns[1] - 1], str(line.path), line.number)
