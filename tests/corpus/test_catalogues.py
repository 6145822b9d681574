"""Gettext catalogues, PO and MO: what becomes a pair, charsets, directions, damage."""

import gzip

import polib
import pytest

from ferryman.corpus import ReadingReport, read_pairs
from ferryman.corpus.accelerators import remove_accelerators
from ferryman.corpus.languages import OtherLanguageError
from ferryman.errors import DataError


def header(language="de", charset="UTF-8", plural="nplurals=2; plural=(n != 1);"):
    return (
        f'msgid ""\nmsgstr ""\n"Language: {language}\\n"\n'
        f'"Content-Type: text/plain; charset={charset}\\n"\n"Plural-Forms: {plural}\\n"\n\n'
    )


@pytest.fixture
def read(tmp_path):
    def run(text, languages=("en", "de"), report=None, encoding="utf-8"):
        path = tmp_path / "messages.po"
        path.write_bytes(text if isinstance(text, bytes) else text.encode(encoding))
        return pairs_of(path, languages, report)

    return run


def pairs_of(path, languages=("en", "de"), report=None):
    return [(p.source, p.target) for p in read_pairs([path], languages=languages, report=report or ReadingReport())]


BODY = """msgid "Open"
msgstr "Öffnen"

#, fuzzy
msgid "Close"
msgstr "Offen"

msgid "New"
msgstr ""

msgctxt "verb"
msgid ""
"several "
"lines\\n"
"of text\\n"
msgstr "mehrere Zeilen\\nText\\n"

msgid "translator-credits"
msgstr "A. Translator <a@example.org>"

#~ msgid "Old"
#~ msgstr "Alt"
"""


def test_messages_become_pairs_and_the_rest_is_counted(read):
    report = ReadingReport()
    assert read(header() + BODY, report=report) == [
        ("Open", "Öffnen"),
        ("several lines of text", "mehrere Zeilen Text"),
    ]
    assert report.skipped == {
        "fuzzy message": 1,
        "untranslated message": 1,
        "obsolete message": 1,
        "translators' credits": 1,
    }


def test_a_pair_names_its_line(tmp_path):
    path = tmp_path / "a.po"
    path.write_text(header() + 'msgid "a"\nmsgstr "b"\n')
    assert [pair.line for pair in read_pairs([path], languages=("en", "de"), report=ReadingReport())] == [7]


PLURAL = 'msgid "%d file"\nmsgid_plural "%d files"\n'


@pytest.mark.parametrize(
    ("plural", "forms", "targets"),
    [
        ("nplurals=2; plural=(n != 1);", ["Datei", "Dateien"], ["Datei", "Dateien"]),
        ("nplurals=1; plural=0;", ["个文件"], ["个文件", "个文件"]),
        (
            "nplurals=3; plural=(n%10==1 && n%100!=11 ? 0 : n%10>=2 && n%10<=4 && (n%100<10 || n%100>=20) ? 1 : 2);",
            ["файл", "файла", "файлов"],
            ["файл", "файлов"],
        ),
        ("nplurals=3; plural=(n==0 ? 0 : n==1 ? 1 : 2);", ["nulla", "unum", "multa"], ["unum", "multa"]),
        ("nonsense", ["x", "y"], ["x", "y"]),
        ("nplurals=2; plural=n &&& 1;", ["x", "y"], ["x", "y"]),
        ("nplurals=2; plural=(n != 1);", ["x", ""], ["x"]),
    ],
)
def test_singular_goes_with_the_form_for_one_and_plural_with_the_last(read, plural, forms, targets):
    body = PLURAL + "".join(f'msgstr[{index}] "{form}"\n' for index, form in enumerate(forms))
    assert read(header(plural=plural) + body) == list(zip(["%d file", "%d files"], targets, strict=False))


@pytest.mark.parametrize("charset", ["UTF-8", "ISO-8859-1", "cp1252"])
def test_the_header_names_the_charset(read, charset):
    assert read(header(charset=charset) + BODY, encoding=charset)[0] == ("Open", "Öffnen")


def test_no_charset_means_utf_8(read):
    assert read('msgid "a"\nmsgstr "ä"\n') == [("a", "ä")]
    assert read(header(charset="CHARSET") + 'msgid "a"\nmsgstr "ä"\n') == [("a", "ä")]


def test_an_unknown_charset_is_refused(read):
    with pytest.raises(DataError, match=r"messages\.po: unknown charset 'x-klingon'"):
        read(header(charset="x-klingon") + BODY)


def test_bytes_of_another_charset_are_named(read):
    with pytest.raises(DataError, match=r"messages\.po, line 8, byte \d+ of the file: 0xd6 is not valid UTF-8"):
        read(header() + BODY, encoding="latin-1")


@pytest.mark.parametrize(
    ("body", "line"),
    [
        ('msgid "a"\nmsgstr "b\n', 8),
        ('msgid "a"\nmsgstr "b"c"\n', 8),
        ('msgstr "b"\nmsgstr "b"\n', 7),
        ('msgid "a"\nrubbish\nmsgstr "b"\n', 8),
        ("<html>\n", 7),
    ],
)
def test_what_is_not_po_is_refused_with_its_line(read, body, line):
    with pytest.raises(DataError, match=rf"messages\.po, line {line}: not PO syntax"):
        read(header() + body)


def test_separators_inside_a_message_do_not_cut_it(read):
    assert read(header() + 'msgid "a\u2028b\x85c"\nmsgstr "ä"\n') == [("a\u2028b\x85c", "ä")]


def test_windows_line_ends_and_a_byte_order_mark_vanish(read):
    text = "\ufeff" + (header() + BODY).replace("\n", "\r\n")
    assert read(text)[0] == ("Open", "Öffnen")


