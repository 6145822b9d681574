"""Bytes of a declared charset to text, refused where either does not fit."""

import codecs

from ferryman.errors import DataError


def check_charset(name: str, where: str) -> str:
    """Return the charset's name if Python can decode it.

    Raises:
        DataError: it is unknown or no charset (base64 and the like).
    """
    try:
        codecs.lookup(name)
        b" ".decode(name, "replace")
    except (LookupError, ValueError) as error:
        raise DataError(f"{where}: unknown charset '{name}'; correct it or convert the file to UTF-8") from error
    return name


def decode(data: bytes, charset: str, where: str) -> str:
    """Decode all of a file's bytes.

    Raises:
        DataError: they are not of this charset; names line, byte (of the file, from 1) and value.
    """
    try:
        return data.decode(charset)
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise DataError(
            f"{where}, line {line}, byte {error.start + 1} of the file: 0x{data[error.start]:02x} "
            f"is not valid {charset}, the charset it declares; correct the bytes or the declaration"
        ) from error
