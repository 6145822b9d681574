"""HTML that programs send, in and out again (T66): tags and entities once each, whatever the model does."""

import re
from html import escape, unescape
from html.parser import HTMLParser

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ferryman.config import DocumentsConfig
from ferryman.documents.formats import read_document
from ferryman.documents.html import read_fragment

VOID = {"br", "img"}


def filled(fragment, translations):
    return fragment.write(translations).decode()


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
    fragment = read_fragment(text)
    assert filled(fragment, fragment.texts) == text


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
        ("<p>see <code>x</code></p>", ["see"]),
        ("<p>see <code>x</code> now</p>", ["see <f1/> now"]),
        ("<p>&lt;f1&gt; is <b>here</b></p>", ["<f1> is <g1>here</g1>"]),
        ('<p translate="no">Keep me</p><p>x</p>', ["x"]),
        ("<script>x</script><style>y</style><pre>z</pre>", []),
    ],
)
def test_sentences_are_found(text, texts):
    assert read_fragment(text).texts == texts


@pytest.mark.parametrize(
    ("translation", "expected"),
    [
        ("<f3>Fluss</f3> & <f1><f2>F</f2> a</f1>", '<p><a href="x">Fluss</a> &amp; <b><i>F</i> a</b></p>'),
        ("<f1>a<f2>b</f1>c</f2> <f3>x</f3>", '<p>abc x<b><i></i></b><a href="x"></a></p>'),
        ("<f1>only</f1>", '<p>only<b><i></i></b><a href="x"></a></p>'),
        ("<x>nothing</x>", '<p>&lt;x&gt;nothing&lt;/x&gt;<b><i></i></b><a href="x"></a></p>'),
    ],
)
def test_tags_are_kept_whatever_the_model_does(translation, expected):
    fragment = read_fragment('<p>The <b>old <i>ferry</i></b> crosses the <a href="x">river</a></p>')
    assert filled(fragment, [translation]) == expected


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
    fragment = read_fragment(text)
    found = filled(fragment, [" ".join(reversed(one.split(" "))) for one in fragment.texts])
    assert sorted(tags_of(found)) == sorted(tags_of(text))
    assert is_balanced(found)


@given(st.text(alphabet="ab<>/&;'\"= !-[]?\n", max_size=60))
def test_anything_is_html(text):
    fragment = read_fragment(text)
    assert filled(fragment, fragment.texts) == text


ENTITIES = (
    "&nbsp; &#160; &#xA0; &amp; &amp;amp; &lt; &gt; &quot; &#39; &#x26; &eacute; &amp;nbsp; &copy; &hearts;".split()
)
TEXTS = st.lists(st.sampled_from([*ENTITIES, "word", "R", "7", " ", ". ", "<b>", "</b>", "<br>"]), max_size=12)


def reading(html):
    """What a reader reads: of white space, only where it is and whether it breaks a line."""
    words = unescape(re.sub(r"<[^>]*>", "", html))
    return re.sub(r" *\u00a0[ \u00a0]*", "\u00a0", re.sub(r"[ \t\n]+", " ", words)).strip(" ")


@given(TEXTS.map("".join), st.sampled_from(["fragment", "a.html", "a.md"]))
def test_entities_are_escaped_once_and_keep_their_meaning(text, kind):
    """A translation in other words has the signs of its source, and its hard spaces as they were written."""
    if kind == "a.md":
        text = re.sub("<[^>]*>", "", text)
    read = read_fragment if kind == "fragment" else lambda said: read_document(kind, said.encode(), DocumentsConfig())
    document = read(text)
    found = filled(document, [one.replace("word", "Wort") for one in document.texts])
    said = re.sub(r"\\([!-/:-@\[-`{-~])", lambda sign: escape(sign[1]), found) if kind == "a.md" else found
    assert reading(said) == reading(text).replace("word", "Wort")


@pytest.mark.parametrize(
    ("source", "text", "translation", "expected"),
    [
        ("&nbsp;Hello&nbsp;", "Hello", "Hallo", "&nbsp;Hallo&nbsp;"),
        ("&#32;Hello &amp;", "Hello &", "Hallo &", "&#32;Hallo &amp;"),
        ("10&nbsp;km", "10 <f1/> km", "10 <f1/> km", "10&nbsp;km"),
        ("10&nbsp;000 boats", "10\u00a0000 boats", "10\u00a0000 Boote", "10&nbsp;000 Boote"),
        ("10\u00a0000 boats", "10\u00a0000 boats", "10\u00a0000 Boote", "10\u00a0000 Boote"),
        ("a &lt; b &amp;&amp; c", "a < b && c", "A < B && C", "A &lt; B &amp;&amp; C"),
        ("&amp;lt; is a tag", "&lt; is a tag", "&lt; ist ein Tag", "&amp;lt; ist ein Tag"),
        ("caf&eacute; &#8364;5", "café €5", "Café 5 €", "Café 5 €"),
    ],
)
def test_an_entity_is_what_it_means(source, text, translation, expected):
    fragment = read_fragment(source)
    assert fragment.texts == [text]
    assert filled(fragment, [translation]) == expected


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
