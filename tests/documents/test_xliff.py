"""XLIFF 1.x and 2.x: targets are added with a state; inline elements come back once each; attacks are refused."""

import re
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ferryman.config import DocumentsConfig
from ferryman.documents.formats import read_document
from ferryman.errors import DataError

FIRST = (
    '<?xml version="1.0" encoding="UTF-8"?>\n<!-- kept -->\n'
    '<xliff version="1.2" xmlns="urn:oasis:names:tc:xliff:document:1.2">\n'
    '<file original="a" source-language="en-US"{language} datatype="x"><body>\n'
    '  <trans-unit id="1">\n    {unit}\n  </trans-unit>\n</body></file></xliff>\n'
)
SECOND = (
    '<xliff xmlns="urn:oasis:names:tc:xliff:document:2.0" version="2.1" srcLang="en" trgLang="de"><file id="f">'
    '<unit id="u"><segment{state}>\n {unit}\n</segment></unit></file></xliff>'
)


def first(unit, language=' target-language="de"'):
    return FIRST.format(unit=unit, language=language)


def test_a_target_is_added_after_the_source_with_its_indentation(translate):
    text = first("<source>Hello &amp; you</source>")
    target = '</source>\n    <target state="needs-review-translation">HELLO &amp; YOU</target>'
    assert translate("a.xlf", text) == text.replace("</source>", target)
    assert 'state="translated"' in translate("a.xlf", text, mark=False)


def test_the_language_is_named_where_it_is_not(translate):
    assert '<file original="a" source-language="en-US" datatype="x" target-language="de">' in translate(
        "a.xlf", first("<source>a</source>", language="")
    )


@pytest.mark.parametrize(
    ("target", "expected"),
    [
        ("<target/>", '<target state="needs-review-translation">HELLO</target>'),
        ("<target></target>", '<target state="needs-review-translation">HELLO</target>'),
        ('<target state="new"/>', '<target state="needs-review-translation">HELLO</target>'),
        ("<target state='new' a='b'>hello</target>", "<target state='needs-review-translation' a='b'>HELLO</target>"),
    ],
)
def test_an_empty_or_new_target_is_filled(translate, target, expected):
    text = first(f"<source>hello</source>{target}")
    assert translate("a.xlf", text) == text.replace(target, expected)


@pytest.mark.parametrize(
    ("unit", "reason"),
    [
        ("<source>a</source><target>b</target>", "already translated"),
        ('<source>a</source><target state="needs-review-translation">b</target>', "already translated"),
        ("<source>12</source>", "no words"),
    ],
)
def test_what_is_translated_is_kept(read, unit, reason):
    document = read("a.xlf", first(unit))
    assert (document.segments, document.kept) == ([], {reason: 1})


def test_other_reasons_to_keep(read):
    text = first("<source>a</source>")
    assert read("a.xlf", text.replace('id="1"', 'id="1" translate="no"')).kept == {"not to be translated": 1}
    assert read("a.xlf", text.replace('id="1"', 'id="1" approved="yes"')).kept == {"approved": 1}
    doubtful = first('<source>a</source><target state="needs-review-translation">b</target>')
    assert len(read("a.xlf", doubtful, fuzzy=True).segments) == 1


def test_inline_elements_come_back_once_each(read):
    document = read(
        "a.xlf",
        first(
            '<source>Push <g id="1">the <x id="2"/> button</g> <bpt id="3">&lt;b></bpt>now<ept id="3">&lt;/b></ept>'
            '<ph id="4">{0}</ph></source>'
        ),
    )
    assert document.texts == ["Push <f1>the <f2/> button</f1> <f3>now</f3>"]
    result = document.write(["<f3>Jetzt</f3> <f1>den <f2/> Knopf</f1> drücken"]).decode()
    assert (
        '<bpt id="3">&lt;b></bpt>Jetzt<ept id="3">&lt;/b></ept> <g id="1">den <x id="2"/> Knopf</g> drücken'
        '<ph id="4">{0}</ph></target>'
    ) in result
    lost = document.write(["Jetzt <f1>den Knopf drücken"]).decode()
    ElementTree.fromstring(lost.encode())
    assert 'Jetzt den Knopf drücken<g id="1"><x id="2"/></g><bpt id="3">' in lost


def test_segments_of_a_unit_are_marked_in_the_target_too(translate):
    unit = (
        '<source>a b</source><seg-source><mrk mtype="seg" mid="0">a</mrk> <mrk mtype="seg" mid="1">b</mrk></seg-source>'
    )
    target = '<mrk mtype="seg" mid="0">A</mrk> <mrk mtype="seg" mid="1">B</mrk></target>'
    assert target in translate("a.xlf", first(unit))


def test_protected_parts_are_not_shown_to_the_model(read):
    document = read("a.xlf", first('<source>About <mrk mtype="protected">Gandalf</mrk> here</source>'))
    assert document.texts == ["About <f1/> here"]