def test_the_language_decides_the_direction(read):
    text = header("de_AT.UTF-8") + 'msgid "a"\nmsgstr "ä"\n'
    assert read(text, ("en", "de")) == [("a", "ä")]
    assert read(text, ("en", "de-DE")) == [("a", "ä")]
    assert read(text, ("de", "en")) == [("ä", "a")]
    with pytest.raises(OtherLanguageError, match="a catalogue in de-at, but the languages are en and fr"):
        read(text, ("en", "fr"))
    assert read(header("") + 'msgid "a"\nmsgstr "ä"\n', ("en", "fr")) == [("a", "ä")]


def save_mo(path, language="de", charset="utf-8"):
    catalogue = polib.POFile(encoding=charset)
    catalogue.metadata = {"Content-Type": f"text/plain; charset={charset}"} | (
        {"Language": language} if language else {}
    )
    catalogue.append(polib.POEntry(msgid="Open", msgstr="Öffnen"))
    catalogue.append(polib.POEntry(msgid="Open", msgctxt="state", msgstr="Offen"))
    catalogue.append(polib.POEntry(msgid="file", msgid_plural="files", msgstr_plural={0: "Datei", 1: "Dateien"}))
    path.parent.mkdir(exist_ok=True, parents=True)
    catalogue.save_as_mofile(str(path))
    return path


EXPECTED = [("Open", "Öffnen"), ("Open", "Offen"), ("file", "Datei"), ("files", "Dateien")]


@pytest.mark.parametrize("charset", ["utf-8", "iso-8859-1"])
def test_mo_is_read_in_its_charset(tmp_path, charset):
    path = save_mo(tmp_path / "a.mo", charset=charset)
    assert sorted(pairs_of(path)) == sorted(EXPECTED)
    packed = tmp_path / "b.mo.gz"
    packed.write_bytes(gzip.compress(path.read_bytes()))
    assert sorted(pairs_of(packed)) == sorted(EXPECTED)


def test_many_catalogues_pass_over_other_languages(tmp_path):
    save_mo(tmp_path / "de" / "LC_MESSAGES" / "a.mo")
    save_mo(tmp_path / "de" / "LC_MESSAGES" / "unnamed.mo", language="")
    save_mo(tmp_path / "fr" / "LC_MESSAGES" / "a.mo", language="fr")
    save_mo(tmp_path / "fr" / "LC_MESSAGES" / "unnamed.mo", language="")
    (tmp_path / "de" / "LC_MESSAGES" / "broken.mo").write_bytes(b"no catalogue")
    report = ReadingReport()
    assert len(pairs_of(tmp_path / "*" / "LC_MESSAGES" / "*.mo", report=report)) == 2 * len(EXPECTED)
    assert report.skipped == {"file in another language": 2}
    assert [*report.broken_files.values()] == [
        f"{tmp_path / 'de' / 'LC_MESSAGES' / 'broken.mo'}: not an MO file (it starts with 6e 6f 20 63)"
    ]


@pytest.mark.parametrize("keep", [3, 10, 40, -1])
def test_a_truncated_mo_is_refused_wherever_it_is_cut(tmp_path, keep):
    path = save_mo(tmp_path / "a.mo")
    data = path.read_bytes().rstrip(b"\0")
    path.write_bytes(data[:keep])
    with pytest.raises(DataError, match=r"a\.mo: (truncated|not an) MO file"):
        pairs_of(path)


def test_mo_bytes_of_another_charset_are_named(tmp_path):
    path = save_mo(tmp_path / "a.mo")
    path.write_bytes(path.read_bytes().replace("Ö".encode(), b"\xd6x"))
    with pytest.raises(DataError, match=r"the byte 0xd6, which is not valid utf-8"):
        pairs_of(path)


def test_mo_with_an_unknown_charset_is_refused(tmp_path):
    path = save_mo(tmp_path / "a.mo")
    path.write_bytes(path.read_bytes().replace(b"charset=utf-8", b"charset=utf-9"))
    with pytest.raises(DataError, match="unknown charset 'utf-9'"):
        pairs_of(path)


@pytest.mark.parametrize(
    ("marked", "plain"),
    [
        (("_File", "_Datei"), ("File", "Datei")),
        (("E_xit", "B_eenden"), ("Exit", "Beenden")),
        (("Save &As…", "Speichern &unter …"), ("Save As…", "Speichern unter …")),
        (("&File", "文件(&F)"), ("File", "文件")),
        (("_OK", "_OK"), ("OK", "OK")),
    ],
)
def test_accelerator_markers_are_removed(marked, plain):
    assert remove_accelerators(*marked) == plain


@pytest.mark.parametrize(
    "texts",
    [
        ("file_name is set", "file_name ist gesetzt"),
        ("bad msgid_plural", "falsches msgstr_plural"),
        ("_exit failed", "_exit misslang"),
        ("AT&T", "AT&T"),
        ("R&D", "F&E"),
        ("Tom & Ann", "Tom & Anna"),
        ("&lt;tag", "&lt;Marke"),
        ("_One _two", "_Eins _zwei"),
        ("_Help", "Hilfe"),
        ("_Long " + "text " * 20, "_Langer " + "Text " * 20),
    ],
)
def test_other_marks_are_text(texts):
    assert remove_accelerators(*texts) == texts


def test_removed_markers_are_counted(read):
    report = ReadingReport()
    assert read(header() + 'msgid "_File"\nmsgstr "_Datei"\n', report=report) == [("File", "Datei")]
    assert report.altered == {"accelerator marker removed": 1}
