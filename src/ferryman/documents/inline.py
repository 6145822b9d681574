"""Text with mark-up inside it, as one text in which each code is a short tag, and back again.

The translator keeps tags (``decoding.protect``): each comes back once, pairs well nested, around the words that come
from those they enclosed. Where they do not, for whatever reason, all codes are written after the text in their old
order, which loses none and keeps the document well formed.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import Enum, auto
from functools import cached_property
from itertools import accumulate, count

from ferryman.documents.document import Span


class Kind(Enum):
    """What a piece of a text is: words, or a code that begins something, ends it or stands alone."""

    TEXT = auto()
    OPEN = auto()
    CLOSE = auto()
    ALONE = auto()


TEXT, OPEN, CLOSE, ALONE = Kind
HARD = r"(?:&nbsp;|&\#0*160;|&\#[xX]0*[aA]0;|[\u00a0\u202f])+"
"""Pattern of spaces that break no line, as HTML and Markdown write them (for ``re.VERBOSE``)."""
_LETTERS = "fgxyzq"
_SPACE = re.compile(r"[ \t\r\n\f]+")


@dataclass(frozen=True)
class Piece:
    """A part of a text."""

    kind: Kind
    span: Span
    """Where it stands in the file."""
    text: str = ""
    """Words as a reader sees them. Of a code that parts words as a space does, such as a line break: a space."""


@dataclass(frozen=True)
class Content:
    """The pieces of a text that is translated as one."""

    pieces: tuple[Piece, ...]
    folded: bool = True
    """Whether white space is layout, so that several spaces and line breaks are as one space."""

    @classmethod
    def trimmed(cls, pieces: Sequence[Piece], *, folded: bool = True) -> "Content":
        """Leave out what stands around the words: codes before and after them, pairs around all of them."""
        partners, first, last = _partners(pieces), 0, len(pieces) - 1
        words = [0, *accumulate(piece.kind == TEXT and piece.text.strip() != "" for piece in pieces)]
        while first <= last:
            # Up to where, and from where, a code without words inside goes.
            begin, end = partners.get(first, first), partners.get(last, last)
            if pieces[first].kind == CLOSE or words[max(begin, first) + 1] == words[first]:
                first = max(begin, first) + 1
            elif pieces[last].kind == OPEN or end < first:
                last -= 1
            elif words[last + 1] == words[min(end, last)]:
                last = min(end, last) - 1
            elif first < begin == last:
                first, last = first + 1, last - 1
            else:
                break
        return cls(tuple(pieces[first : last + 1]), folded)

    @property
    def span(self) -> Span:
        """Where the text stands in the file, white space around it left out."""
        first, last = self.pieces[0], self.pieces[-1]
        before = len(first.text) - len(first.text.lstrip()) if first.kind == TEXT else 0
        after = len(last.text) - len(last.text.rstrip()) if last.kind == TEXT else 0
        return first.span[0] + before, last.span[1] - after

    @property
    def has_words(self) -> bool:
        """Whether there is anything to translate."""
        return any(piece.kind == TEXT and any(map(str.isalpha, piece.text)) for piece in self.pieces)

    @cached_property
    def source(self) -> str:
        """The text to translate."""
        said: list[str] = []
        for at, piece in enumerate(self.pieces):
            if piece.kind == TEXT:
                said.append(piece.text.lstrip() if at and _parts(self.pieces[at - 1]) else piece.text)
            elif _parts(piece):
                _strip_end(said)
                said += [" ", self._names[at], " "]
            else:
                said.append(self._names[at])
        whole = "".join(said)
        return (_SPACE.sub(" ", whole) if self.folded else whole).strip()

    def fill(self, translation: str, escape: Callable[[str], str]) -> tuple[str | Span, ...]:
        """Put the codes into a translation of ``source``: what to write, codes as spans of the file.

        Args:
            translation: of ``source``.
            escape: writes words as the format wants them.

        """
        parts = self.arrange(translation)
        return tuple(escape(part) if isinstance(part, str) else part.span for part in parts)

    def arrange(self, translation: str) -> list[str | Piece]:
        """Cut a translation at the tags that stand for codes: words and codes in their new order."""
        codes = {name: self.pieces[at] for at, name in sorted(self._names.items())}
        if not codes:
            return [translation]
        parts = re.split(rf"(</?{self._letter}[0-9]+/?>)", translation)
        if sorted(parts[1::2]) != sorted(codes) or not _nested(parts[1::2]):
            words = re.sub(r"\s+", " ", "".join(part for part in parts if part not in codes)).strip()
            return [words, *codes.values()]
        found: list[str | Piece] = [codes.get(part, part) for part in parts if part]
        return [_between(found[at - 1 : at], part, found[at + 1 : at + 2]) for at, part in enumerate(found)]

    @cached_property
    def _letter(self) -> str:
        words = "".join(piece.text for piece in self.pieces if piece.kind == TEXT).lower()
        return next((letter for letter in _LETTERS if not re.search(rf"</?{letter}\d", words)), _LETTERS[0] * 3)

    @cached_property
    def _names(self) -> dict[int, str]:
        """Name the codes by their places; of a pair both have one number."""
        names: dict[int, str] = {}
        numbers, partners = count(1), _partners(self.pieces)
        for at, piece in enumerate(self.pieces):
            if piece.kind == TEXT or at in names:
                continue
            number = next(numbers)
            names[at] = f"<{self._letter}{number}{'' if at in partners else '/'}>"
            if at in partners:
                names[partners[at]] = f"</{self._letter}{number}>"
        return names


def _parts(piece: str | Piece) -> bool:
    return isinstance(piece, Piece) and piece.kind == ALONE and piece.text != ""


def _strip_end(parts: list[str]) -> None:
    """Take white space away from the end of a text in parts."""
    while parts and not parts[-1].strip():
        parts.pop()
    if parts:
        parts[-1] = parts[-1].rstrip()


def _between(before: list[str | Piece], part: str | Piece, after: list[str | Piece]) -> str | Piece:
    """Take the space away that a code which parts words does not need."""
    if isinstance(part, str):
        part = part.lstrip() if any(map(_parts, before)) else part
        part = part.rstrip() if any(map(_parts, after)) else part
    return part


def _partners(pieces: Sequence[Piece]) -> dict[int, int]:
    """Find what ends that which begins somewhere, and the other way round."""
    partners: dict[int, int] = {}
    waiting: list[int] = []
    for at, piece in enumerate(pieces):
        if piece.kind == OPEN:
            waiting.append(at)
        elif piece.kind == CLOSE and waiting:
            opening = waiting.pop()
            partners[opening], partners[at] = at, opening
    return partners


def _nested(names: Sequence[str]) -> bool:
    waiting: list[str] = []
    for name in names:
        if name.startswith("</"):
            if not waiting or waiting.pop() != name.replace("/", "", 1):
                return False
        elif not name.endswith("/>"):
            waiting.append(name)
    return not waiting
