"""Taking protected spans out of a text, and remembering the places they came from."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from ferryman.text.languages import is_unspaced
from ferryman.text.protected import Span, pair_tags, tag_name

CLOSING = ".,;:!?…)]}”’»›。，、；：！？）】」』》"
OPENING = "([{“„«‹¿¡（【「『《"
_BRACKETS = {"()", "[]", "“”", "„“", "‘’", "«»", "»«", "‹›", '""', "''", "（）", "【】", "「」", "『』", "《》"}
_SIGNS = "$€£¥₩₹₽#№§°"
_BREAKS = frozenset(["br", "hr", "p", "div", "li", "ul", "ol", "td", "th", "tr", "img"])  # words beside them are apart
_WORD = re.compile(r"[^\W_]")
_APART = re.compile(r"[^\W_]|[.!?…:;]\s|[。！？；]|\n")  # what keeps two spans from being moved as one


@dataclass
class Slot:
    """A place in a bare text that something was taken out of: one part, or an opening and a closing tag."""

    taken: str
    kind: str
    start: int  # in the bare text
    beside: tuple[str, str]  # the characters before and after ``taken`` in the text; empty at its ends
    end: int | None = None  # of a pair of tags: where the closing one was
    closing: str = ""
    beside_closing: tuple[str, str] = ("", "")
    inside: list["Slot"] = field(default_factory=list)  # of a pair of tags


@dataclass(frozen=True)
class Bare:
    """A text without its protected spans."""

    text: str
    slots: list[Slot]

    @property
    def wordless(self) -> bool:
        """Tell whether nothing is left that could be translated."""
        return not has_words(self.text)


def has_words(text: str) -> bool:
    """Tell whether there is a letter or a digit in a text."""
    return _WORD.search(text) is not None


@dataclass(frozen=True, slots=True)
class _Cut:
    """A part of the text that is taken out whole; ``step`` is 1 for an opening tag, -1 for its closing one."""

    start: int
    end: int
    kind: str
    step: int = 0


def take_out(text: str, spans: Sequence[Span]) -> Bare:
    """Take spans out of a text, in which they are in order, so that a sentence remains.

    What hangs together is one slot: spans with no word between them (``10-20``, ``🙂🙂``), the brackets and currency
    signs around them, tags with no word inside (``<b>{name}</b>``). Other pairs of tags are a slot with slots inside.
    """
    builder = _Builder()
    last = 0
    for cut in _cuts(text, spans):
        builder.add(text[last : cut.start])
        taken, beside = text[cut.start : cut.end], (text[cut.start - 1 : cut.start], text[cut.end : cut.end + 1])
        builder.take(cut, taken, beside)
        last = cut.end
    builder.add(text[last:])
    builder.shorten()
    return Bare(builder.text, builder.slots)


class _Builder:
    """Joins what remains; knows which pairs of tags are open."""

    def __init__(self) -> None:
        self.text = ""
        self.slots: list[Slot] = []
        self._every: list[Slot] = []
        self._open: list[Slot] = []
        self._parting = False  # whether two words must not become one here

    def add(self, part: str) -> None:
        """Append a part; white space on both sides of a slot becomes that of one."""
        if self.text[-1:].isspace() or not self.text:
            part = part.lstrip()
        if part[:1] in CLOSING and part:
            self.shorten()
        elif self._parting and all(has_words(edge) and not is_unspaced(edge) for edge in (self.text[-1:], part[:1])):
            self.text += " "
        self.text += part

    def take(self, cut: _Cut, taken: str, beside: tuple[str, str]) -> None:
        """Open, close or fill a slot here."""
        here = len(self.text)
        self._parting = cut.kind not in ("tag", "emoji") or tag_name(taken) in _BREAKS
        if cut.step < 0:
            slot = self._open.pop()
            slot.end, slot.closing, slot.beside_closing = here, taken, beside
            return
        slot = Slot(taken, cut.kind, here, beside)
        (self._open[-1].inside if self._open else self.slots).append(slot)
        self._every.append(slot)
        if cut.step > 0:
            self._open.append(slot)

    def shorten(self) -> None:
        """Take white space away from the end."""
        self.text = self.text.rstrip()
        for slot in self._every:
            slot.start = min(slot.start, len(self.text))
            slot.end = None if slot.end is None else min(slot.end, len(self.text))


def _cuts(text: str, spans: Sequence[Span]) -> list[_Cut]:
    places = [place for place, span in enumerate(spans) if span.kind == "tag"]
    pairs = {places[i]: places[j] for i, j in pair_tags([spans[place] for place in places])}
    closings = {j: i for i, j in pairs.items()}
    cuts, place = [], 0
    while place < len(spans):
        span, end = spans[place], pairs.get(place)
        if end is not None and not _words_between(text, spans[place : end + 1]):
            cuts.append(_Cut(span.start, spans[end].end, span.kind))
            place = end
        else:
            cuts.append(_Cut(span.start, span.end, span.kind, 1 if end is not None else -1 if place in closings else 0))
        place += 1
    return _merged(text, _widened(text, cuts))


def _words_between(text: str, spans: Sequence[Span]) -> bool:
    return any(has_words(text[one.end : two.start]) for one, two in pairwise(spans))


def _widened(text: str, cuts: list[_Cut]) -> list[_Cut]:
    """Take currency signs and brackets along that would be left with nothing to stand beside."""
    wider: list[_Cut] = []
    for place, cut in enumerate(cuts):
        start, end = cut.start, cut.end
        if not cut.step:
            first = wider[-1].end if wider else 0
            last = cuts[place + 1].start if place + 1 < len(cuts) else len(text)
            start -= start > first and text[start - 1] in _SIGNS
            end += end < last and text[end] in _SIGNS
            while first < start and end < last and text[start - 1] + text[end] in _BRACKETS:
                start, end = start - 1, end + 1
        wider.append(_Cut(start, end, cut.kind, cut.step))
    return wider


def _merged(text: str, cuts: list[_Cut]) -> list[_Cut]:
    """Join neighbours with no word between them."""
    merged: list[_Cut] = []
    for cut in cuts:
        last = merged[-1] if merged else None
        if last and not (last.step or cut.step) and not _APART.search(text[last.end : cut.start]):
            merged[-1] = _Cut(last.start, cut.end, cut.kind if last.kind == "tag" else last.kind)
        else:
            merged.append(cut)
    return merged
