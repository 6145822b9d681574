"""PO: what has no translation gets one, marked fuzzy; everything else stays byte for byte."""

import polib
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ferryman.config import DocumentsConfig
from ferryman.documents.formats import read_document
from ferryman.documents.po_messages import quoted, read_messages
from ferryman.errors import DataError

HEADER = 'msgid ""\nmsgstr ""\n"Language: {}\\n"\n"Plural-Forms: {}\\n"\n\n'
ENGLISH = HEADER.format("de", "nplurals=2; plural=(n != 1);")
RUSSIAN = HEADER.format(
    "ru", "nplurals=3; plural=(n%10==1 && n%100!=11 ? 0 : n%10>=2 && n%10<=4 && (n%100<10 || n%100>=20) ? 1 : 2);"
)


def test_only_untranslated_messages_are_translated_and_marked(translate):
    text = (
        ENGLISH
        + '# a comment\n#: a.c:1\nmsgctxt "menu"\nmsgid "open"\nmsgstr ""\n\n'
        + 'msgid "done"\nmsgstr "fertig"\n\n#, fuzzy\nmsgid "maybe"\nmsgstr "vielleicht"\n\n'
        + '#~ msgid "old"\n#~ msgstr "alt"\n'
    )
    expected = text.replace(
        'msgctxt "menu"\nmsgid "open"\nmsgstr ""', '#, fuzzy\nmsgctxt "menu"\nmsgid "open"\nmsgstr "OPEN"'
    )
    assert translate("a.po", text) == expected


def test_reasons_to_keep_are_counted(read):
    text = (
        ENGLISH + 'msgid "a"\nmsgstr "b"\n\n#, fuzzy\nmsgid "c"\nmsgstr "d"\n\nmsgid "123"\nmsgstr ""\n\n#~ msgid "e"\n'
    )
    text += '\nmsgid "translator-credits"\nmsgstr ""\n'
    kept = {"obsolete": 1, "already translated": 1, "fuzzy": 1, "no words": 1, "translators' credits": 1}
    assert read("a.po", text).kept == kept


def test_fuzzy_messages_are_translated_when_wanted(translate):
    text = ENGLISH + '#, fuzzy, c-format\n#| msgid "ol %d"\nmsgid "old %d"\nmsgstr "alt %d"\n'
    assert translate("a.po", text, fuzzy=True) == text.replace("alt %d", "OLD %d")
    final = translate("a.po", text, fuzzy=True, mark=False)
    assert final == text.replace("alt %d", "OLD %d").replace("#, fuzzy, c-format", "#, c-format")
    assert "#," not in translate("a.po", text.replace(", c-format", ""), fuzzy=True, mark=False)


def test_flags_get_fuzzy_in_front(translate):
    text = ENGLISH + '#, c-format\nmsgid "a %d"\nmsgstr ""\n'
    assert "\n#, fuzzy, c-format\nmsgid" in translate("a.po", text)
    assert "fuzzy" not in translate("a.po", text, mark=False)


@pytest.mark.parametrize(
    ("header", "single", "expected"),
    [
        (ENGLISH, "One file", ["ONE FILE", "%d FILES"]),
        (RUSSIAN.replace("ru", "de"), "One file", ["%d FILES", "%d FILES", "%d FILES"]),
        (RUSSIAN.replace("ru", "de"), "%d file", ["%d FILE", "%d FILES", "%d FILES"]),
        (HEADER.format("de", "nplurals=1; plural=0;"), "%d file", ["%d FILES"]),
        (HEADER.format("de", "nplurals=INTEGER; plural=EXPRESSION;"), "%d file", ["%d FILE", "%d FILES"]),
    ],
)
def test_each_plural_form_is_translated_from_the_text_that_fits(translate, header, single, expected):
    forms = "".join(f'msgstr[{number}] ""\n' for number in range(len(expected)))
    result = polib.pofile(translate("a.po", f'{header}msgid "{single}"\nmsgid_plural "%d files"\n{forms}'))
    (entry,) = [one for one in result if one.msgid]
    assert list(entry.msgstr_plural.values()) == expected
    assert entry.flags == ["fuzzy"]


def test_a_form_that_is_there_already_is_kept(translate):
    text = ENGLISH + 'msgid "%d file"\nmsgid_plural "%d files"\nmsgstr[0] "%d Datei"\nmsgstr[1] ""\n'
    assert 'msgstr[0] "%d Datei"\nmsgstr[1] "%d FILES"\n' in translate("a.po", text)


def test_line_breaks_around_a_message_are_those_of_the_source(translate):
    text = ENGLISH + 'msgid ""\n"\\n"\n"one \\"two\\"\\n"\n"three\\n"\nmsgstr ""\n'
    result = translate("a.po", text)
    assert result.endswith('msgstr ""\n"\\n"\n"ONE \\"TWO\\"\\n"\n"THREE\\n"\n')


