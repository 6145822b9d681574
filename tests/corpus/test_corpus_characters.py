"""Odd, invisible and line-breaking characters."""

import pytest

from ferryman.corpus.characters import is_blank, odd_characters, one_line


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("plain, tab\t and no-break\u00a0space", []),
        ("a\u2028b\u2029c", ["U+2028 LINE SEPARATOR", "U+2029 PARAGRAPH SEPARATOR"]),
        (
            "\x85\x0b\x0c\r",
            ["U+0085 NEXT LINE", "U+000B LINE TABULATION", "U+000C FORM FEED", "U+000D CARRIAGE RETURN"],
        ),
        ("\x07", ["U+0007 CONTROL CHARACTER"]),
        ("\ufeff\ufffd", ["U+FEFF ZERO WIDTH NO-BREAK SPACE", "U+FFFD REPLACEMENT CHARACTER"]),
    ],
)
def test_odd_characters_are_named(text, names):
    assert odd_characters(text) == names


@pytest.mark.parametrize("text", ["", " ", "\u00a0", "\u3000\t", "\u200b\ufeff", "\u2028", "\u00ad\u200e"])
def test_nothing_visible_is_blank(text):
    assert is_blank(text)


@pytest.mark.parametrize("text", ["a", ".", "\u200b中", "🙂", "\u0301", "0"])
def test_anything_visible_is_not_blank(text):
    assert not is_blank(text)


def test_a_line_break_and_the_layout_around_it_become_one_space():
    assert one_line("\n  one\r\n\t two  three \n\nfour\n") == "one two  three four"


def test_other_separators_are_kept_in_a_line():
    assert one_line("a\u2028b\tc") == "a\u2028b\tc"
