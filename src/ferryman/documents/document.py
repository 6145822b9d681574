"""What every format has in common: a text, the places in it that are translated, and edits there."""

import re
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

Span = tuple[int, int]


@dataclass(frozen=True)
class Edit:
    """What to write instead of ``text[start:end]``: new text, and spans of the old one (with the edits inside them)."""

    start: int
    end: int
    parts: tuple[str | Span, ...]


def _always(_: str) -> bool:
    return True


@dataclass(frozen=True)
class Segment:
    """A part of a document that is translated by itself."""

    source: str
    """The text to translate, without white space around it; inline mark-up as tags."""
    write: Callable[[str], Sequence[Edit]]
    """Tells the edits that put a translation into the document. Equal edits of several segments are made once."""
    line: int
    """Where it stands, from 1."""
    in_place: bool = True
    """Whether the translation takes the place of the source, so that one that is equal to it changes nothing."""
    fits: Callable[[str], bool] = _always
    """Tells whether a translation can be written so that the document stays what it is."""


@dataclass(frozen=True)
class Document:
    """A file in segments, and how to write it."""

    segments: list[Segment]
    kept: Counter[str]
    """What is not translated, by reason."""
    write: Callable[[Sequence[str | None]], bytes]
    """Make the file of the translations of the segments; None: as it is."""

    @property
    def texts(self) -> list[str]:
        """What is to be translated."""
        return [segment.source for segment in self.segments]


@dataclass(frozen=True)
class Reading:
    """What is wanted of a file."""

    name: str
    """For messages."""
    source_language: str = ""
    target_language: str = ""
    fuzzy: bool = False
    mark: bool = True


@dataclass
class Found:
    """What a reader has found in a text."""

    segments: list[Segment] = field(default_factory=list)
    kept: Counter[str] = field(default_factory=Counter)


class Lines:
    """Tells the line of a place in a text."""

    def __init__(self, text: str) -> None:
        self._ends = [end.start() for end in re.finditer("\n", text)]

    def at(self, place: int) -> int:
        """Return the line, from 1."""
        return bisect_left(self._ends, place) + 1


def edited(text: str, edits: Iterable[Edit]) -> str:
    """Make edits, which may lie inside each other but not overlap otherwise."""
    ordered = sorted(dict.fromkeys(edits), key=lambda edit: (edit.start, -edit.end))
    return _rendered(text, (0, len(text)), ordered, (0, len(ordered)))


def _rendered(text: str, span: Span, edits: Sequence[Edit], among: Span) -> str:
    """Return a span of the text with those of some edits, told by their places, that lie in it."""
    written: list[str] = []
    last = span[0]
    for place in range(
        bisect_left(edits, span[0], *among, key=_start), bisect_right(edits, span[1], *among, key=_start)
    ):
        edit = edits[place]
        if edit.start < last or edit.end > span[1]:  # outside, or inside an edit that was made
            continue
        written.append(text[last : edit.start])
        inside = place + 1, bisect_left(edits, edit.end, place + 1, among[1], key=_start)
        written += [part if isinstance(part, str) else _rendered(text, part, edits, inside) for part in edit.parts]
        last = edit.end
    written.append(text[last : span[1]])
    return "".join(written)


def _start(edit: Edit) -> int:
    return edit.start


def changes(segments: Sequence[Segment], translations: Sequence[str | None]) -> list[Edit]:
    """Collect the edits of the segments that have a translation and are not equal to it already."""
    return [
        edit
        for segment, translation in zip(segments, translations, strict=True)
        if translation is not None and not (segment.in_place and translation == segment.source)
        for edit in segment.write(translation)
    ]
