"""JSON string files (i18next, ARB, web extensions): values are translated; keys, numbers and layout stay."""

import json
import re
from functools import partial

from ferryman.corpus.characters import is_blank
from ferryman.documents.document import Document, Edit, Found, Lines, Reading, Segment
from ferryman.documents.encoding import as_document, decoded
from ferryman.errors import DataError
from ferryman.text.protected import find_spans
from ferryman.text.slots import has_words, take_out

_TOKEN = re.compile(r'["{}\[\]]')
_STRING = json.JSONDecoder()
_COLON = re.compile(r"\s*:")
_CHOICE = re.compile(r"\{\s*\w+\s*,\s*(?:plural|select|selectordinal)\s*,")
_ABOUT = ("@", "$")  # keys of ARB and of schemas that tell about the file or another key
KINDS = ("tag", "url", "email", "placeholder", "emoji", "number")


def reason_to_keep(text: str) -> str:
    """Tell why a string of a program is not translated; empty if it is."""
    if is_blank(text) or not has_words(take_out(text, find_spans(text, KINDS)).text):
        return "no words"
    if _CHOICE.search(text):
        return "choice of ICU messages"  # a grammar of its own, that a translator of sentences would break
    return ""


def read_json(data: bytes, reading: Reading) -> Document:
    """Read a JSON file.

    Strings under keys that begin with ``@`` or ``$``, which tell about the file, are kept; so are those that hold a
    choice of ICU messages (``{count, plural, …}``).

    Raises:
        DataError: not JSON, or not UTF-8 (or another encoding told by a byte order mark).

    """
    file, found = decoded(data, reading.name), Found()
    text = file.text
    try:
        json.loads(text, parse_int=str)  # Python reads no number of thousands of digits
    except json.JSONDecodeError as error:
        raise DataError(f"{reading.name}, line {error.lineno}: not JSON: {error.msg}") from error
    except RecursionError as error:
        raise DataError(f"{reading.name}: nested too deeply") from error
    lines, ascii_only = Lines(text), text.isascii() and "\\u" in text
    for start, end, value in _values(text):
        if reason := reason_to_keep(value):
            found.kept[reason] += 1
            continue
        source = value.strip()
        write = partial(_write, (start, end), value.partition(source), ascii_only)
        found.segments.append(Segment(source, write, lines.at(start)))
    return as_document(file, found)


def _values(text: str) -> list[tuple[int, int, str]]:
    """Find the strings that are values, and not below a key that tells about the file."""
    values = []
    about: list[bool] = [False]  # of each open bracket: whether what is in it is about the file
    key, at = "", 0
    while token := _TOKEN.search(text, at):
        at = token.end()
        if token[0] == '"':
            said, at = _STRING.raw_decode(text, token.start())
            if _COLON.match(text, at):
                key = said
            elif not (about[-1] or key.startswith(_ABOUT)):
                values.append((token.start(), at, said))
        elif token[0] in "{[":
            about.append(about[-1] or key.startswith(_ABOUT))
            key = key if token[0] == "[" else ""
        elif token[0] in "}]":
            about.pop()
            key = ""
    return values


def _write(span: tuple[int, int], around: tuple[str, str, str], ascii_only: bool, translation: str) -> list[Edit]:
    return [Edit(*span, (json.dumps(around[0] + translation + around[2], ensure_ascii=ascii_only),))]
