"""Markdown: what is read of a translation, its words apart, is what is read of the source."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from ferryman.config import DocumentsConfig
from ferryman.documents.formats import read_document

PAGE = """---
title: The river
---
# The *wide* river #

One **bold _nested_ word**, `code <b>`, a [link](http://x.org/a_(b) "title")
and [another][ref], ![an image](a.png) and <https://a.org>.  
Hard break: 2 * 3, snake_case, \\*no\\* &amp; [^1]. <b>Tag</b>

> A quote
> over lines

- item one
- [ ] task two
  continued

1. First

```py
print("hello")
```

| Head | Two **b** |
|------|-----|
| cell one | `x` and y |

Setext heading
--------------

<div>html</div>

[ref]: http://ref.org "Ref"
"""  # noqa: W291
LINES = st.lists(
    st.tuples(
        st.sampled_from("|# |> |- |1. |  |    |- [ ] |> - ".split("|")),
        st.lists(
            st.sampled_from(
                "word |*em*|**strong** |_em_ |`code` |[link](a) |[ref] |![alt](b.png)|<b>|</b>|\\* |* |_|a_b |"
                "1. |- |&lt; |~~x~~ |  \n|\n|<http://a.b> |[ |] |(|) |é".split("|")
            ),
            max_size=6,
        ),
        st.sampled_from(["\n", "\n\n", "\r\n"]),
    ),
    max_size=6,
)


def shape(text):
    """Tell what is read of a text, words apart."""
    tokens = MarkdownIt("commonmark").enable(["table", "strikethrough"]).parse(text)
    inline = [child for token in tokens for child in token.children or () if child.type not in ("text", "softbreak")]
    return [(one.type, one.level) for one in tokens], sorted(
        (one.type, str(one.attrs), one.content if one.type == "code_inline" else "")
        for one in inline
        if one.type != "text_special"
    )


@given(LINES, st.booleans())
def test_any_text_comes_back_as_it_was_and_is_read_alike(lines, hazards):
    text = "".join(start + "".join(parts) + end for start, parts, end in lines) + "\n[ref]: http://a.b\n"
    document = read_document("a.md", text.encode(), DocumentsConfig(), ("en", "de"))
    assert document.write(document.texts) == text.encode()
    words = re.compile(r"(?<![<\w/])[^\W\d]+(?![\w>])")
    added = "1. *a [b] _c_ `d" if hazards else "X"
    result = document.write([words.sub(lambda found: added, one) for one in document.texts]).decode()
    assert shape(result)[0] == shape(text)[0]
    assert shape(result)[1] == shape(text)[1]


def test_a_page_is_translated_where_it_has_words(translate, read):
    result = translate("a.md", PAGE)
    assert shape(result)[0] == shape(PAGE)[0]
    for part in (
        "---\ntitle: The river\n---\n# THE *WIDE* RIVER #\n",
        'ONE **BOLD _NESTED_ WORD**, `code <b>`, A [LINK](http://x.org/a_(b) "title") AND [ANOTHER][ref],'
        " ![AN IMAGE](a.png) AND <https://a.org>.  \nHARD BREAK",
        "SNAKE_CASE, \\*NO\\* & [^1]. <b>TAG</b>\n",
        "\n> A QUOTE OVER LINES\n",
        "\n- ITEM ONE\n- [ ] TASK TWO CONTINUED\n",
        '\nprint("hello")\n',
        "\n| HEAD | TWO **B** |\n|------|-----|\n| CELL ONE | `x` AND Y |\n",
        "\nSETEXT HEADING\n--------------\n\n<div>html</div>\n",
        '\n[ref]: http://ref.org "Ref"\n',
    ):
        assert part in result
    assert read("a.md", PAGE).kept == {"front matter": 1, "code": 1, "HTML block": 1}
    assert [one.line for one in read("a.md", PAGE).segments] == [4, 6, 10, 13, 14, 17, 23, 23, 25, 25, 27]


def test_line_ends_stay(translate):
    assert translate("a.md", "\ufeffone\r\ntwo\r\n\r\n* three\r\n") == "\ufeffONE TWO\r\n\r\n* THREE\r\n"


def test_words_are_not_taken_for_mark_up(read):
    document = read("a.md", "one\n\n| a |\n|---|\n| two |\n")
    result = document.write(["1. *x* [y](z) `q` <b> a_b _c_", None, "a | b"]).decode()
    assert result == "1\\. \\*x\\* \\[y\\](z) \\`q\\` \\<b> a_b \\_c\\_\n\n| a |\n|---|\n| a \\| b |\n"


def test_marks_between_chinese_characters_are_read_as_marks(read):
    document = read("a.md", "The _wide_ river **is here.** Now")
    assert document.texts == ["The <f1>wide</f1> river <f2>is here.</f2> Now"]
    assert document.write(["那条<f1>宽的</f1>河<f2>在</f2>这里"]).decode() == "那条*宽的*河**在**这里"
    assert document.write(["那条<f1>宽的</f1>河<f2>在这里。</f2>现在"]).decode() == "那条 *宽的* 河 **在这里。** 现在"


def test_a_mark_is_ended_by_the_nearest(read):
    assert read("a.md", "2 *a *b* c").texts == ["2 *a <f1>b</f1> c"]


def test_a_reference_keeps_its_name(read):
    document = read("a.md", "See [the page] and [that][].\n\n[the page]: a\n[that]: b\n")
    assert (
        document.write(["<f2>Das</f2> und <f1>die Seite</f1>"])
        .decode()
        .startswith("[Das][that] und [die Seite][the page]")
    )


@pytest.mark.parametrize("translation", ["<f1></f1>nichts", "x"])
def test_what_would_be_read_differently_is_not_written(read, translation):
    document = read("a.md", "A **bold** word")
    assert not document.segments[0].fits(translation)
    assert document.write([translation]) == b"A **bold** word"
    assert document.segments[0].fits("<f1>x</f1> y")
