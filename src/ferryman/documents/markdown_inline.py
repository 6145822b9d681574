"""The mark-up within a paragraph of Markdown: which characters are codes, and how words are written beside them."""

import re
from collections.abc import Callable, Collection
from dataclasses import dataclass, field
from html import unescape

from ferryman.documents.document import Span
from ferryman.documents.inline import ALONE, CLOSE, HARD, OPEN, TEXT, Kind, Piece

_PUNCTUATION = r"!-/:-@\[-`{-~"
_ATTRIBUTE = r"""[\w:.-]+(?:\s*=\s*(?:"[^"]*"|'[^']*'|[^\s"'=<>`]+))?"""
_TOKEN = re.compile(
    rf"""(?P<code>(?<!`)(?P<ticks>`++).+?(?<!`)(?P=ticks)(?!`)) | \\(?P<escaped>[{_PUNCTUATION}]) |
    (?P<hard>(?:\ {{2,}}|\\)\n) | (?P<soft>\s*\n\s*) |
    (?P<auto><[A-Za-z][A-Za-z0-9+.-]+:[^\s<>]*>|<[^\s<>@]+@[^\s<>@]+>) |
    (?P<html><!--.*?-->|</[A-Za-z][\w-]*\s*>|<[A-Za-z][\w-]*(?:\s+{_ATTRIBUTE})*\s*/?>) |
    (?P<note>\[\^[^\]\s]+\]|\A\[[ xX]\](?=\s)) | (?P<open>!?\[) | (?P<close>\]) |
    (?P<mark>\*{{1,3}}|_{{1,3}}|~~) | (?P<nobreak>(?<!\d){HARD}|{HARD}(?!\d)) | (?P<entity>&(?:\w+|\#\w+);)""",
    re.VERBOSE | re.DOTALL,
)
_TARGET = re.compile(
    r"""\]\(\s*(?:<[^<>\n]*>|(?:[^()\s<\\]|\\.|\((?:[^()\s\\]|\\.)*\))*)(?:\s+(?:"[^"]*"|'[^']*'|\([^()]*\)))?\s*\)""",
    re.DOTALL,
)
_REFERENCE = re.compile(r"\]\[([^\[\]]*)\]")
_HAZARD = re.compile(r"^(\d{1,9})([.)])(?=\s|$)|^([-+#>=~:|])")
_EMPHASIS = re.compile(r"[*_]+|~~")
_SPECIAL = re.compile(r"[\\`*\[\]<]|(?<!\w)_|_(?!\w)|&(?=#?\w+;)")


