"""Spans taken out of a text leave a sentence, and places to put them back."""

import pytest

from ferryman.text.protected import KINDS, find_spans
from ferryman.text.slots import Bare, Slot, take_out


def bare(text: str) -> Bare:
    return take_out(text, find_spans(text, KINDS))


@pytest.mark.parametrize(
    ("text", "left", "taken"),
    [
        ("I have 5 apples.", "I have apples.", ["5"]),
        ("I like {x}.", "I like.", ["{x}"]),
        ("See (https://ex.org) now", "See now", ["(https://ex.org)"]),
        ("It costs $3.50 or 4,20€ “{x}”", "It costs or", ["$3.50", "4,20€ “{x}”"]),
        ("From 10-20 to {a}, {b}", "From to", ["10-20", "{a}, {b}"]),
        ("It is 5. 6 came.", "It is. came.", ["5", "6"]),
        ("Fine 🙂🙂 and 🙂", "Fine and", ["🙂🙂", "🙂"]),
        ("<b>{name}</b> is here", "is here", ["<b>{name}</b>"]),
        ("他有3个苹果", "他有个苹果", ["3"]),
        ("foo{x}bar", "foo bar", ["{x}"]),
        ("foo<br/>bar", "foo bar", ["<br/>"]),
        ("foo<x/>bar", "foobar", ["<x/>"]),
        ("no spans", "no spans", []),
    ],
)
def test_what_is_left_and_what_is_taken(text: str, left: str, taken: list[str]):
    found = bare(text)
    assert found.text == left
    assert [slot.taken for slot in found.slots] == taken
    assert all(0 <= slot.start <= len(left) for slot in found.slots)


def test_pairs_of_tags_hold_what_is_inside():
    found = bare("Now <b>press <i>this {key}</i></b> <br/> please</u>")
    assert found.text == "Now press this please"
    assert shape(found.slots) == [("<b>", "</b>", [("<i>", "</i>", ["{key}"])]), "<br/>", "</u>"]
    outer = found.slots[0]
    assert found.text[outer.start : outer.end].strip() == "press this"


def shape(slots: list[Slot]) -> list[object]:
    return [slot.taken if slot.end is None else (slot.taken, slot.closing, shape(slot.inside)) for slot in slots]


def test_the_characters_beside_a_slot_are_known():
    (slot,) = bare("Nr.{x} and").slots
    assert slot.beside == (".", " ")
    pair = bare("a <b> c d </b>e").slots[0]
    assert (pair.beside, pair.beside_closing) == ((" ", " "), (" ", "e"))
