"""Strings of Java (``.properties``) and Apple (``.strings``): values are translated; keys and comments stay."""

import re
from collections.abc import Callable
from functools import partial

from ferryman.documents.document import Document, Edit, Found, Lines, Reading, Segment
from ferryman.documents.encoding import as_document, decoded
from ferryman.documents.json_strings import reason_to_keep
from ferryman.errors import DataError

_PROPERTY = re.compile(
    r"^[ \t\f]*(?:[#!][^\r\n]*|(?P<key>(?:[^\\\s:=]|\\.)+)(?:[ \t\f]*[:=][ \t\f]*|[ \t\f]+|(?=[\r\n]|\Z))"
    r"(?P<value>(?:[^\\\r\n]|\\(?:\r\n|[\s\S]))*))",
    re.MULTILINE,
)
_STRING = re.compile(r'/\*[\s\S]*?\*/|//[^\n]*|"(?:[^"\\]|\\[\s\S])*"\s*=\s*"(?P<value>(?:[^"\\]|\\[\s\S])*)"\s*;|\s+')
_ESCAPE = re.compile(r"\\(?:u([0-9a-fA-F]{4})|U([0-9a-fA-F]{4})|(\r?\n[ \t]*)|([\s\S]))")
_MEANINGS = {"n": "\n", "t": "\t", "r": "\r", "f": "\f"}


def read_properties(data: bytes, reading: Reading) -> Document:
    r"""Read a ``.properties`` file: UTF-8 or, if it is not that, Latin 1; non-ASCII as ``\uXXXX`` if the file is ASCII.

    Raises:
        DataError: an unknown encoding.

    """
    try:
        file = decoded(data, reading.name)
    except DataError:
        file = decoded(data, reading.name, "iso-8859-1")
    found, lines = Found(), Lines(file.text)
    escape = _java_in_ascii if file.text.isascii() or file.charset == "iso-8859-1" else _java
    for one in _PROPERTY.finditer(file.text):
        if one["key"] is not None:
            _add(one, lines, escape, found)
    return as_document(file, found)


def read_strings(data: bytes, reading: Reading) -> Document:
    """Read a ``.strings`` file.

    Raises:
        DataError: something else than comments and ``"key" = "value";``.

    """
    file, found = decoded(data, reading.name), Found()
    lines, at = Lines(file.text), 0
    while at < len(file.text):
        one = _STRING.match(file.text, at)
        if one is None:
            raise DataError(f'{reading.name}, line {lines.at(at)}: expected "key" = "value";')
        if one["value"] is not None:
            _add(one, lines, _apple, found)
        at = one.end()
    return as_document(file, found)


def _add(one: re.Match[str], lines: Lines, escape: Callable[[str], str], found: Found) -> None:
    value = _ESCAPE.sub(_meaning, one["value"]).encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    if reason := reason_to_keep(value):
        found.kept[reason] += 1
        return
    source = value.strip()
    write = partial(_write, one.span("value"), value.partition(source), escape)
    found.segments.append(Segment(source, write, lines.at(one.start("value"))))


def _meaning(escape: re.Match[str]) -> str:
    code = escape[1] or escape[2]
    if code:
        return chr(int(code, 16))
    return "" if escape[3] else _MEANINGS.get(escape[4], escape[4])


def _write(
    span: tuple[int, int], around: tuple[str, str, str], escape: Callable[[str], str], translation: str
) -> list[Edit]:
    return [Edit(*span, (escape(around[0] + translation + around[2]),))]


def _escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace("\n", "\\n").replace("\t", "\\t")


def _apple(text: str) -> str:
    return _escaped(text).replace('"', '\\"')


def _java(text: str) -> str:
    escaped = _escaped(text)
    return "\\" + escaped if escaped.startswith(" ") else escaped


def _java_in_ascii(text: str) -> str:
    return "".join(sign if sign.isascii() else _code_units(sign) for sign in _java(text))


def _code_units(sign: str) -> str:
    data = sign.encode("utf-16-be")
    return "".join(f"\\u{data[at : at + 2].hex()}" for at in range(0, len(data), 2))
