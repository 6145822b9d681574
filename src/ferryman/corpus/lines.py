"""Bytes to lines: gzip opened, lines ended at LF alone, UTF-8 checked to the byte.

``str.splitlines`` cuts a line at nine other characters too (U+2028, U+0085, form feed …), which shifts one side of
aligned files against the other. So files are read as bytes and cut at LF; a CR before it belongs to the line end.
"""

import gzip
import shlex
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, NamedTuple, cast

from ferryman.errors import DataError

CHUNK_BYTES = 1 << 20
_BOM = b"\xef\xbb\xbf"
_GZIP = b"\x1f\x8b"
_WIDE_BOMS = (b"\xff\xfe", b"\xfe\xff")


@contextmanager
def open_bytes(path: Path) -> Iterator[BinaryIO]:
    """Open a file for reading bytes, unpacked if its first bytes say gzip, whatever its name.

    Raises:
        DataError: the file is missing, may not be read or is a damaged gzip file.
    """
    try:
        with path.open("rb") as file:
            if file.peek(2)[:2] != _GZIP:
                yield file
                return
            with gzip.open(file) as unpacked:
                yield cast(BinaryIO, unpacked)
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise DataError(f"{path}: damaged gzip file ({error}); fetch or pack it again") from error
    except OSError as error:
        raise DataError(f"{path}: cannot be read: {error.strerror or error}") from error


class RawLine(NamedTuple):
    """A line's bytes, its end included, and where they stand."""

    path: Path
    number: int
    """Counted from 1."""
    offset: int
    """Bytes of the (unpacked) file before this line."""
    data: bytes

    def text(self) -> str:
        """Decode the line, without its end and without a byte order mark at the file's start.

        Raises:
            DataError: the line is not UTF-8; names file, line, byte (in the line and in the file, from 1) and value.
        """
        data = self.data.removesuffix(b"\n").removesuffix(b"\r")
        skipped = len(_BOM) if self.number == 1 and data.startswith(_BOM) else 0
        try:
            return data[skipped:].decode("utf-8")
        except UnicodeDecodeError as error:
            at = skipped + error.start
            raise DataError(
                f"{self.path}, line {self.number}, byte {at + 1} (byte {self.offset + at + 1} of the file): "
                f"0x{data[at]:02x} is not valid UTF-8 ({error.reason}); correct the line or convert the file to UTF-8"
            ) from error


def raw_lines(path: Path) -> Iterator[RawLine]:
    """Give a file's lines one by one; a last line without LF counts.

    Raises:
        DataError: the file cannot be read or is UTF-16.
    """
    with open_bytes(path) as file:
        yield from stream_lines(file, path)


def stream_lines(file: BinaryIO, path: Path) -> Iterator[RawLine]:
    """Give the lines of an open file, such as standard input, one by one; ``path`` names it in messages."""
    offset = 0
    for number, data in enumerate(file, start=1):
        if number == 1:
            _refuse_wide(path, data)
        yield RawLine(path, number, offset, data)
        offset += len(data)


def count_lines(path: Path) -> int:
    """Count a file's lines as ``raw_lines`` would give them, in bounded memory."""
    count, last = 0, b""
    with open_bytes(path) as file:
        while chunk := file.read(CHUNK_BYTES):
            if not last:
                _refuse_wide(path, chunk)
            count += chunk.count(b"\n")
            last = chunk[-1:]
    return count + (last not in (b"", b"\n"))


def unequal_counts(first: Path, *others: Path) -> DataError | None:
    """Count the lines of files that belong together line by line; give the error to raise if the counts differ."""
    count = count_lines(first)
    for path in others:
        if (found := count_lines(path)) != count:
            return DataError(
                f"{first} has {count} lines but {path} has {found}: line N of one must match line N of the other; "
                "find where they part"
            )
    return None


def read_all(path: Path) -> bytes:
    """Read a whole file, unpacked."""
    with open_bytes(path) as file:
        return file.read()


def _refuse_wide(path: Path, start: bytes) -> None:
    """Refuse UTF-16 and UTF-32, told by their byte order mark or by zero bytes in every other place."""
    head = start[:256]
    if head.startswith(_WIDE_BOMS) or head.count(0) * 4 > len(head):
        command = "iconv -f UTF-16 -t UTF-8"
        if path.exists():
            command += f" {shlex.quote(path.name)} > {shlex.quote(f'utf8-{path.name}')}"
        else:  # standard input
            command = f"… | {command} | …"
        raise DataError(
            f"{path}: not UTF-8 but UTF-16 (or another wide encoding); convert it, for example with: {command}"
        )
