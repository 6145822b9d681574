"""MO, the compiled form of gettext's message catalogues, through polib."""

import re
import struct
from collections.abc import Iterator
from pathlib import Path

import polib

from ferryman.corpus.charset import check_charset
from ferryman.corpus.lines import read_all
from ferryman.corpus.pair import Pair
from ferryman.corpus.readers.catalogue import read_catalogue
from ferryman.corpus.report import ReadingReport
from ferryman.errors import DataError

_CHARSET = re.compile(rb"Content-Type:[^\n]*?charset=\s*([\w.:-]+)", re.IGNORECASE)
_ORDERS = {b"\xde\x12\x04\x95": "<", b"\x95\x04\x12\xde": ">"}


def read_mo(path: Path, languages: tuple[str, str], report: ReadingReport) -> Iterator[Pair]:
    """Read an MO file's messages; see ``read_catalogue`` for what becomes a pair.

    The charset is the header's, else UTF-8.

    Raises:
        DataError: not an MO file, a truncated one, an unknown charset or bytes that are not of it.
    """
    data = read_all(path)
    _check_tables(data, path)
    found = _CHARSET.search(data)
    charset = check_charset(found[1].decode("ascii", "replace") if found else "utf-8", str(path))
    try:
        messages = polib.mofile(data, encoding=charset)
    except UnicodeDecodeError as error:
        byte = error.object[error.start]
        message = (
            f"{path}: a message holds the byte 0x{byte:02x}, which is not valid {charset}, the charset it declares"
        )
        raise DataError(message) from error
    except (OSError, struct.error) as error:
        raise DataError(f"{path}: not a readable MO file: {error}") from error
    return read_catalogue(messages, path, languages, report)


def _check_tables(data: bytes, path: Path) -> None:
    """Refuse what is no MO file and strings that lie past its end, which polib would read as shorter ones."""
    order = _ORDERS.get(data[:4])
    if order is None:
        raise DataError(f"{path}: not an MO file (it starts with {data[:4].hex(' ') or 'nothing'})")
    try:
        count, *tables = struct.unpack_from(f"{order}3I", data, 8)
        strings = (struct.unpack_from(f"{order}2I", data, table + 8 * row) for table in tables for row in range(count))
        end = max((length + offset for length, offset in strings), default=0)
    except struct.error as error:
        raise DataError(
            f"{path}: truncated MO file: its table of messages is cut off at {len(data):,} bytes"
        ) from error
    if end > len(data):
        raise DataError(f"{path}: truncated MO file: it has {len(data):,} bytes but messages up to byte {end:,}")