@dataclass
class _Reader:
    """Goes through a text and remembers what is open."""

    text: str
    place: Callable[[int], int]
    labels: Collection[str]
    pieces: list[Piece] = field(default_factory=list)
    links: list[int] = field(default_factory=list)
    """Of each bracket that may begin a link: its piece."""
    marks: list[tuple[str, int]] = field(default_factory=list)
    """Of each mark that may begin an emphasis: what it is, and its piece."""

    def add(self, kind: Kind, start: int, end: int, text: str = "") -> None:
        if end > start:
            self.pieces.append(Piece(kind, (self.place(start), self.place(end)), text))

    def take(self, token: re.Match[str]) -> int:
        """Take a token; return where it ends."""
        start, end, said = *token.span(), token[0]
        match token.lastgroup:
            case "code" | "auto" | "hard" | "nobreak" | "note":
                self.add(ALONE, start, end, " " if token.lastgroup in ("hard", "nobreak") else "")
            case "html":
                alone = said.endswith("/>") or said.startswith("<!--") or re.match(r"<(?:br|img|hr|wbr)\b", said)
                self.add(ALONE if alone else CLOSE if said.startswith("</") else OPEN, start, end)
            case "open":
                self.links.append(len(self.pieces))
                self.add(TEXT, start, end, said)
            case "close":
                end = self._link(start)
            case "mark":
                self._mark(said, start, end)
            case "soft":
                self.add(TEXT, start, end, " ")
            case _:
                self.add(TEXT, start, end, unescape(said) if token["entity"] else token["escaped"])
        return end

    def _link(self, start: int) -> int:
        """End a link, or take the bracket for a character."""
        opening = self.links.pop() if self.links else None
        if opening is not None:
            target, label = _TARGET.match(self.text, start), ""
            if target is None:
                target = _REFERENCE.match(self.text, start)
                named = target[1] if target else ""
                label = named or self._label(opening, start)
            if not label or _normal(label) in self.labels:
                end = target.end() if target else start + 1
                self.pieces[opening] = Piece(OPEN, self.pieces[opening].span)
                self.marks = [mark for mark in self.marks if mark[1] < opening]
                self.add(CLOSE, start, end, f"][{label}]" if label else "")
                return end
        self.add(TEXT, start, start + 1, "]")
        return start + 1

    def _label(self, opening: int, end: int) -> str:
        start = next(at for at in range(end, -1, -1) if self.place(at) == self.pieces[opening].span[1])
        return self.text[start:end]

    def _mark(self, said: str, start: int, end: int) -> None:
        before, after = self.text[start - 1 : start] or " ", self.text[end : end + 1] or " "
        opens = not after.isspace() and (after.isalnum() or not before.isalnum())
        closes = not before.isspace() and (before.isalnum() or not after.isalnum())
        if said[0] == "_":
            opens, closes = opens and not before.isalnum(), closes and not after.isalnum()
        waiting = next((at for at in range(len(self.marks) - 1, -1, -1) if self.marks[at][0] == said), None)
        if closes and waiting is not None:
            opening = self.marks[waiting][1]
            self.marks = self.marks[:waiting]
            self.links = [link for link in self.links if link < opening]
            self.pieces[opening] = Piece(OPEN, self.pieces[opening].span)
            self.add(CLOSE, start, end)
            return
        if opens:
            self.marks.append((said, len(self.pieces)))
        self.add(TEXT, start, end, said)


def read_inline(text: str, place: Callable[[int], int], labels: Collection[str]) -> list[Piece]:
    """Cut a paragraph into words and codes.

    Args:
        text: the paragraph, without what stands before its lines.
        place: tells where in the file a character of it stands.
        labels: of the links that the document defines, in capitals.

    """
    reader, last = _Reader(text, place, labels), 0
    while token := _TOKEN.search(text, last):
        reader.add(TEXT, last, token.start(), text[last : token.start()])
        last = reader.take(token)
    reader.add(TEXT, last, len(text), text[last:])
    return reader.pieces


def _normal(label: str) -> str:
    return " ".join(label.split()).upper()


def write_words(words: str, *, first: bool, table: bool) -> str:
    """Write words so that none of their characters is taken for mark-up.

    Args:
        words: between codes.
        first: whether they begin the paragraph, where some are taken for a list, a heading or a quotation.
        table: whether they stand in a table, whose cells a bar ends.

    """
    words = _SPECIAL.sub(lambda sign: "\\" + sign[0], words.replace("\n", " "))
    if first:
        words = _HAZARD.sub(lambda found: f"{found[1]}\\{found[2]}" if found[1] else f"\\{found[3]}", words)
    return words.replace("|", "\\|") if table else words


def variants(parts: list[str | Piece], text: str, write: Callable[[str, bool], str]) -> list[tuple[str | Span, ...]]:
    """Give the ways to write a translation: as in the source; with ``*`` instead of ``_``; with spaces around those.

    Marks that are right between spaces are not between Chinese characters.
    """
    return [
        tuple(_written(part, text, write, (at == 0, starred, apart)) for at, part in enumerate(parts))
        for starred, apart in ((False, False), (True, False), (True, True))
    ]


def _written(
    part: str | Piece, text: str, write: Callable[[str, bool], str], way: tuple[bool, bool, bool]
) -> str | Span:
    first, starred, apart = way
    if isinstance(part, str):
        return write(part, first)
    if part.kind is CLOSE and part.text:  # a reference that was named by words of the source
        return part.text
    said = text[slice(*part.span)]
    if not starred or not _EMPHASIS.fullmatch(said):
        return part.span
    mark = said.replace("_", "*")
    if not apart:
        return mark
    return mark + " " if part.kind is CLOSE else mark if first else " " + mark
