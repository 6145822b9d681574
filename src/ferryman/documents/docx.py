"""Word documents (DOCX): paragraphs are translated; styles, tables, pictures, fields, notes and links stay.

A paragraph is in runs, each of one format. What has not the paragraph's usual format is enclosed in tags, as links are;
what is no text (a picture, a tab, a field, a note's sign) is a tag by itself. All other parts of the file are copied.
"""

import io
import re
import struct
import zipfile
import zlib
from collections.abc import Iterator, Sequence
from functools import partial

from ferryman.documents.document import Document, Edit, Found, Lines, Reading, Segment, changes, edited
from ferryman.documents.docx_runs import Code, paragraph_pieces, usual_format, write_pieces
from ferryman.documents.encoding import Decoded
from ferryman.documents.inline import TEXT, Content, Piece
from ferryman.documents.xml import Element, read_xml
from ferryman.errors import DataError

LARGEST_BYTES = 1 << 29  # unpacked
_PART = re.compile(r"word/(?:document|header\d*|footer\d*|footnotes|endnotes)\.xml")
_MAIN = "word/document.xml"
DAMAGED = (zipfile.BadZipFile, zlib.error, NotImplementedError, EOFError, OSError, ValueError, struct.error)
"""What Python says of archives that are damaged in one way or another."""


def read_docx(data: bytes, reading: Reading) -> Document:
    """Read a Word document: its text, headers, footers and notes.

    Raises:
        DataError: no Word document, a damaged or encrypted one, or one that unpacks to more than half a gigabyte.

    """
    found = Found()
    archive = _open(data, reading.name)
    parts: list[tuple[str, Decoded, int]] = []  # its name and text, and up to which segment it goes
    for name in sorted(filter(_PART.fullmatch, archive.namelist()), key=lambda name: (name != _MAIN, name)):
        file, root = read_xml(_unpacked(archive, name, reading.name), f"{reading.name}, {name}")
        lines = Lines(file.text)
        for number, paragraph in enumerate(root.find("p"), start=1):
            _add(file.text, paragraph, lines.at(paragraph.start[0]) if name != _MAIN else number, found)
        parts.append((name, file, len(found.segments)))

    def write(translations: Sequence[str | None]) -> bytes:
        new: dict[str, bytes] = {}
        first = 0
        for name, file, last in parts:
            edits = changes(found.segments[first:last], translations[first:last])
            if edits:
                new[name] = file.encode(edited(file.text, edits), "xmlcharrefreplace")
            first = last
        return _packed(archive, new, reading.name) if new else data

    return Document(found.segments, found.kept, write)


def _open(data: bytes, name: str) -> zipfile.ZipFile:
    try:
        archive = zipfile.ZipFile(io.BytesIO(data))
    except DAMAGED as error:
        raise DataError(f"{name}: no Word document, or a damaged one: {error}") from error
    infos = archive.infolist()
    if _MAIN not in archive.namelist():
        raise DataError(f"{name}: no Word document: there is no {_MAIN} in it")
    if any(info.flag_bits & 1 for info in infos):
        raise DataError(f"{name}: an encrypted document; save it without a password")
    if len(archive.NameToInfo) < len(infos):
        raise DataError(f"{name}: no Word document, or a damaged one: it has two parts of one name")
    if (size := sum(info.file_size for info in infos)) > LARGEST_BYTES:
        raise DataError(f"{name}: unpacks to {size:,} bytes, of which {LARGEST_BYTES:,} are allowed")
    return archive


def _unpacked(archive: zipfile.ZipFile, part: str | zipfile.ZipInfo, name: str) -> bytes:
    try:
        return archive.read(part)
    except DAMAGED as error:
        damaged = part if isinstance(part, str) else part.filename
        raise DataError(f"{name}: damaged in {damaged}: {error}") from error


def _packed(archive: zipfile.ZipFile, new: dict[str, bytes], name: str) -> bytes:
    """Pack the document again, with new parts and all others as they were."""
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as packed:
        for info in archive.infolist():
            content = new.get(info.filename)
            packed.writestr(info, _unpacked(archive, info, name) if content is None else content, info.compress_type)
    return stream.getvalue()


def _add(text: str, paragraph: Element, line: int, found: Found) -> None:
    pieces = list(paragraph_pieces(text, paragraph))
    content = Content.trimmed(pieces, folded=False)
    if content.has_words:
        found.segments.append(Segment(content.source, partial(_write, text, paragraph, pieces, content), line))
    elif any(piece.kind is TEXT and piece.text.strip() for piece in pieces):
        found.kept["no words"] += 1


def _write(text: str, paragraph: Element, pieces: list[Piece], content: Content, translation: str) -> list[Edit]:
    """Write all that is in a paragraph anew, but for its properties."""
    first = next(at for at, piece in enumerate(pieces) if piece is content.pieces[0])
    last = first + len(content.pieces)
    properties = paragraph.child("pPr")
    start = properties.span[1] if properties else paragraph.inner[0]
    space = _space(content.pieces)
    new = [space[0], *content.arrange(translation), space[1]]
    everything: list[str | Piece] = [*_said(pieces[:first]), *new, *_said(pieces[last:])]
    prefix = text[paragraph.start[0] + 1 :].partition("p")[0]
    return [Edit(start, paragraph.inner[1], tuple(write_pieces(everything, usual_format(pieces), prefix)))]


def _said(pieces: Sequence[Piece]) -> Iterator[str | Piece]:
    return (piece if isinstance(piece, Code) else piece.text for piece in pieces)


def _space(pieces: Sequence[Piece]) -> tuple[str, str]:
    """Return the white space at both ends, which is not translated."""
    first, last = (piece.text if piece.kind is TEXT else "" for piece in (pieces[0], pieces[-1]))
    return first[: len(first) - len(first.lstrip())], last[len(last.rstrip()) :]
