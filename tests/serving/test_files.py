"""Documents through the server: what the library makes of them, or the reason why not."""

import asyncio
import io
import json
import zipfile

import pytest

import ferryman
from ferryman.config import DocumentsConfig
from ferryman.documents.formats import SUFFIXES
from ferryman.serving.files import Upload, read_texts, translate_file
from ferryman.serving.refusals import UnfitError

LANGUAGES = {"source": "en", "target": "de"}
W = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
PO = """# a comment
msgid ""
msgstr ""
"Content-Type: text/plain; charset=UTF-8\\n"
"Language: de\\n"
"Plural-Forms: nplurals=2; plural=(n != 1);\\n"

#: a.py:1
msgctxt "river"
msgid "two red boats"
msgstr ""

msgid "done already"
msgstr "schon fertig"

#, python-format
msgid "%d old bridge"
msgid_plural "%d old bridges"
msgstr[0] ""
msgstr[1] ""
"""
HTML = """<!DOCTYPE html><html lang="en"><body><!-- note --><p class="x">two <b>red</b> boats</p>
<pre>three old boats</pre><p>many new bridges</p><img alt="two red boats" src="a.png"></body></html>
"""
SRT = "1\r\n00:00:01,000 --> 00:00:02,000\r\ntwo red boats\r\n\r\n2\r\n00:00:03,000 --> 00:00:04,000\r\nold boats\r\n"
JSON = '{\n  "a": "two red boats",\n  "b": {"c": ["many new bridges", 5, "two red boats"]}\n}\n'


def docx(body):
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("word/document.xml", f'<w:document xmlns:w="{W}"><w:body>{body}</w:body></w:document>')
        archive.writestr("word/media/image1.png", b"\x89PNG\x00")
    return stream.getvalue()


DOCX = docx(
    "<w:p><w:pPr><w:jc/></w:pPr><w:r><w:t>two </w:t></w:r><w:r><w:rPr><w:b/></w:rPr><w:t>red</w:t></w:r>"
    "<w:r><w:t> boats</w:t></w:r></w:p><w:p><w:r><w:t>many new bridges</w:t></w:r></w:p>"
)
FILES = {
    "a.po": PO.encode(),
    "a.html": HTML.encode(),
    "a.SRT": SRT.encode(),
    "a.docx": DOCX,
    "a.json": JSON.encode(),
    "a.md": b"# two red boats\n\nmany *new* bridges\n\n```\nold boats\n```\n",
    "a.yaml": b"\xef\xbb\xbfa: two red boats # note\n",
    "a.properties": "a = two red boats é\r\n".encode("latin-1"),
    "a.xlf": b'<?xml version="1.0"?>\n<xliff version="1.2"><file source-language="en" target-language="de"><body>'
    b'<trans-unit id="1"><source>two red boats</source></trans-unit></body></file></xliff>\n',
}


@pytest.fixture
def client(serve):
    return serve()


def send(client, name, content, **fields):
    return client.post("/translate_file", files={"file": (name, content)}, data={**LANGUAGES, **fields})


def fetch(client, name, content, **fields):
    answer = send(client, name, content, **fields)
    assert answer.status_code == 200, answer.text
    return client.get(answer.json()["translatedFileUrl"])


@pytest.mark.parametrize("name", FILES)
def test_a_document_comes_out_as_from_the_library(client, translator, tmp_path, name):
    source, wanted = tmp_path / name, tmp_path / "translated"
    source.write_bytes(FILES[name])
    ferryman.translate_document(translator, source, wanted)
    found = fetch(client, name, FILES[name])
    assert found.content == wanted.read_bytes() != FILES[name]
    assert f"a.de{source.suffix}" in found.headers["content-disposition"]


def test_all_but_the_words_stays(client, translator):
    boats, bridges = (one.text for one in translator.translate(["two red boats", "many new bridges"]))
    page = fetch(client, "a.html", FILES["a.html"]).text
    assert page.startswith('<!DOCTYPE html><html lang="de"><body><!-- note --><p class="x">')
    assert f'<pre>three old boats</pre><p>{bridges}</p><img alt="{boats}" src="a.png"></body>' in page
    messages = fetch(client, "a.po", FILES["a.po"]).text
    assert f'#: a.py:1\n#, fuzzy\nmsgctxt "river"\nmsgid "two red boats"\nmsgstr "{boats}"\n' in messages
    assert 'msgid "done already"\nmsgstr "schon fertig"\n' in messages
    strings = json.loads(fetch(client, "a.json", FILES["a.json"]).text)
    assert strings == {"a": boats, "b": {"c": [bridges, 5, boats]}}
    with zipfile.ZipFile(io.BytesIO(fetch(client, "a.docx", DOCX).content)) as archive:
        assert archive.read("word/media/image1.png") == b"\x89PNG\x00"
        assert archive.read("word/document.xml").decode().count("<w:b/>") == 1


