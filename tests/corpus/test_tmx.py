"""Translation memories: languages, inline codes, encodings, attacks, bounded memory."""

import tracemalloc

import pytest

from ferryman.corpus import ReadingReport, read_pairs
from ferryman.corpus.languages import OtherLanguageError
from ferryman.errors import DataError

HEAD = '<?xml version="1.0" encoding="{}"?>\n<!DOCTYPE tmx SYSTEM "tmx14.dtd">\n<tmx version="1.4"><header/><body>\n'
TAIL = "</body></tmx>\n"


def unit(*variants):
    return "<tu>" + "".join(f'<tuv xml:lang="{tag}"><seg>{text}</seg></tuv>' for tag, text in variants) + "</tu>\n"


@pytest.fixture
def read(tmp_path):
    def run(body, languages=("en", "de"), encoding="utf-8", report=None):
        path = tmp_path / "memory.tmx"
        path.write_bytes(body if isinstance(body, bytes) else (HEAD.format(encoding) + body + TAIL).encode(encoding))
        pairs = read_pairs([path], languages=languages, report=report or ReadingReport())
        return [(pair.source, pair.target, pair.line) for pair in pairs]

    return run


def test_a_unit_is_a_pair_at_its_line(read):
    assert read(unit(("en", "One"), ("de", "Eins")) + unit(("de", "Zwei"), ("en", "Two"))) == [
        ("One", "Eins", 4),
        ("Two", "Zwei", 5),
    ]


@pytest.mark.parametrize(
    ("languages", "expected"),
    [
        (("en", "de"), ("plain", "nur de")),
        (("EN-us", "de"), ("American", "nur de")),
        (("en-GB", "en"), ("British", "plain")),
        (("en", "en-GB"), ("plain", "British")),
        (("en", "fr"), ("plain", "québécois")),
        (("en", "zh-Hans"), ("plain", "简体")),
        (("en", "zh"), ("plain", "繁體")),
    ],
)
def test_languages_match_by_prefix_and_exactly_first(read, languages, expected):
    body = unit(
        ("en_US", "American"),
        ("en-gb", "British"),
        ("en", "plain"),
        ("DE", "nur de"),
        ("fr-CA", "québécois"),
        ("fr-CA", "encore"),
        ("zh-TW", "繁體"),
        ("zh-CN", "简体"),
    )
    assert [pair[:2] for pair in read(body, languages)] == [expected]


def test_the_old_lang_attribute_counts(read):
    body = '<tu><tuv lang="en"><seg>a</seg></tuv><tuv lang="de"><seg>b</seg></tuv></tu>'
    assert read(body) == [("a", "b", 4)]


def test_units_without_both_languages_are_skipped_and_counted(read):
    report = ReadingReport()
    body = unit(("en", "a"), ("fr", "b")) + unit(("en", "c"), ("de", "d"))
    assert read(body, report=report) == [("c", "d", 5)]
    assert report.skipped == {"translation unit without both languages": 1}


def test_a_memory_in_other_languages_is_refused_with_those_it_has(read):
    with pytest.raises(OtherLanguageError, match=r"no unit has both en and de; the file has en \(2\), fr-CA \(2\)"):
        read(unit(("en", "a"), ("fr-CA", "b")) * 2)


def test_both_languages_must_be_known(read):
    with pytest.raises(DataError, match=r"set data\.source_language and data\.target_language"):
        read(unit(("en", "a")), ("en", ""))


def test_codes_are_dropped_and_highlighted_text_is_kept(read):
    left = (
        'The <bpt i="1">&lt;b></bpt>big<ept i="1">&lt;/b></ept> '
        '<hi type="x">black <ph>[<sub>alt text</sub>]</ph>cat</hi><it pos="end">x</it><ut>y</ut> sleeps.'
    )
    assert read(unit(("en", left), ("de", "<unknown>Die</unknown> Katze"))) == [
        ("The big black cat sleeps.", "Die Katze", 4)
    ]


def test_layout_inside_a_segment_is_one_space_and_the_rest_is_kept(read):
    assert read(unit(("en", "\n   a&#9;b\n   c\n"), ("de", "x  y"))) == [("a\tb c", "x  y", 4)]


def test_notes_and_properties_are_not_text(read):
    body = '<tu><note>n</note><prop type="p">q</prop>' + unit(("en", "a"), ("de", "b")).removeprefix("<tu>")
    assert read(body) == [("a", "b", 4)]


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "windows-1251", "shift_jis", "iso-8859-5"])
def test_every_declared_encoding_is_read(read, encoding):
    assert read(unit(("en", "Да"), ("de", "нет")), encoding=encoding) == [("Да", "нет", 4)]


def test_utf_16_without_a_byte_order_mark_is_read(read):
    body = (HEAD.format("utf-16") + unit(("en", "ä"), ("de", "ö")) + TAIL).encode("utf-16-be")
    assert read(body) == [("ä", "ö", 4)]


@pytest.mark.parametrize("encoding", ["klingon", "base64"])
def test_an_unknown_encoding_is_refused(read, encoding):
    with pytest.raises(DataError, match=f"unknown charset '{encoding}'"):
        read((HEAD.format(encoding) + TAIL).encode())


def test_bytes_of_another_encoding_are_named(read):
    body = (HEAD.format("utf-8") + unit(("en", "Stra"), ("de", "X")) + TAIL).encode()
    at = body.index(b"X")
    with pytest.raises(DataError, match=rf"byte {at + 1} of the file: 0xdf is not valid utf-8"):
        read(body.replace(b"X", b"\xdf"))


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ("<tu><tuv></tu>", "line 4: not well-formed XML: mismatched tag"),
        (unit(("en", "a&nbsp;b"), ("de", "c")), "line 4: the entity &nbsp; is not defined"),
        (b"<tmx><body>", "line 1: not well-formed XML: no element found"),
        (b"<html><body/></html>", "not TMX: its first element is <html>"),
        (b"", "not well-formed XML: no element found"),
    ],
)
def test_broken_xml_is_refused_with_its_line(read, body, message):
    with pytest.raises(DataError, match=message):
        read(body)


def test_declared_entities_are_refused_before_they_expand(read):
    attack = b'<!DOCTYPE tmx [<!ENTITY a "ha"><!ENTITY b "&a;&a;">]><tmx><body>&b;</body></tmx>'
    with pytest.raises(DataError, match="declares the entity 'a'"):
        read(attack)


def test_an_external_entity_is_refused(read):
    attack = b'<!DOCTYPE tmx [<!ENTITY x SYSTEM "file:///etc/hostname">]><tmx><body>&x;</body></tmx>'
    with pytest.raises(DataError, match="declares the entity 'x'"):
        read(attack)


def test_pairs_before_the_break_come_first(tmp_path):
    path = tmp_path / "memory.tmx"
    path.write_text(HEAD.format("utf-8") + unit(("en", "a"), ("de", "b")) * 30_000)
    report = ReadingReport(tolerant=True)
    assert sum(1 for _ in read_pairs([path], languages=("en", "de"), report=report)) == 30_000
    assert report.problems.counts == {"broken file": 1}


def test_memory_does_not_grow_with_the_file(tmp_path):
    def peak(units):
        path = tmp_path / f"{units}.tmx"
        path.write_text(HEAD.format("utf-8") + unit(("en", "word " * 40), ("de", "Wort " * 40)) * units + TAIL)
        tracemalloc.start()
        assert sum(1 for _ in read_pairs([path], languages=("en", "de"), report=ReadingReport())) == units
        highest = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        return highest

    assert peak(24_000) < 1.5 * peak(6_000)
