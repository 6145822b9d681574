"""Plain text: a line is a segment, its indentation, line end and the empty lines between stay."""

import re

from ferryman.corpus.characters import is_blank
from ferryman.documents.document import Document, Edit, Found, Reading, Segment
from ferryman.documents.encoding import as_document, decoded

_LINE = re.compile(r"[^\r\n]+")
_BREAKS = re.compile(r"\s*[\r\n]+\s*")


def read_text(data: bytes, reading: Reading) -> Document:
    """Read a file of plain text.

    Raises:
        DataError: it is not UTF-8, nor another encoding told by a byte order mark.

    """
    file, found = decoded(data, reading.name), Found()
    for number, line in _lines(file.text):
        if not is_blank(line.group()):
            found.segments.append(line_segment(line.group(), line.start(), number))
    return as_document(file, found)


def _lines(text: str) -> list[tuple[int, re.Match[str]]]:
    """Find the lines that are not empty, with their numbers."""
    lines, number, last = [], 1, 0
    for line in _LINE.finditer(text):
        number += len(re.findall(r"\r\n|\n|\r", text[last : line.start()]))
        lines.append((number, line))
        last = line.end()
    return lines


def line_segment(text: str, start: int, line: int) -> Segment:
    """Make a segment of a text on one line, which begins at a place in the file; white space around it stays."""
    source = text.strip()
    first = start + text.index(source)

    def write(translation: str) -> list[Edit]:
        return [Edit(first, first + len(source), (_BREAKS.sub(" ", translation.strip()),))]

    return Segment(source, write, line)