def test_version_2_states_are_of_the_segment(translate):
    text = SECOND.format(state="", unit='<source>hello <pc id="1">you</pc><ph id="2"/></source>')
    expected = text.replace("<segment>", '<segment state="translated">').replace(
        "</source>", '</source>\n <target>HELLO <pc id="1">YOU</pc><ph id="2"/></target>'
    )
    assert translate("a.xlf", text) == expected
    initial = SECOND.format(state=' state="initial"', unit="<source>a</source><target>a</target>")
    assert '<segment state="translated">\n <source>a</source><target>A</target>' in translate("a.xlf", initial)


def test_white_space_is_layout_unless_it_is_preserved(read):
    unit = "<source>hello\n   you</source>"
    assert read("a.xlf", first(unit)).texts == ["hello you"]
    assert read("a.xlf", first(unit.replace("<source", '<source xml:space="preserve"'))).texts == ["hello\n   you"]


def test_prefixes_line_ends_and_encodings_stay(read):
    text = first("<source>a</source>").replace("\n", "\r\n").replace("UTF-8", "UTF-16")
    document = read("a.xlf", text.encode("utf-16"))
    assert document.write(["猫"]).decode("utf-16") == text.replace(
        "</source>", '</source>\r\n    <target state="needs-review-translation">猫</target>'
    )
    latin = first("<source>caf\xe9</source>").replace("UTF-8", "ISO-8859-1").encode("latin-1")
    assert b'<target state="needs-review-translation">&#29483;\xe9</target>' in read("a.xlf", latin).write(["猫é"])
    prefixed = '<x:xliff xmlns:x="u" version="1.2"><x:file source-language="en"><x:trans-unit><x:source>a</x:source>'
    prefixed += "</x:trans-unit></x:file></x:xliff>"
    assert '<x:target state="needs-review-translation">B</x:target>' in read("a.xlf", prefixed).write(["B"]).decode()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("<xliff><file>", "line 1: not well-formed XML: no element found"),
        ("<tmx/>", "not XLIFF: its first element is <tmx>"),
        ('<!DOCTYPE x [<!ENTITY a "b">]><xliff>&a;</xliff>', "declarations of its own"),
        ('<!DOCTYPE x [<!ENTITY a SYSTEM "file:///etc/passwd">]><xliff>&a;</xliff>', "declarations of its own"),
        ('<!DOCTYPE x SYSTEM "x.dtd"><xliff>&a;</xliff>', "the entity &a; is not defined"),
        ("<xliff>" * 1500 + "</xliff>" * 1500, "more than 250 elements within each other"),
        (first("<source>a</source>", ' target-language="fr"'), "line 6: target-language is fr, but the model"),
        (first("<source>a</source>").replace("en-US", "fi"), "source-language is fi"),
    ],
)
def test_what_cannot_be_kept_is_refused(read, text, message):
    with pytest.raises(DataError, match=message):
        read("a.xlf", text)


def test_files_of_other_programs(shared):
    for path in sorted((shared / "xliff").iterdir()):
        data = path.read_bytes()
        document = read_document(path.name, data, DocumentsConfig(), ("", ""))
        assert document.write([None] * len(document.segments)) == data
        result = document.write(["X" + text for text in document.texts])
        before, after = ([one.tag for one in ElementTree.fromstring(content).iter()] for content in (data, result))
        assert [tag for tag in after if not tag.endswith("target")] == [
            tag for tag in before if not tag.endswith("target")
        ]
        assert len(after) - len(before) == len(document.segments)


INLINE = st.recursive(
    st.sampled_from(["word", " a &amp; b ", "&#x41;", '<x id="1"/>', '<ph id="2">&lt;br></ph>', "<!-- c -->", "\n "]),
    lambda inner: (
        st.lists(inner, max_size=3).map(lambda parts: f'<g id="3">{"".join(parts)}</g>')
        | st.lists(inner, max_size=3).map(lambda parts: f'<bpt id="4">(</bpt>{"".join(parts)}<ept id="4">)</ept>')
    ),
    max_leaves=6,
)


@given(
    st.lists(INLINE, max_size=4).map("".join), st.sampled_from([first, lambda unit: SECOND.format(unit=unit, state="")])
)
def test_any_inline_elements_come_back_once_each(source, form):
    data = form(f"<source>{source}</source>").encode()
    document = read_document("a.xlf", data, DocumentsConfig(), ("en", "de"))
    assert document.write([None] * len(document.segments)) == data
    capital = [re.sub(r"(?<![<\w/])[a-z]+", lambda word: word[0].upper(), text) for text in document.texts]
    for translations in (capital, ["lost"] * len(capital)):
        root = ElementTree.fromstring(document.write(translations))
        for element in root.iter():
            element.tag = element.tag.rpartition("}")[2]
        (before,), after = root.iter("source"), list(root.iter("target"))
        assert len(after) == len(document.segments)
        for target in after:
            assert sorted(one.tag for one in target.iter()) == sorted(
                one.tag.replace("source", "target") for one in before.iter()
            )
