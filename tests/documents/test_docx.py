"""DOCX: paragraphs are translated; formats, links, fields, pictures and all other parts of the file stay."""

import io
import re
import zipfile
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ferryman.config import DocumentsConfig
from ferryman.documents.formats import read_document
from ferryman.errors import DataError

W = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
BOLD = "<w:rPr><w:b/></w:rPr>"
RUNS = st.lists(
    st.sampled_from(
        [
            f"<w:r>{form}{what}</w:r>"
            for form in ("", BOLD, '<w:rPr><w:lang w:val="en"/></w:rPr>')
            for what in (
                "<w:t>word</w:t>",
                '<w:t xml:space="preserve"> a </w:t>',
                "<w:tab/><w:t>b</w:t>",
                "<w:drawing/>",
            )
        ]
        + [
            '<w:hyperlink r:id="1"><w:r><w:t>link</w:t></w:r></w:hyperlink>',
            '<w:bookmarkStart w:id="1"/>',
            "<w:proofErr/>",
            '<w:r><w:fldChar w:fldCharType="begin"/></w:r><w:r><w:t>f</w:t></w:r>'
            '<w:r><w:fldChar w:fldCharType="end"/></w:r>',
        ]
    ),
    max_size=8,
)


def pack(body, **parts):
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("[Content_Types].xml", "<Types/>")
        namespace = f'<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n<w:document xmlns:w="{W}" xmlns:r="r"'
        archive.writestr("word/document.xml", f"{namespace}><w:body>{body}</w:body></w:document>")
        archive.writestr("word/media/image1.png", b"\x89PNG\x00")
        for name, content in parts.items():
            archive.writestr(f"word/{name}.xml", f'<w:x xmlns:w="{W}">{content}</w:x>')
    return stream.getvalue()


def unpack(data, name="document"):
    return zipfile.ZipFile(io.BytesIO(data)).read(f"word/{name}.xml").decode()


def read_docx(data):
    return read_document("a.docx", data, DocumentsConfig(), ("en", "de"))


def run(words, form=""):
    return f'<w:r>{form}<w:t xml:space="preserve">{words}</w:t></w:r>'


@given(st.lists(RUNS, max_size=3))
def test_any_paragraphs_keep_all_but_their_words(paragraphs):
    data = pack("".join(f"<w:p><w:pPr/>{''.join(runs)}</w:p>" for runs in paragraphs))
    document = read_docx(data)
    assert document.write(document.texts) == data
    result = document.write([re.sub(r"(?<![<\w/])[a-z]+", "X", text) for text in document.texts])
    before, after = (ElementTree.fromstring(unpack(content)) for content in (data, result))
    for name in ("p", "pPr", "hyperlink", "bookmarkStart", "fldChar", "drawing", "tab"):
        assert len(list(after.iter(f"{{{W}}}{name}"))) == len(list(before.iter(f"{{{W}}}{name}")))

    def words(root, form):
        return sum(
            len(one.findall(f".//{{{W}}}t"))
            for one in root.iter(f"{{{W}}}r")
            if (one.find(f".//{{{W}}}b") is None) is form
        )

    assert (words(before, False) > 0) == (words(after, False) > 0) or not document.texts


def test_runs_that_word_split_are_one_text_and_formats_are_tags():
    spelling = '<w:rPr><w:lang w:val="en-US"/></w:rPr>'
    body = (
        f'<w:p w:rsidR="1"><w:pPr><w:jc/></w:pPr>{run("The ri", spelling)}<w:proofErr w:type="x"/>{run("ver is ")}'
        f'{run("very", BOLD)}{run(" wide")}<w:r><w:footnoteReference w:id="2"/></w:r>{run(".")}</w:p>'
    )
    document = read_docx(pack(body))
    assert document.texts == ["The river is <f1>very</f1> wide<f2/>."]
    result = unpack(document.write(["Der Fluss & ist breit<f2/>, <f1>sehr</f1>."]))
    note = '<w:r><w:footnoteReference w:id="2"/></w:r>'
    expected = (
        f"<w:pPr><w:jc/></w:pPr>{run('Der Fluss &amp; ist breit')}{note}{run(', ')}{run('sehr', BOLD)}{run('.')}</w:p>"
    )
    assert expected in result


