"""Messages of protocol buffers as they lie in a file: enough to look into SentencePiece models and ONNX graphs."""

from collections.abc import Iterator
from typing import NamedTuple

_VARINT, _EIGHT, _BYTES, _FOUR = 0, 1, 2, 5
_FIXED = {_EIGHT: 8, _FOUR: 4}
_LONGEST = 10  # bytes of a number of 64 bits


class Field(NamedTuple):
    """One field of a message."""

    number: int
    value: int | memoryview
    """A number, or the bytes of whatever else; these are not copied."""
    whole: memoryview
    """With its tag."""


def fields(message: memoryview) -> Iterator[Field]:
    """Walk through the fields of a message.

    Raises:
        ValueError: it is none, or cut off.

    """
    at = 0
    while at < len(message):
        start = at
        tag, at = _varint(message, at)
        number, kind = tag >> 3, tag & 7
        value: int | memoryview
        if kind == _VARINT:
            value, at = _varint(message, at)
        else:
            size, at = _varint(message, at) if kind == _BYTES else (_FIXED.get(kind, -1), at)
            if size < 0 or at + size > len(message):
                raise ValueError("not a message, or one that is cut off")
            value, at = message[at : at + size], at + size
        yield Field(number, value, message[start:at])


def packed(numbers: memoryview) -> Iterator[int]:
    """Read numbers that stand in one field.

    Raises:
        ValueError: the last is cut off.

    """
    at = 0
    while at < len(numbers):
        number, at = _varint(numbers, at)
        yield number


def write_bytes_field(number: int, value: bytes) -> bytes:
    """Write a field that holds bytes."""
    return _write_varint(number << 3 | _BYTES) + _write_varint(len(value)) + value


def _varint(message: memoryview, at: int) -> tuple[int, int]:
    number = 0
    for place, byte in enumerate(message[at : at + _LONGEST]):
        number |= (byte & 0x7F) << 7 * place
        if byte < 0x80:
            return number, at + place + 1
    raise ValueError("not a message, or one that is cut off")


def _write_varint(number: int) -> bytes:
    written = bytearray()
    while number > 0x7F:
        written.append(number & 0x7F | 0x80)
        number >>= 7
    return bytes([*written, number])
