"""TMX: units that lack the target language get it; the rest stays."""

from collections import Counter
from xml.etree import ElementTree

import pytest

from ferryman.config import DocumentsConfig
from ferryman.documents.formats import read_document
from ferryman.errors import DataError

TMX = '<?xml version="1.0"?>\n<tmx version="1.4"><header srclang="en"/><body>\n {}\n</body></tmx>\n'


def test_a_variant_is_added_and_tells_who_made_it(translate):
    french = '<tuv xml:lang="fr"><seg>c</seg></tuv>'
    unit = f'<tu>\n  <tuv xml:lang="en-GB"><note>n</note>\n   <seg>a <hi>b</hi></seg>\n  </tuv>\n  {french}\n</tu>'
    added = f'<tuv xml:lang="de" creationid="Ferryman">\n   <seg>A <hi>B</hi></seg>\n  </tuv>\n  {french}'
    text = TMX.format(unit)
    assert translate("a.tmx", text) == text.replace(french, added)
    assert "creationid" not in translate("a.tmx", text, mark=False)


def test_other_units_are_kept(read):
    units = (
        '<tu><tuv xml:lang="en"><seg>a</seg></tuv><tuv xml:lang="de-AT"><seg>b</seg></tuv></tu>'
        '<tu><tuv xml:lang="fr"><seg>a</seg></tuv></tu><tu><tuv xml:lang="en"><seg>1 <ph>x</ph></seg></tuv></tu>'
    )
    document = read("a.tmx", TMX.format(units))
    assert document.segments == []
    assert document.kept == {"already translated": 1, "no text in the source language": 1, "no words": 1}


def test_what_is_no_tmx_is_refused(read):
    with pytest.raises(DataError, match="not TMX: its first element is <a>"):
        read("a.tmx", "<a/>")


def test_files_of_other_programs(shared):
    total = 0
    for path in sorted((shared / "tmx").iterdir()):
        data = path.read_bytes()
        document = read_document(path.name, data, DocumentsConfig(), ("en", "de"))
        assert document.write([None] * len(document.segments)) == data
        result = document.write([f"X{text}" for text in document.texts])
        before, after = (
            Counter(one.tag for one in ElementTree.fromstring(content).iter()) for content in (data, result)
        )
        assert after["tuv"] - before["tuv"] == after["seg"] - before["seg"] == len(document.segments)
        assert after["note"] == before["note"]
        total += len(document.segments)
    assert total > 20