def test_links_tabs_and_fields_come_back_once_each():
    field = '<w:r><w:fldChar w:fldCharType="begin"/></w:r><w:r><w:instrText>PAGE</w:instrText></w:r>'
    field += '<w:r><w:t>7</w:t></w:r><w:r><w:fldChar w:fldCharType="end"/></w:r>'
    link = f'<w:hyperlink r:id="rId1">{run("the page", "<w:rPr><w:u/></w:rPr>")}</w:hyperlink>'
    document = read_docx(pack(f"<w:p>{run('See ')}{link}{run(' on ')}{field}{run(' now')}<w:r><w:tab/></w:r></w:p>"))
    assert document.texts == ["See <f1>the page</f1> on <f2/> now"]
    result = unpack(document.write(["Auf <f2/> steht <f1>die Seite</f1>"]))
    new = f'<w:hyperlink r:id="rId1">{run("die Seite", "<w:rPr><w:u/></w:rPr>")}</w:hyperlink>'
    assert f"<w:p>{run('Auf ')}{field}{run(' steht ')}{new}<w:r><w:tab/></w:r></w:p>" in result


def test_tabs_and_breaks_part_words_for_the_model():
    document = read_docx(pack("<w:p><w:r><w:t>One</w:t><w:tab/><w:t>two</w:t><w:br/><w:t> three</w:t></w:r></w:p>"))
    assert document.texts == ["One <f1/> two <f2/> three"]
    result = unpack(document.write(["Eins <f1/> zwei <f2/> drei"]))
    wanted = [run("Eins"), "<w:r><w:tab/></w:r>", run("zwei"), "<w:r><w:br/></w:r>", run("drei")]
    assert f"<w:p>{''.join(wanted)}</w:p>" in result


def test_tables_boxes_headers_and_notes_are_translated_and_other_parts_stay():
    box = f"<w:r><w:pict><w:txbx><w:p>{run('box')}</w:p></w:txbx></w:pict></w:r>"
    body = f"<w:tbl><w:tr><w:tc><w:p>{run('cell')}</w:p></w:tc></w:tr></w:tbl><w:p>{run('a ')}{box}{run(' b')}</w:p>"
    data = pack(
        body,
        header1=f"<w:p>{run('head')}</w:p>",
        footnotes=f"<w:p>{run('note')}</w:p>",
        styles=f"<w:p>{run('x')}</w:p>",
    )
    document = read_docx(data)
    assert document.texts == ["cell", "a <f1/> b", "box", "note", "head"]
    result = document.write(["CELL", "A <f1/> B", "BOX", "NOTE", "HEAD"])
    assert "".join(ElementTree.fromstring(unpack(result)).itertext()) == "CELLA BOX B"
    assert [">HEAD<" in unpack(result, "header1"), ">NOTE<" in unpack(result, "footnotes")] == [True, True]
    one, other = (zipfile.ZipFile(io.BytesIO(content)) for content in (data, result))
    assert [(info.filename, info.date_time, info.compress_type) for info in one.infolist()] == [
        (info.filename, info.date_time, info.compress_type) for info in other.infolist()
    ]
    assert one.read("word/styles.xml") == other.read("word/styles.xml")
    assert one.read("word/media/image1.png") == other.read("word/media/image1.png")


def test_what_is_no_word_document_is_refused(monkeypatch):
    for data, message in (
        (b"\xd0\xcf\x11\xe0\xa1\xb1", "an encrypted document, or one of Word before 2007"),
        (b"hello", "no Word document, or a damaged one"),
        (pack("").replace(b"word/document.xml", b"ward/document.xml"), "there is no word/document.xml in it"),
        (pack("<w:p>"), r"a.docx, word/document.xml, line 2: not well-formed XML"),
        (pack("<w:p/>")[:200], "no Word document, or a damaged one"),
    ):
        with pytest.raises(DataError, match=message):
            read_docx(data)
    monkeypatch.setattr("ferryman.documents.docx.LARGEST_BYTES", 10)
    with pytest.raises(DataError, match="of which 10 are allowed"):
        read_docx(pack(""))
