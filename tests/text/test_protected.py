"""What no language changes is found, whole, and nothing else is."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ferryman.text.protected import KINDS, Guard, find_spans, pair_tags


def found(text: str, *kinds: str) -> list[str]:
    return [span.text for span in find_spans(text, kinds or KINDS)]


# Spans are set between bars.
@pytest.mark.parametrize(
    ("kind", "marked"),
    [
        ("url", "See |https://ex.org/a_b?c=1&d=2|."),
        ("url", "(|http://a.b/c_(d)|), |www.x.de/y|; |ftp://z/|"),
        ("url", "|https://ex.org/a|🙂 and |www.x.de|→"),
        ("url", "请看|https://ex.org/a|。还有|example.com|吧"),
        ("url", "on |wikipedia.org/wiki/Zürich|! but not a.m. or Node.js or end.Then"),
        ("email", "mail |a@b.org|, <|x.y+z@sub.ex.co.uk|>."),
        ("email", "@home, a@b, 联系|a@b.org|吧"),
        ("placeholder", "|%s| |%d| |%5.2f| |%-3d| |%%| |%@| |%1$s| |%(name)d| |%{n}| |%USER%|"),
        ("placeholder", "|{name}| |{0}| |{0:.2f}| |{}| |{{x}}| |${x}| |$1| |$name| |#{y}|"),
        ("placeholder", "给|$1|和|%USER%|，|{n, number}| |{d, date, short}| |%d|x|%d|px"),
        ("placeholder", "100% sure, 5%off, { } and $1,234.50 or $20"),
        ("tag", """|<b>|x|</b>| |<br/>| |<x id="1"/>| |<a href='p>q' class=c>|y|</a>|"""),
        ("tag", "a < b > c <3 |<!-- note -->|"),
        ("emoji", "|👨‍👩‍👧||🇩🇪||👍🏽||1️⃣| |❤️| |☎| |🙂||🙂|"),
        ("emoji", "|🏴󠁧󠁢󠁥󠁮󠁧󠁿| |©️| © → ™"),
        ("number", "|1,234.50| |1.234,5| |1\u00a0234| |10:30| |24/7| |-5| |50%| |50 %| |2|."),
        ("number", "5th B2B mp3 v1.2 var_1 3D 20km"),
        ("number", "COVID-|19|, |10|-|20|, |2024|-|05|-|01|"),
        ("number", "他有|3|个苹果，5月，5万"),
        ("number", "|٣٫٥| और |५|"),
    ],
)
def test_spans_are_found(kind: str, marked: str):
    parts = marked.split("|")
    assert found("".join(parts), kind) == parts[1::2]


def test_all_kinds_together():
    """T65."""
    text = "See https://ex.org/a_b?c=1&d=2 or mail a@b.org, 1,234.50 € , %s, {name}, <b>x</b>"
    spans = find_spans(text, KINDS)
    assert [span.text for span in spans] == [
        "https://ex.org/a_b?c=1&d=2",
        "a@b.org",
        "1,234.50",
        "%s",
        "{name}",
        "<b>",
        "</b>",
    ]
    assert all(text[span.start : span.end] == span.text for span in spans)
    assert found(text, "email") == ["a@b.org"]
    assert find_spans(text, []) == []
    assert found("nothing at all, not even here") == []


@pytest.mark.parametrize(
    ("text", "translation", "broken"),
    [
        ("5 of 5", "5 von 5", set()),
        ("5 of 5", "5", {"5"}),
        ("5 men", "5 5 Männer", {"5"}),
        ("5 years", "5jährig", set()),
        ("the 5th of 5", "der 5. von 5", set()),
        ("the 5th of 5", "der fünfte von 5", set()),
        ("nothing", "42", set()),
        ("1,234.50", "1.234,50", {"1,234.50"}),
        ("<b>a</b> c", "c <b>a</b>", set()),
        ("<b>a</b> c", "c </b>a<b>", {"<b>", "</b>"}),
        ("<b>a</b> c", "c <b>a", {"<b>", "</b>"}),
        ("a <br> b", "a b <br>", set()),
        ("e\u0301 https://x.org/e\u0301", "é https://x.org/é", {"https://x.org/e\u0301"}),
    ],
)
def test_a_guard_knows_what_is_broken(text: str, translation: str, broken: set[str]):
    assert Guard(text, KINDS).broken(translation) == broken


@given(st.text(), st.lists(st.sampled_from(KINDS), unique=True))
def test_spans_are_in_order_and_a_text_keeps_its_own(text: str, kinds: list[str]):
    spans = find_spans(text, kinds)
    assert all(one.end <= two.start for one, two in pairwise(spans))
    assert all(span.kind in kinds and text[span.start : span.end] == span.text != "" for span in spans)
    assert Guard(text, kinds).broken(text) == set()


@pytest.mark.parametrize(
    ("text", "pairs"),
    [
        ("<b><i></i></b>", [(0, 3), (1, 2)]),
        ("<b><br></b><hr/>", [(0, 2)]),
        ("<b><i></b></i>", [(0, 2)]),
        ("</b><b>", []),
        ("<B></b>", [(0, 1)]),
    ],
)
def test_tags_are_paired(text: str, pairs: list[tuple[int, int]]):
    assert pair_tags(find_spans(text, ["tag"])) == pairs


@pytest.mark.parametrize(
    "text", ["a" * 10**5, "<a " * 30000, "<!--" * 20000, "a.b@" * 20000, "(" * 10**5, "{%$" * 30000]
)
def test_odd_texts_take_no_time(text: str):
    """Were one of the patterns to try everything, this would take hours."""
    assert isinstance(find_spans(text, KINDS), list)
