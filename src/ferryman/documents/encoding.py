"""Bytes to text and back, whatever the file's encoding; its byte order mark and line ends stay."""

import codecs
from collections.abc import Sequence
from dataclasses import dataclass

from ferryman.corpus.charset import check_charset, decode
from ferryman.documents.document import Document, Found, changes, edited
from ferryman.errors import DataError

_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)


@dataclass(frozen=True)
class Decoded:
    """A file's text, and what it takes to write it again."""

    text: str
    charset: str
    mark: bytes
    name: str

    def encode(self, text: str, errors: str = "strict") -> bytes:
        """Encode a text as the file was.

        Raises:
            DataError: the translation has characters that the file's encoding lacks.

        """
        try:
            return self.mark + text.encode(self.charset, errors)
        except UnicodeEncodeError as error:
            raise DataError(
                f"{self.name}: its encoding, {self.charset}, has no {error.object[error.start]!r}, which the "
                "translation needs; convert the file to UTF-8 first"
            ) from error


def decoded(data: bytes, name: str, declared: str | None = None) -> Decoded:
    """Decode a file by its byte order mark, else by what it declares, else as UTF-8.

    Raises:
        DataError: the bytes are not of that encoding, or it is unknown.

    """
    for mark, charset in _MARKS:
        if data.startswith(mark):
            return Decoded(decode(data[len(mark) :], charset, name), charset, mark, name)
    if declared is not None:
        charset = check_charset(declared, name)
        return Decoded(decode(data, charset, name), charset, b"", name)
    try:
        return Decoded(data.decode(), "utf-8", b"", name)
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise DataError(
            f"{name}, line {line}, byte {error.start + 1} of the file: 0x{data[error.start]:02x} is not valid UTF-8; "
            "convert the file to UTF-8"
        ) from error


def as_document(file: Decoded, found: Found, errors: str = "strict") -> Document:
    """Make a document of a file of text and of what was found in it.

    Args:
        file: the text.
        found: segments, and what is kept.
        errors: what to write for characters that the file's encoding lacks; see ``codecs``.

    """

    def write(translations: Sequence[str | None]) -> bytes:
        return file.encode(edited(file.text, changes(found.segments, translations)), errors)

    return Document(found.segments, found.kept, write)
