"""Putting what was taken out of a source back into its translation, with the white space that belongs there."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

from ferryman.text.languages import is_unspaced
from ferryman.text.slots import CLOSING, OPENING, Slot, has_words
from ferryman.translator.placing import Placed, Units


@dataclass(frozen=True)
class _Item:
    text: str
    role: Literal["word", "part", "opening", "closing"]
    slot: Slot | None = None
    word: int = 0  # which word it is, or stands before


def assemble(units: Units, placed: Sequence[Placed], *, spaced: bool, apart: bool = False) -> str:
    """Write a translation with the slots filled.

    A part has white space around it where it had some in the source, as far as the marks beside it allow; in a language
    without spaces between words only where two Latin words or numbers would become one. Tags keep the white space
    inside them.

    Args:
        units: the translation.
        placed: where the slots belong.
        spaced: whether the language writes spaces between words.
        apart: put spaces around every part, whatever is beside it.

    """
    items = list(_items(units, placed, 0, len(units.words)))
    text = "".join(item.text for item in items[:1])
    between = False  # whether the space between two words was written since the last of them
    for last, item in pairwise(items):
        between = between and last.role != "word"
        space = _space(last, item, units, spaced, apart, between)
        between = between or bool(space)
        text += space + item.text
    return text


def _items(units: Units, placed: Sequence[Placed], first: int, last: int) -> Iterator[_Item]:
    for one in placed:
        yield from _words(units, first, one.first)
        if one.slot.end is None:
            yield _Item(one.slot.taken, "part", one.slot, one.first)
        else:
            yield _Item(one.slot.taken, "opening", one.slot, one.first)
            yield from _items(units, one.inside, one.first, one.last)
            yield _Item(one.slot.closing, "closing", one.slot, one.last)
        first = one.last
    yield from _words(units, first, last)


def _words(units: Units, first: int, last: int) -> Iterator[_Item]:
    for place in range(first, last):
        yield _Item(units.words[place], "word", word=place)


def _space(last: _Item, item: _Item, units: Units, spaced: bool, apart: bool, between: bool) -> str:
    gap = units.gaps[item.word]
    if last.role == "opening" and last.slot:
        return " " if last.slot.beside[1].isspace() else ""
    if item.role == "closing" and item.slot:
        return " " if item.slot.beside_closing[0].isspace() else ""
    if last.role == "part" and last.slot:
        if apart or (spaced and item.role == "part"):
            return " "
        return " " if _wants_space(last, item.text[:1], 1, gap, spaced) else ""
    if item.role == "part" and item.slot:
        return " " if apart or _wants_space(item, last.text[-1:], 0, gap, spaced) else ""
    return "" if between else gap


def _wants_space(part: _Item, neighbour: str, side: int, gap: str, spaced: bool) -> bool:
    """Tell whether a part stands apart from the character on one of its sides (0: before, 1: after)."""
    if part.slot is None:
        return False
    edge, source = part.text[-side], part.slot.beside[side]
    if not spaced:
        words = has_words(edge) and has_words(neighbour) and not (is_unspaced(edge) or is_unspaced(neighbour))
        return words or (bool(gap) and source.isspace())
    if not source or source.isspace():
        return not (not gap and neighbour in (CLOSING if side else OPENING))
    after_mark = has_words(source) and neighbour in (OPENING if side else CLOSING)
    return part.slot.kind not in ("tag", "emoji") and (has_words(neighbour) or after_mark)
