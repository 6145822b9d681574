"""HTML in and HTML out (T66)."""

from html.parser import HTMLParser

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ferryman.serving.markup import VOID, Page

SAME = [
    "<p>hello</p>",
    "plain",
    "",
    "<p>The <b>old <i>ferry</i></b> crosses the <a href=\"x?a=1&amp;b='2'\">river</a>.</p> 1 &lt; 2 &amp; <br/>done",
    '<p title="a &quot;quoted&quot; word">x</p>',
    "<!DOCTYPE html><html><head><title>Hi</title><style>a > b {}</style></head><body>x</body></html>",
    '<p>a</p><script>if (a<b && c) "x"</script><pre>one  <b>two</b>\n  three &lt; four</pre>',
    "<p>run <code>a &lt; b</code> now</p>",
    "<p>a <!-- c --> b</p><![CDATA[x]]>",
    "<b>x</b> <i>y</i>",
    "<p>&lt;f1&gt; is <b>here</b></p>",
    '<p translate="no">Keep <b>me</b></p><p>x</p>',
    "<ul>\n  <li>one</li>\n  <li>two</li>\n</ul>\n",
    "</b>x<b>",
    "<textarea>abc",
    "R&amp;D",
    "<p>🙂 <img src='a.png'> x</p>",
]


@pytest.mark.parametrize("text", SAME)
def test_what_is_not_translated_stays(text):
    page = Page(text)
    assert page.fill(page.texts) == text


@pytest.mark.parametrize(
    ("text", "texts"),
    [
        ("<p>hello</p>", ["hello"]),
        ("<p>one\n  sentence</p>", ["one sentence"]),
        ("<p>a &lt; b &amp; &eacute;</p>", ["a < b & é"]),
        ("a < b and <b>c</b>", ["a < b and <f1>c</f1>"]),
        ("<p><b><i>all</i></b></p>", ["all"]),
        ("<p>The <b>old <i>ferry</i></b>.</p>", ["The <f1>old <f2>ferry</f2></f1>."]),
        ("one<br>two", ["one", "two"]),
        ("<p> 🙂 </p><hr>", []),
        ("<p>see <code>x</code></p>", ["see <f1/>"]),
        ("<p>&lt;f1&gt; is <b>here</b></p>", ["<f1> is <g1>here</g1>"]),
        ('<p translate="no">Keep me</p><p>x</p>', ["x"]),
        ("<script>x</script><style>y</style><pre>z</pre>", []),
    ],
)
def test_sentences_are_found(text, texts):
    assert Page(text).texts == texts


@pytest.mark.parametrize(
    ("translation", "expected"),
    [
        ("<f3>Fluss</f3> & <f1><f2>F</f2> a</f1>", '<p><a href="x">Fluss</a> &amp; <b><i>F</i> a</b></p>'),
        ("<f1>a<f2>b</f1>c</f2> <f3>x</f3>", '<p><b>a<i>b</i>c</b> <a href="x">x</a></p>'),
        ("<f1>only</f1>", '<p>only<b><i></i></b><a href="x"></a></p>'),
        ("<x>nothing</x>", '<p>&lt;x&gt;nothing&lt;/x&gt;<b><i></i></b><a href="x"></a></p>'),
    ],
)
def test_tags_are_kept_whatever_the_model_does(translation, expected):
    page = Page('<p>The <b>old <i>ferry</i></b> crosses the <a href="x">river</a></p>')
    assert page.fill([translation]) == expected


TREES = st.recursive(
    st.sampled_from(["word", "a b", " ", "1 &lt; 2", "&amp;", "<br>", '<img src="a>b">', "x. Y", "<!--c-->"]),
    lambda inner: st.builds(
        lambda name, parts: f"<{name} title='q&quot;'>{''.join(parts)}</{name}>",
        st.sampled_from("b i a p div span li code em".split()),
        st.lists(inner, max_size=3),
    ),
    max_leaves=12,
)


@given(st.lists(TREES, max_size=4).map("".join))
def test_reversed_words_leave_the_tags_balanced_and_complete(text):
    page = Page(text)
    reversed_texts = [" ".join(reversed(one.split(" "))) for one in page.texts]
    found = page.fill(reversed_texts)
    assert sorted(tags_of(found)) == sorted(tags_of(text))
    assert is_balanced(found)


@given(st.text(alphabet="ab<>/&;'\"= !-[]?\n", max_size=60))
def test_anything_is_html(text):
    page = Page(text)
    page.fill(page.texts)


class Tags(HTMLParser):
    def __init__(self, text):
        super().__init__()
        self.tags, self.open, self.balanced = [], [], True
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, *attrs))
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        self.tags.append(("/", tag))
        self.balanced = self.balanced and bool(self.open) and self.open.pop() == tag


def tags_of(text):
    return Tags(text).tags


def is_balanced(text):
    found = Tags(text)
    return found.balanced and not found.open
