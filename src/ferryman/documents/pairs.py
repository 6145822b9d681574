"""Pairs of texts that somebody has translated: the rows of a translation memory or glossary (TMX or TSV)."""

from collections.abc import Iterator
from pathlib import Path

from ferryman.corpus.readers.tmx import read_tmx
from ferryman.corpus.readers.tsv import read_tsv
from ferryman.corpus.report import ReadingReport
from ferryman.errors import ConfigError


def read_pairs(path: Path, languages: tuple[str, str], key: str) -> Iterator[tuple[str, str]]:
    """Give the pairs of a file, blank ones left out.

    Args:
        path: a TMX file, or a TSV file of source and target.
        languages: source and target, for TMX.
        key: the setting that names the file, for messages.

    Raises:
        ConfigError: the file is missing or of another kind.
        DataError: it is not what its name says.

    """
    if not path.is_file():
        raise ConfigError(f"{key}: {path}: {'this is a folder' if path.exists() else 'no such file'}")
    report = ReadingReport()
    if path.suffix.lower() == ".tmx":
        pairs = read_tmx(path, languages, report)
    elif path.suffix.lower() == ".tsv":
        pairs = read_tsv(path, (1, 2), report)
    else:
        raise ConfigError(f"{key}: {path}: expected a .tmx or .tsv file")
    for pair in pairs:
        if pair.source.strip() and pair.target.strip():
            yield pair.source.strip(), pair.target.strip()
