"""Files to pairs: the one door through which every corpus comes in."""

from collections.abc import Iterator, Sequence
from pathlib import Path

from ferryman.corpus.files import FORMATS, expand, format_of, is_pattern
from ferryman.corpus.languages import OtherLanguageError
from ferryman.corpus.pair import Pair
from ferryman.corpus.readers import read_aligned, read_jsonl, read_mo, read_po, read_tmx, read_tsv
from ferryman.corpus.report import ReadingReport
from ferryman.errors import DataError


def read_pairs(
    paths: Sequence[Path],
    *,
    languages: tuple[str, str],
    columns: tuple[int, int] = (1, 2),
    fields: tuple[str, str] = ("source", "target"),
    report: ReadingReport,
) -> Iterator[Pair]:
    """Read a corpus pair by pair, in bounded memory.

    Args:
        paths: two aligned text files; or one file of pairs, its format told by its ending (``.tsv .jsonl .tmx .po
            .mo``); or one folder or pattern that stands for many such files, read in sorted order. Any of them may be
            gzipped. A broken file stops everything, unless it was found by a pattern: then it is left out (what was
            already read of it stays) and named in the report. Among many files, those in another language are passed
            over and counted.
        languages: source and target language (BCP-47); TMX needs them, PO and MO check them.
        columns: which columns of a TSV file hold source and target, from 1.
        fields: which keys of a JSON lines object hold source and target.
        report: counts what was read, skipped and met.

    Raises:
        DataError: a file is missing, not what its name claims or of a format not known here.
    """
    for pair in _open(paths, languages, columns, fields, report):
        yield report.admit(pair)


def _open(
    paths: Sequence[Path],
    languages: tuple[str, str],
    columns: tuple[int, int],
    fields: tuple[str, str],
    report: ReadingReport,
) -> Iterator[Pair]:
    if len(paths) == 2:
        yield from read_aligned(paths[0], paths[1], report)
        return
    if len(paths) != 1:
        raise DataError(f"{len(paths)} files: a corpus is two aligned text files or one file of pairs")
    files = expand(paths[0])
    for file in files:
        try:
            yield from _read_one(file, languages, columns, fields, report)
        except OtherLanguageError as error:
            if len(files) > 1:
                report.skipped["file in another language"] += 1
            else:
                report.refuse("file in another language", error)
        except DataError as error:
            if is_pattern(paths[0]):
                report.broken_files[str(file)] = str(error)
            else:
                report.refuse("broken file", error)


def _read_one(
    file: Path,
    languages: tuple[str, str],
    columns: tuple[int, int],
    fields: tuple[str, str],
    report: ReadingReport,
) -> Iterator[Pair]:
    match format_of(file):
        case ".tsv":
            return read_tsv(file, columns, report)
        case ".jsonl":
            return read_jsonl(file, fields, report)
        case ".tmx":
            return read_tmx(file, languages, report)
        case ".po":
            return read_po(file, languages, report)
        case ".mo":
            return read_mo(file, languages, report)
        case _:
            raise DataError(
                f"{file}: not a known format of pairs ({' '.join(FORMATS)}, each also with .gz); "
                "plain text needs two aligned files, one a language"
            )