@pytest.mark.parametrize(
    ("text", "heard", "said", "written"),
    [
        ("_Open File…", "Open File…", "Datei öffnen…", "_Datei öffnen…"),
        ("Save &As", "Save As", "Speichern als", "&Speichern als"),
        ("file_name", "file_name", "x", "x"),
        ("AT&T", "AT&T", "x", "x"),
        ("a &lt; b", "a &lt; b", "x", "x"),
        ("_one _two", "_one _two", "x", "x"),
        ("_" + "long " * 20, "_" + ("long " * 20).strip(), "x", "x "),
    ],
)
def test_keyboard_accelerators_are_not_shown_to_the_model(read, text, heard, said, written):
    document = read("a.po", f'{ENGLISH}msgid "{text}"\nmsgstr ""\n')
    assert document.texts == [heard]
    assert f'msgstr "{written}"' in document.write([said]).decode()


def test_accelerators_of_languages_that_nobody_types_letter_by_letter():
    text = HEADER.format("zh_CN", "nplurals=1; plural=0;") + 'msgid "_Open…"\nmsgstr ""\n'
    document = read_document("a.po", text.encode(), DocumentsConfig(), ("en", "zh"))
    assert 'msgstr "打开(_O)…"' in document.write(["打开…"]).decode()


def test_line_ends_and_charset_stay(translate, read):
    text = (ENGLISH + 'msgid "a"\nmsgstr ""\n').replace("\n", "\r\n")
    assert translate("a.po", text).endswith('\r\n#, fuzzy\r\nmsgid "a"\r\nmsgstr "A"\r\n')
    latin = (
        ENGLISH.replace("Plural", 'Content-Type: text/plain; charset=ISO-8859-1\\n"\n"Plural')
        + 'msgid "caf\xe9"\nmsgstr ""\n'
    )
    document = read("a.po", latin.encode("latin-1"))
    assert document.texts == ["café"]
    assert b'msgstr "\xfcber"' in document.write(["über"])
    with pytest.raises(DataError, match="ISO-8859-1, has no '猫'"):
        document.write(["猫"])


def test_long_translations_are_wrapped_as_the_file_is(translate):
    words = " ".join(["word"] * 40)
    wrapped = translate("a.po", ENGLISH + f'msgid ""\n"{words[:75]}"\n"{words[75:150]}"\n"{words[150:]}"\nmsgstr ""\n')
    assert max(map(len, wrapped.splitlines())) < 80
    assert f'msgstr "{words.upper()}"' in translate("a.po", ENGLISH + f'msgid "{words}"\nmsgstr ""\n')


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('msgid "a"\nmsgstr "b\n', "line 2: not PO syntax"),
        ('msgstr "b"\n', "line 1: a msgstr without its msgid"),
        ('msgid "a"\n', "line 1: a message without"),
        ("hello\n", "line 1: not PO syntax"),
        (HEADER.format("fr", ""), "a catalogue in fr by its header, but the model translates into de"),
    ],
)
def test_what_is_no_catalogue_is_refused(read, text, message):
    with pytest.raises(DataError, match=message):
        read("a.po", text)


@given(st.text(), st.booleans())
def test_any_text_can_be_written_and_read(value, wrapped):
    value = value.encode("utf-8", "replace").decode()
    string = quoted(value, line_end="\n", wrapped=wrapped)
    text = f'msgid "a"\nmsgstr {string}\n'
    assert read_messages(text, "a.po")[0][0].forms[0].value == value


def test_files_of_other_programs(shared):
    for path in sorted((shared / "po").iterdir()):
        data = path.read_bytes()
        document = read_document(path.name, data, DocumentsConfig(fuzzy=True), ("en", ""))
        assert document.write([None] * len(document.segments)) == data
        before, after = (
            polib.pofile(data.decode()),
            polib.pofile(document.write(["X" + t for t in document.texts]).decode()),
        )
        assert [(one.msgctxt, one.msgid, one.comment, one.occurrences, one.obsolete) for one in before] == [
            (one.msgctxt, one.msgid, one.comment, one.occurrences, one.obsolete) for one in after
        ]
        assert document.segments or all(one.msgstr or one.msgstr_plural for one in before)


WORDS = st.text(st.sampled_from('ab "\\\n\té%s猫'), min_size=1, max_size=12)
MESSAGES = st.lists(st.tuples(WORDS, st.none() | WORDS, st.just("") | WORDS, st.booleans(), st.booleans()), max_size=5)


@given(MESSAGES)
def test_any_catalogue_keeps_all_but_what_is_translated(messages):
    catalogue = polib.POFile()
    for number, (text, context, translation, fuzzy, plural) in enumerate(messages):
        forms = {0: translation, 1: ""} if plural else None
        catalogue.append(
            polib.POEntry(
                msgid=f"{number}{text}x",
                msgctxt=context,
                msgstr="" if plural else translation,
                msgid_plural=f"{text}s" if plural else "",
                msgstr_plural=forms,
                flags=["fuzzy"] if fuzzy else [],
                comment="a comment",
            )
        )
    data = str(catalogue).encode()
    document = read_document("a.po", data, DocumentsConfig(fuzzy=True), ("en", "de"))
    assert document.write([None] * len(document.segments)) == data
    after = polib.pofile(document.write([f"X{text}\n" for text in document.texts]).decode())
    for old, new in zip(polib.pofile(data.decode()), after, strict=True):
        assert (old.msgid, old.msgctxt, old.msgid_plural, old.comment) == (
            new.msgid,
            new.msgctxt,
            new.msgid_plural,
            new.comment,
        )
        assert all((new.msgstr_plural or {0: new.msgstr}).values())
        assert new.flags == ["fuzzy"] or new.msgstr == old.msgstr
