"""The runs of a paragraph of Word as words and codes, and codes and words as runs."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

from ferryman.documents.document import Span
from ferryman.documents.inline import ALONE, CLOSE, OPEN, TEXT, Piece
from ferryman.documents.xml import Element, escaped

_UNSEEN = {"proofErr", "lastRenderedPageBreak", "rPr", "pPr"}  # Word makes them anew, or they are written with the text
_SPACES = {"tab", "br", "cr", "ptab"}
_CONTAINERS = {"hyperlink", "ins", "smartTag", "moveTo"}
_LANGUAGE = re.compile(r"<\w+:(?:lang|noProof)\b[^>]*/>")  # what spelling checkers look at


@dataclass(frozen=True)
class Code(Piece):
    """A code: what to write for it, and in which format the words are that it encloses (none: as those around it)."""

    parts: tuple[str | Span, ...] = ()
    format: str | None = None


@dataclass(frozen=True)
class _Words(Piece):
    """Words of one run."""

    format: str = ""


def paragraph_pieces(text: str, paragraph: Element) -> Iterator[Piece]:
    """Give words and codes of a paragraph in order; words in another format than the usual one are enclosed."""
    pieces = list(_pieces(text, paragraph))
    usual = usual_format(pieces)
    yield from _enclosed(pieces, usual)


def usual_format(pieces: Sequence[Piece]) -> str:
    """Return the format that most characters have: the properties of a run, as XML; empty for none."""
    count: Counter[str] = Counter()
    for piece in pieces:
        if isinstance(piece, _Words):
            count[piece.format] += len(piece.text)
    return count.most_common(1)[0][0] if count else ""


def _enclosed(pieces: Sequence[Piece], usual: str) -> Iterator[Piece]:
    formats = [usual]
    for _, group in groupby(enumerate(pieces), lambda each: each[1].format if isinstance(each[1], _Words) else each[0]):
        run = [piece for _, piece in group]
        first = run[0]
        if not isinstance(first, _Words):
            if isinstance(first, Code) and first.kind is OPEN:
                formats.append(formats[-1] if first.format is None else first.format)
            elif first.kind is CLOSE:
                formats.pop()
            yield from run
        elif first.format == formats[-1] or not any(piece.text.strip() for piece in run):
            yield from run
        else:
            yield Code(OPEN, (first.span[0], first.span[0]), format=first.format)
            yield from run
            yield Code(CLOSE, (run[-1].span[1], run[-1].span[1]))


def _pieces(text: str, parent: Element) -> Iterator[Piece]:
    elements, after = parent.elements, 0
    ends = _field_ends(elements)
    for at, element in enumerate(elements):
        if at < after or element.name in _UNSEEN:
            continue
        if at in ends:
            after = ends[at] + 1
            field = element.span[0], elements[ends[at]].span[1]
            yield Code(ALONE, field, parts=(field,))
        elif element.name == "r":
            yield from _run(text, element)
        elif element.name in _CONTAINERS and element.children:
            inner = list(_pieces(text, element))
            yield Code(OPEN, element.start, parts=(element.start,), format=usual_format(inner))
            yield from inner
            yield Code(CLOSE, element.end, parts=(element.end,))
        else:
            yield Code(ALONE, element.span, parts=(element.span,))


def _field_ends(elements: Sequence[Element]) -> dict[int, int]:
    """Tell of each run that begins a field which ends in the same paragraph where that is."""
    ends: dict[int, int] = {}
    waiting: list[int] = []
    for at, element in enumerate(elements):
        steps = _field_steps(element)
        waiting += [at] * steps
        for _ in range(min(-steps, len(waiting))):
            begin = waiting.pop()
            if begin not in waiting[-1:]:
                ends[begin] = at
    return ends


def _field_steps(element: Element) -> int:
    kinds = [
        value
        for mark in element.find("fldChar")
        for key, value in mark.attributes.items()
        if key.rpartition(":")[2] == "fldCharType"
    ]
    return kinds.count("begin") - kinds.count("end")


def _run(text: str, run: Element) -> Iterator[Piece]:
    """Take a run apart: its words, and each other thing in it as a run of its own."""
    properties = run.child("rPr")
    format_ = _LANGUAGE.sub("", text[slice(*properties.span)]) if properties else ""
    if properties and _LANGUAGE.sub("", text[slice(*properties.inner)]).strip() == "":
        format_ = ""
    prefix = text[run.start[0] + 1 :].partition("r")[0]
    for child in run.elements:
        if child.name == "t":
            yield _Words(TEXT, child.span, child.text, format_)
        elif child.name not in _UNSEEN:
            parts = (f"<{prefix}r>{format_}", child.span, f"</{prefix}r>")
            yield Code(ALONE, child.span, " " if child.name in _SPACES else "", parts)


def write_pieces(pieces: Sequence[str | Piece], usual: str, prefix: str) -> Iterator[str | Span]:
    """Write words and codes as runs.

    Args:
        pieces: in order.
        usual: the format of words that nothing encloses.
        prefix: of the names of Word's elements.

    """
    formats = [usual]
    for piece in pieces:
        if isinstance(piece, str):
            if piece:
                words = escaped(piece)
                yield f'<{prefix}r>{formats[-1]}<{prefix}t xml:space="preserve">{words}</{prefix}t></{prefix}r>'
            continue
        if piece.kind is CLOSE and len(formats) > 1:
            formats.pop()
        if isinstance(piece, Code):
            if piece.kind is OPEN:
                formats.append(formats[-1] if piece.format is None else piece.format)
            yield from piece.parts
