"""JSON, YAML, .properties and .strings: values are translated; keys, comments, layout and quotation marks stay."""

import json
from io import StringIO

import pytest
from hypothesis import given
from hypothesis import strategies as st
from ruamel.yaml import YAML

from ferryman.config import DocumentsConfig
from ferryman.documents.formats import read_document
from ferryman.errors import DataError

TREES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=12,
)


def shape(tree):
    """Replace the strings of a tree."""
    if isinstance(tree, dict):
        return {key: shape(value) for key, value in tree.items()}
    return [shape(value) for value in tree] if isinstance(tree, list) else "" if isinstance(tree, str) else tree


def read(name, text):
    return read_document(name, text.encode(), DocumentsConfig(), ("en", "de"))


@given(TREES, st.booleans(), st.sampled_from([None, 2]))
def test_any_json_keeps_all_but_its_strings(tree, ascii_only, indent):
    text = json.dumps(tree, ensure_ascii=ascii_only, indent=indent)
    document = read("a.json", text)
    assert document.write(document.texts) == text.encode()
    result = document.write([f'X "{one}" \n' for one in document.texts]).decode()
    assert shape(json.loads(result)) == shape(tree)
    assert not ascii_only or "\\u" not in text or result.isascii()


@given(TREES)
def test_any_yaml_keeps_all_but_its_strings(tree):
    stream = StringIO()
    YAML(typ="safe", pure=True).dump(tree, stream)
    document = read("a.yaml", stream.getvalue())
    assert document.write(document.texts) == stream.getvalue().encode()
    result = document.write([f'X: "{one}" #' for one in document.texts]).decode()
    assert shape(YAML(typ="safe", pure=True).load(result)) == shape(tree)


def test_json_values_are_translated_where_they_stand(translate):
    text = '\ufeff{\r\n\t"hello": "hello {{name}}",\r\n\t"n": 5, "list": ["one", {"two": " two\\n"}],\r\n\t"url": "https://a.org"}\r\n'
    expected = text.replace('"hello {{', '"HELLO {{').replace('["one', '["ONE').replace(" two\\n", " TWO\\n")
    assert (
        translate(
            "a.json", text, lambda source: source.replace("hello", "HELLO").replace("one", "ONE").replace("two", "TWO")
        )
        == expected
    )


def test_what_tells_about_a_json_file_is_kept(read):
    text = (
        '{"@@locale": "en", "a": "hello", "@a": {"description": "a word", "x": ["y"]}, "b": ["z"], "$schema": "some"}'
    )
    document = read("app.arb", text)
    assert document.texts == ["hello", "z"]
    assert read("a.json", '{"n": "{count, plural, one {# file} other {# files}}", "u": "https://a.org"}').kept == {
        "choice of ICU messages": 1,
        "no words": 1,
    }


def test_yaml_styles_stay(translate):
    text = """# a comment
en:
  plain: hello there   # another
  single: 'it''s'
  double: "a \\"b\\""
  yes_no: yes
  number: 12
  list: [one, 'two']
  anchor: &a three
  alias: *a
  literal: |
    four
      five

    six
  folded: >-
    seven
    eight

    nine
"""
    expected = text
    for old, new in {
        "en:": "de:",
        "hello there": "HELLO THERE",
        "it''s": "IT''S",
        'a \\"b': 'A \\"B',
        "one, 'two": "ONE, 'TWO",
        "a three": "a THREE",
        "four": "FOUR",
        "five": "FIVE",
        "six": "SIX",
        "seven\n    eight": "SEVEN EIGHT",
        "nine": "NINE",
        "yes_no: yes": "yes_no: YES",
    }.items():
        assert old in expected
        expected = expected.replace(old, new, 1)
    expected = expected.replace("yes_no: YES", 'yes_no: "YES"')
    assert translate("a.yml", text) == expected


def test_a_translation_that_would_mean_something_else_in_yaml_is_quoted(read):
    document = read("a.yml", "a: hello\nb: you\nc: there\n")
    assert document.write(["no", "a: b # c", "- x"]).decode() == 'a: "no"\nb: "a: b # c"\nc: "- x"\n'


def test_properties_keep_keys_comments_and_escapes(translate):
    text = "# comment = x\n! more\nkey.one=hello {0}\\\n   you\nkey\\ two : \\u00e9t\\u00e9\nempty=\nthree four\r\n"
    expected = text.replace("hello {0}\\\n   you", "HELLO {0}YOU").replace("\\u00e9t\\u00e9", "\\u00c9T\\u00c9")
    assert translate("a.properties", text) == expected.replace("three four", "three FOUR")
    assert translate("a.properties", "a=né\n") == "a=NÉ\n"


def test_strings_keep_keys_and_comments(translate):
    text = '/* "a" = "b"; */\n"key" = "say \\"hi\\" %@";\n// end\n'
    assert translate("a.strings", text) == text.replace('say \\"hi', 'SAY \\"HI')


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("a.json", '{"a": 1,\n}', "a.json, line 2: not JSON"),
        ("a.json", "[" * 100_000, "a.json: nested too deeply"),
        ("a.yml", "a: [1\nb: }", "a.yml, line 2: not YAML"),
        ("a.strings", '"a" = "b"', 'line 1: expected "key" = "value";'),
    ],
)
def test_what_is_broken_is_refused_with_its_line(name, text, message):
    with pytest.raises(DataError, match=message):
        read(name, text)
