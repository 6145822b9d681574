"""HTML: words are translated, tags stay once each, code and scripts are left alone; anything is read."""

import re
from html.parser import HTMLParser

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ferryman.config import DocumentsConfig
from ferryman.documents.formats import read_document

PARTS = st.lists(
    st.sampled_from(
        "<p>|</p>|<b>|</b>|<i title='x y'>|</i>|<br>|<br/>|a word| |\n|&lt;|&amp;|<|<!-- c -->|<script>x<b></script>|"
        '<pre>|</pre>|<img alt=cat>|é|<a href="?a=1&b">|</a>|"'.split("|")
    ),
    max_size=14,
)


class Tags(HTMLParser):
    """Collects the tags of a page."""

    def __init__(self, page):
        super().__init__()
        self.tags = []
        self.feed(page)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)

    def handle_endtag(self, tag):
        self.tags.append(f"/{tag}")


@given(PARTS)
def test_any_page_comes_back_as_it_was_and_keeps_its_tags(parts):
    page = "".join(parts)
    document = read_document("a.html", page.encode(), DocumentsConfig(), ("en", "de"))
    assert document.write(document.texts) == page.encode()
    result = document.write([re.sub(r"(?<![<&/\w])[a-z]+(?![\d\w>])", "X", text) for text in document.texts]).decode()
    assert sorted(Tags(result).tags) == sorted(Tags(page).tags)


def test_a_page_is_translated_and_says_its_language(translate):
    page = """<!DOCTYPE html>
<html lang="en-US"><head><meta charset="utf-8"><title>The river</title><style>p > a { color: red }</style>
<meta name="description" content="A page"><meta name="author" content="Nobody"></head>
<body><!-- a note --><h1 title='Big "river"'>The <b>river</b> &amp; more</h1>
<script>var a = "<p>no</p>";</script><ul><li>One<li>Two</ul>
<p>Run <code>if (a < b) {}</code> now: 1 &lt; 2 <img src=a.png alt="a boat"><input placeholder=name>"""
    expected = page
    for old, new in {
        '"en-US"': '"de"',
        "The river<": "THE RIVER<",
        '"A page"': '"A PAGE"',
        "'Big \"river\"'": "'BIG &quot;RIVER&quot;'",
        "The <b>river</b> &amp; more": "THE <b>RIVER</b> &amp; MORE",
        "<li>One<li>Two": "<li>ONE<li>TWO",
        "Run <": "RUN <",
        "> now:": "> NOW:",
        '"a boat"': '"A BOAT"',
        "=name>": '="NAME">',
    }.items():
        assert old in expected
        expected = expected.replace(old, new)
    assert translate("a.html", page) == expected


def test_a_sentence_with_tags_and_line_breaks_is_one_text(read):
    """T66."""
    document = read("a.html", '<p class="x">The <a title="big"><i>red</i>\n  ferry</a> is 1 &lt; 2</p>\n<p>hello</p>')
    assert document.texts == ["big", "The <f1><f2>red</f2> ferry</f1> is 1 < 2", "hello"]
    result = document.write(["groß", "<f1>Fähre & <f2>rot</f2></f1> ist 1 < 2", "hallo"]).decode()
    assert result == ('<p class="x"><a title="groß">Fähre &amp; <i>rot</i></a> ist 1 &lt; 2</p>\n<p>hallo</p>')


def test_a_line_break_parts_words_for_the_model(read):
    document = read("a.html", "<p>One<br>two</p>")
    assert document.texts == ["One <f1/> two"]
    assert document.write(["Eins <f1/> zwei"]) == b"<p>Eins<br>zwei</p>"


@pytest.mark.parametrize(
    "page",
    [
        '<div translate="no">keep <div>this</div> too</div>',
        '<p class="big notranslate">keep</p>',
        "<pre>keep\n<b>this</b></pre>",
        "<textarea>keep</textarea>",
        "<svg><text>keep</text></svg>",
        "<script>keep",
        "<!-- keep",
        "12 &nbsp; <b>3</b>",
    ],
)
def test_what_is_no_text_is_kept(read, page):
    assert read("a.html", page).texts == []


def test_other_encodings_stay(read):
    page = '<meta charset="iso-8859-1"><p>caf\xe9</p>'.encode("latin-1")
    document = read("a.html", page)
    assert document.texts == ["café"]
    assert document.write(["é 猫"]).endswith(b"<p>\xe9 &#29483;</p>")


def test_hostile_pages_are_read_at_once(read):
    for page in ("<a " + '="' * 20_000, "<!--" * 20_000, "<b>" * 50_000 + "x", "<code>" * 2_000 + "x"):
        read("a.html", page)
