"""The syntax of PO, gettext's catalogues: where in the text each message and its parts stand."""

import re
from dataclasses import dataclass, field

from ferryman.documents.document import Span
from ferryman.errors import DataError

_LINE = re.compile(r"([^\n]*?)(\r?\n|\Z)")
_KEYWORD = re.compile(r'(?P<key>msgctxt|msgid_plural|msgid|msgstr(?:\[(?P<form>\d{1,3})\])?)\s*(?P<string>".*)')
_STRING = re.compile(r'"((?:[^"\\]|\\.)*)"')
_ESCAPE = re.compile(r"\\(x[0-9a-fA-F]{1,2}|[0-7]{1,3}|.)")
_MEANINGS = {"n": "\n", "t": "\t", "r": "\r", "a": "\a", "b": "\b", "f": "\f", "v": "\v"}
_SIGNS = {meaning: f"\\{letter}" for letter, meaning in _MEANINGS.items()} | {'"': '\\"', "\\": "\\\\"}
WIDTH = 77  # columns within quotation marks, where gettext wraps


@dataclass
class Field:
    """A string of a message, over one or more lines."""

    start: int
    end: int
    value: str
    longest: int = 0
    lines: int = 0

    def extend(self, string: str, end: int) -> None:
        """Add a line."""
        self.value += unescaped(string)
        self.end = end
        self.lines += 1
        self.longest = max(self.longest, len(string))


@dataclass
class Message:
    """A message: its fields by keyword, its translations by form, and its flags."""

    line: int
    start: int
    """Where its first keyword, or the comment on what it was before, begins."""
    fields: dict[str, Field] = field(default_factory=dict)
    forms: dict[int, Field] = field(default_factory=dict)
    flags: tuple[str, ...] = ()
    flag_line: Span | None = None

    @property
    def translated(self) -> bool:
        """Whether every form is there."""
        return bool(self.forms) and all(form.value for form in self.forms.values())

    def text(self, key: str) -> str:
        """Return the value of a field; empty if it is not there."""
        return self.fields[key].value if key in self.fields else ""


@dataclass
class _Parser:
    """Takes a catalogue line by line."""

    name: str
    messages: list[Message] = field(default_factory=list)
    obsolete: int = 0
    _flags: list[str] = field(default_factory=list)
    _flag_line: Span | None = None
    _before: int | None = None  # where a comment on the former message begins
    _message: Message | None = None
    _field: Field | None = None

    def comment(self, text: str, start: int, end: int) -> None:
        if text.startswith("#~"):
            self.obsolete += bool(re.match(r"#~\s*msgid\s", text))
        elif text.startswith("#,"):
            self._flags += (flag.strip() for flag in text[2:].split(","))
            self._flag_line = (start, end)
        elif text.startswith("#|") and self._before is None:
            self._before = start
        self._field = None

    def keyword(self, found: re.Match[str], line: int, start: int) -> None:
        key, form = found["key"], found["form"]
        if self._message is None or (self._message.forms and not key.startswith("msgstr")):
            begins = start if self._before is None else self._before
            self._message = Message(line, begins, flags=tuple(self._flags), flag_line=self._flag_line)
            self.messages.append(self._message)
            self._flags, self._flag_line, self._before = [], None, None
        self._field = Field(found.start("string"), found.start("string"), "")
        if not key.startswith("msgstr"):
            self._message.fields[key] = self._field
        elif "msgid" not in self._message.fields:
            raise DataError(f"{self.name}, line {line}: a msgstr without its msgid")
        else:
            self._message.forms[int(form or 0)] = self._field

    def string(self, text: str, line: int, start: int) -> None:
        found = _STRING.fullmatch(text)
        if not found or self._field is None:
            raise DataError(
                f"{self.name}, line {line}: not PO syntax: a keyword and one string in quotation marks is wanted"
            )
        self._field.extend(found[1], start + len(text))


def read_messages(text: str, name: str) -> tuple[list[Message], int]:
    """Find the messages of a catalogue, and count the obsolete ones, which are left out.

    Raises:
        DataError: a line is not PO syntax.

    """
    parser = _Parser(name)
    for number, line in enumerate(_LINE.finditer(text), start=1):
        stripped = line[1].strip()
        start = line.start() + line[1].find(stripped)
        if stripped.startswith("#"):
            parser.comment(stripped, start, start + len(stripped))
        elif stripped and (found := _KEYWORD.fullmatch(text, start, start + len(stripped))):
            parser.keyword(found, number, start)
            parser.string(found["string"], number, found.start("string"))
        elif stripped:
            parser.string(stripped, number, start)
    for message in parser.messages:
        if "msgid" not in message.fields or not message.forms:
            raise DataError(f"{name}, line {message.line}: a message without msgid or msgstr")
    return parser.messages, parser.obsolete


def unescaped(string: str) -> str:
    """Return what a string between quotation marks means."""
    return _ESCAPE.sub(_meaning, string)


def _meaning(escape: re.Match[str]) -> str:
    sign = escape[1]
    if sign[0] == "x" and len(sign) > 1:
        return chr(int(sign[1:], 16))
    return chr(int(sign, 8)) if sign[0] in "01234567" else _MEANINGS.get(sign, sign)


def quoted(value: str, *, line_end: str, wrapped: bool) -> str:
    """Write a string as gettext does: on one line, or over several, one a line of text, wrapped at spaces or not."""
    pieces = [piece for line in re.findall(r"[^\n]*\n|[^\n]+", value) for piece in _wrap(_escaped(line), wrapped)]
    if len(pieces) < 2:
        return f'"{_escaped(value)}"'
    return line_end.join(['""', *(f'"{piece}"' for piece in pieces)])


def _escaped(value: str) -> str:
    return re.sub(r'["\\\n\t\r\a\b\f\v]', lambda sign: _SIGNS[sign[0]], value)


def _wrap(line: str, wrapped: bool) -> list[str]:
    if not wrapped or len(line) <= WIDTH:
        return [line]
    rows = [""]
    for word in re.findall(r"\S+\s*|\s+", line):
        if rows[-1] and len(rows[-1]) + len(word.rstrip()) > WIDTH:
            rows.append("")
        rows[-1] += word
    return rows
