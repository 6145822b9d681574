"""PO, the text form of gettext's message catalogues, through polib."""

import codecs
import re
from collections.abc import Iterator
from pathlib import Path

import polib

from ferryman.corpus.charset import check_charset, decode
from ferryman.corpus.lines import read_all
from ferryman.corpus.pair import Pair
from ferryman.corpus.readers.catalogue import read_catalogue
from ferryman.corpus.report import ReadingReport
from ferryman.errors import DataError

_CHARSET = re.compile(rb'Content-Type:[^"\n]*?charset=\s*([\w.:-]+)', re.IGNORECASE)
_PLACE = re.compile(r"\(line (\d+)\)(?:: (.*))?")
_LINE = re.compile(r'#.*|((msg(ctxt|id|id_plural|str(\[\d+\])?)\s+)?"([^"\\]|\\.)*")?')


class _Lines(str):
    """A text that polib cuts at LF alone; ``str.splitlines`` would cut a message at U+2028 or U+0085 inside it."""

    __slots__ = ()

    def splitlines(self, keepends: bool = False) -> list[str]:
        return self.split("\n")


def read_po(path: Path, languages: tuple[str, str], report: ReadingReport) -> Iterator[Pair]:
    """Read a PO file's messages; see ``read_catalogue`` for what becomes a pair.

    The charset is the header's, else UTF-8; gettext's placeholder ``CHARSET`` in templates counts as none.

    Raises:
        DataError: not the charset that the header names, an unknown one, or a line that is not PO syntax.
    """
    data = read_all(path)
    found = _CHARSET.search(data)
    name = found[1].decode("ascii", "replace") if found and found[1] != b"CHARSET" else "utf-8"
    text = decode(data.removeprefix(codecs.BOM_UTF8), check_charset(name, str(path)), str(path))
    _check_lines(text, path)
    try:
        messages = polib.pofile(_Lines(text.replace("\r\n", "\n") + "\n"))
    except OSError as error:
        place = _PLACE.search(str(error))
        line, reason = (place[1], place[2] or "unexpected here") if place else ("?", str(error))
        raise DataError(f"{path}, line {line}: not PO syntax: {reason}; msgfmt -c names all such lines") from error
    return read_catalogue(messages, path, languages, report)


def _check_lines(text: str, path: Path) -> None:
    """Refuse lines without a whole string; of one that is not closed polib would silently drop the last character."""
    for number, line in enumerate(text.split("\n"), start=1):
        if not _LINE.fullmatch(line.strip()):
            raise DataError(
                f"{path}, line {number}: not PO syntax: a keyword and one string in quotation marks is wanted"
            )
