"""What was taken out of a source goes where the attention of its translation says."""

import re

import numpy as np
import pytest

from ferryman.text.protected import KINDS, find_spans
from ferryman.text.slots import take_out
from ferryman.translator.assembling import assemble
from ferryman.translator.placing import Placer, units_of


def tokens(text: str) -> list[str]:
    return re.findall(r"[a-zäöüèéß]+|\S", text, re.IGNORECASE)


def put_back(source: str, translation: str, links: list[int], *, spaced: bool = True) -> str:
    """Put the spans of ``source`` into a translation whose tokens come from these tokens of the bare source."""
    bare = take_out(source, find_spans(source, KINDS))
    ends, place = [], 0
    for token in tokens(translation):
        place = translation.index(token, place) + len(token)
        ends.append(place)
    attention = np.full((len(links), len(tokens(bare.text))), 0.02)
    attention[np.arange(len(links)), links] = 1.0
    units = units_of(translation, ends, attention, [])
    placed = Placer(bare, units, lambda at: len(tokens(bare.text[:at]))).place()
    return assemble(units, placed, spaced=spaced)


@pytest.mark.parametrize(
    ("source", "translation", "links", "expected"),
    [
        ("I have 5 apples .", "Ich habe Äpfel .", [0, 1, 2, 3], "Ich habe 5 Äpfel ."),
        ("Yesterday I bought {n} apples .", "Ich habe gestern Äpfel gekauft .", [1, 2, 0, 3, 2, 4],
         "Ich habe gestern {n} Äpfel gekauft ."),
        ("See https://ex.org for more", "Siehe für mehr", [0, 1, 2], "Siehe https://ex.org für mehr"),
        ("{name} is here", "hier ist", [1, 0], "{name} hier ist"),
        ("I live at {x}", "Ich wohne bei", [0, 1, 2], "Ich wohne bei {x}"),
        ("(see {x}) please", "bitte (siehe)", [3, 0, 1, 2], "bitte (siehe {x})"),
        ("a (big {x}!) cat", "eine Katze (groß!)", [0, 5, 1, 2, 3, 4], "eine Katze (groß {x}!)"),
        ("Thanks 🙂", "Danke", [0], "Danke 🙂"),
        ("Price:{x} now", "Jetzt Preis:", [2, 0, 1], "Jetzt Preis:{x}"),
        ("the <b>red</b> house", "la maison rouge", [0, 2, 1], "la maison <b>rouge</b>"),
        ("<p>the <b>very red</b> <i>old</i> house</p>", "la vieille maison très rouge", [0, 3, 4, 1, 2],
         "<p>la <i>vieille</i> maison <b>très rouge</b></p>"),
        ("press <b> this <i>red {key}</i> </b> now", "maintenant pressez ceci rouge", [3, 0, 1, 2],
         "maintenant pressez <b> ceci <i>rouge {key}</i> </b>"),
        ("one<br/>two", "eins zwei", [0, 1], "eins<br/>zwei"),
    ],
)  # fmt: skip
def test_spans_stand_beside_the_words_they_stood_beside(source, translation, links, expected):
    assert put_back(source, translation, links) == expected


@pytest.mark.parametrize(
    ("source", "translation", "links", "expected"),
    [
        ("I have 5 apples", "我有苹果", [0, 1, 2, 2], "我有5苹果"),
        ("Call {x} now", "现在叫", [1, 1, 0], "现在叫{x}"),
        ("the <b>red</b> house", "红房", [1, 2], "<b>红</b>房"),
        ("old ferry 🙂 here", "ferry here", [1, 2], "ferry 🙂 here"),
        ("over 5 and 6 here", "ferry", [0], "ferry 5 6"),
    ],
)
def test_languages_without_spaces_get_none(source, translation, links, expected):
    assert put_back(source, translation, links, spaced=False) == expected


def test_an_empty_translation_gets_all_spans():
    assert put_back_into_nothing("Take <b>the {a}</b> and 5") == "<b>{a}</b> 5"


def put_back_into_nothing(source: str) -> str:
    bare = take_out(source, find_spans(source, KINDS))
    units = units_of("", [], np.zeros((0, 3)), [])
    return assemble(units, Placer(bare, units, lambda at: len(bare.text[:at].split())).place(), spaced=True)


def test_deleted_parts_are_left_out():
    units = units_of("so 5 5 Äpfel", [2, 4, 6, 12], np.eye(4), [(3, 4), (5, 6)])
    assert units.words == ["so", "Äpfel"]
    assert units.gaps == ["", " ", ""]
    assert units.mass.tolist() == [[1, 0, 0, 0], [0, 0, 0, 1]]


def test_words_marks_and_characters_of_unspaced_scripts_are_units():
    assert units_of("Don't (हिन्दी), 你好!", [16], np.ones((1, 1)), []).words == [
        "Don't",
        "(",
        "हिन्दी",
        ")",
        ",",
        "你好",
        "!",
    ]
    assert units_of("你好吗", [1, 3], np.eye(2), []).words == ["你", "好吗"]