def test_a_file_keeps_its_encoding(client, translator):
    content = "\ufeff1\n00:00:01,000 --> 00:00:02,000\ntwo red boats\n".encode("utf-16-le")
    boats = translator.translate(["two red boats"])[0].text
    assert fetch(client, "a.srt", content).content == content.decode("utf-16-le").replace(
        "two red boats", boats
    ).encode("utf-16-le")
    page = "<meta charset=iso-8859-1><p>two red boats</p><pre>é</pre>"
    assert fetch(client, "a.html", page.encode("latin-1")).content == page.replace("two red boats", boats).encode(
        "latin-1", "xmlcharrefreplace"
    )


def test_the_language_is_told_by_the_words_of_a_document(client):
    assert b"two red boats" not in fetch(client, "a.json", b'{"a": "two red boats"}', source="auto").content
    german = b'{"the-key-of-the-river": "Das sind zwei alte rote Boote hier."}'
    assert fetch(client, "a.json", german, source="auto").content == german
    words = docx("<w:p><w:r><w:t>The two old boats are here.</w:t></w:r></w:p>")
    assert fetch(client, "a.docx", words, source="auto").content != words


def test_tags_are_kept_though_the_model_does_not_protect_any(serve, translator):
    decoding = translator.config.decoding.model_copy(update={"protect": ()})
    config = translator.config.model_copy(update={"decoding": decoding})
    client = serve(type(translator)(translator.model, config, translator.tokenizers))
    found = fetch(client, "a.html", b"<p>two <b>red boats</b> and <i>many bridges</i></p>").text
    assert found == fetch(serve(), "a.html", b"<p>two <b>red boats</b> and <i>many bridges</i></p>").text


def test_a_model_says_what_is_translated_and_marked(translator):
    settings = DocumentsConfig(format="srt", mark=False, fuzzy=True)
    file = Upload("a.po", PO.replace('#, python-format\nmsgid "%d', '#, fuzzy, python-format\nmsgid "%d').encode())
    texts = read_texts(file, ("en", "de"), settings)
    assert len(texts.sources) == 3
    assert b"fuzzy" not in texts.write(translator.translate(texts.sources)).content


def test_equal_texts_are_translated_once_and_only_a_part_of_them_waits(serve, monkeypatch):
    client = serve(queue_tokens=400, cache_entries=0)
    asked, translate = [], client.service.translate

    async def counted(texts, order):
        asked.append(list(texts))
        return await translate(texts, order)

    monkeypatch.setattr(client.service, "translate", counted)
    values = [f"{one} old boats" for one in ("two", "three", "four", "many")] * 2
    assert len(json.loads(fetch(client, "a.json", json.dumps(values).encode()).text)) == 8
    assert [text for window in asked for text in window] == values[:4]
    assert all(sum(map(len, window)) <= 50 for window in asked)
    assert len(asked) > 1


@pytest.mark.parametrize(
    ("name", "content", "reason"),
    [
        ("a.json", b'{\n"a" "b"}', "a.json, line 2: not JSON"),
        ("a.json", b'{"a": "\xff"}', "is not valid UTF-8"),
        ("a.docx", b"hello", "a.docx: no Word document, or a damaged one"),
        ("a.docx", DOCX[:200], "a.docx: no Word document, or a damaged one"),
        ("a.docx", b"\xd0\xcf\x11\xe0", "an encrypted document"),
        ("a.po", PO.replace("Language: de", "Language: fr").encode(), "take another model"),
        ("a.po", b'msgid "a', "a.po, line 1"),
        ("a.xlf", b"<xliff>", "a.xlf, line 1: not well-formed XML"),
        ("a.yaml", b"a: [", "not YAML"),
        ("a.pdf", b"%PDF", ".pdf: not supported; there are: .txt, .po"),
    ],
)
def test_what_cannot_be_read_is_refused_with_the_reason(client, name, content, reason):
    for source in ("en", "auto"):
        answer = send(client, name, content, source=source)
        assert (answer.status_code, answer.json()["code"]) == (400, "file")
        assert reason in answer.json()["error"]


def test_what_the_encoding_of_a_file_lacks_is_told(service, monkeypatch):
    async def chinese(texts, order):
        return [ferryman.Translation("两艘红船", 0.0, 0.0, ()) for _ in texts]

    monkeypatch.setattr(service, "translate", chinese)
    content = PO.replace("charset=UTF-8", "charset=ISO-8859-1").encode()
    with pytest.raises(UnfitError, match="convert the file to UTF-8 first"):
        asyncio.run(translate_file(service, Upload("a.po", content), "anna", "en", "de"))


def test_a_small_file_that_unpacks_to_a_large_one_is_refused(serve):
    client = serve(max_file_bytes=3000)
    answer = send(client, "a.docx", docx("<w:p/>" * 20_000))
    assert answer.status_code == 413
    assert "at most 48,000 are allowed" in answer.json()["error"]
    assert send(client, "a.docx", DOCX).status_code == 200


def test_the_settings_name_every_format(client):
    offered = client.get("/frontend/settings").json()["supportedFilesFormat"]
    assert offered == list(SUFFIXES)
    assert {".txt", ".po", ".xlf", ".tmx", ".srt", ".html", ".md", ".docx", ".json", ".yaml"} <= set(offered)
