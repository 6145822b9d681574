"""Texts with codes inside: what belongs to the text, and what becomes of codes that a translation lost."""

import pytest

from ferryman.documents.inline import ALONE, CLOSE, OPEN, TEXT, Content, Piece


def content(marked):
    """Make content of a text in which [ ] are a pair of codes, / stands alone, and _ alone parts words."""
    kinds = {"[": OPEN, "]": CLOSE, "/": ALONE, "_": ALONE}
    pieces = [
        Piece(kinds.get(sign, TEXT), (at, at + 1), " " if sign == "_" else "" if sign in kinds else sign)
        for at, sign in enumerate(marked)
    ]
    return Content.trimmed(pieces)


@pytest.mark.parametrize(
    ("marked", "source"),
    [
        ("abc", "abc"),
        ("[abc]", "abc"),
        ("/ [[abc]] /", "abc"),
        ("[a]b", "<f1>a</f1>b"),
        ("[a][b]", "<f1>a</f1><f2>b</f2>"),
        ("a[b", "a<f1/>b"),
        ("[a b", "a b"),
        ("a] b", "a<f1/> b"),
        ("ab]", "ab"),
        ("[/a[/]", "a"),
        ("a[b/c]d", "a<f1>b<f2/>c</f1>d"),
        ("a_b", "a <f1/> b"),
        ("a _ b", "a <f1/> b"),
        ("[]", ""),
    ],
)
def test_what_is_around_the_words_is_not_shown(marked, source):
    assert content(marked).source == source


@pytest.mark.parametrize(
    ("translation", "written"),
    [
        ("x <f1>y</f1> z", "x [y] z"),
        ("<f1>y</f1> x", "[y] x"),
        ("x y", "x y[]"),
        ("<f1>x</f1> <f1>y</f1>", "x y[]"),
        ("</f1>x<f1>", "x[]"),
        ("<f1>x</f1><f2/>", "x<f2/>[]"),
    ],
)
def test_each_code_is_written_once(translation, written):
    one = content("a[b]c")
    assert (
        "".join("a[b]c"[slice(*part)] if isinstance(part, tuple) else part for part in one.fill(translation, str))
        == written
    )


def test_tags_are_others_than_those_of_the_text():
    pieces = [Piece(TEXT, (0, 4), "<f1>"), Piece(ALONE, (4, 5)), Piece(TEXT, (5, 6), "a")]
    assert Content.trimmed(pieces).source == "<f1><g1/>a"
