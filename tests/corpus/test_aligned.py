"""Aligned text files: lines end at LF alone, counts must match, bytes must be UTF-8."""

import gzip
import io
import os
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ferryman.corpus import ReadingReport, read_pairs
from ferryman.corpus.lines import RawLine, count_lines, raw_lines, stream_lines
from ferryman.errors import DataError


@pytest.fixture
def write(tmp_path):
    def make(source: bytes, target: bytes, suffix: str = ""):
        pack = gzip.compress if suffix == ".gz" else bytes
        paths = [tmp_path / f"a.en{suffix}", tmp_path / f"a.de{suffix}"]
        for path, data in zip(paths, (source, target), strict=True):
            path.write_bytes(pack(data))
        return paths

    return make


def read(paths, report=None):
    pairs = read_pairs(paths, languages=("en", "de"), report=report or ReadingReport())
    return [(pair.source, pair.target) for pair in pairs]


@pytest.mark.parametrize("suffix", ["", ".gz"])
def test_line_n_translates_line_n(write, suffix):
    paths = write(b"one\ntwo\n", "eins\nzwölf\n".encode(), suffix)
    pairs = list(read_pairs(paths, languages=("en", "de"), report=ReadingReport()))
    assert [(p.source, p.target, p.line) for p in pairs] == [("one", "eins", 1), ("two", "zwölf", 2)]
    assert pairs[0].place == f"{paths[0]}:1"


@pytest.mark.parametrize("suffix", ["", ".gz"])
def test_counts_that_differ_are_refused_before_the_first_pair(write, suffix):
    paths = write(b"1\n2\n3\n4\n", b"1\n2\n3\n", suffix)
    report = ReadingReport()
    pairs = read_pairs(paths, languages=("en", "de"), report=report)
    with pytest.raises(DataError, match=r"a\.en\S* has 4 lines but \S*a\.de\S* has 3"):
        next(pairs)
    assert report.read == 0


def test_a_last_line_without_line_end_counts(write):
    assert read(write(b"1\n2", b"eins\nzwei\n")) == [("1", "eins"), ("2", "zwei")]


def test_empty_files_hold_no_pairs(write):
    assert read(write(b"", b"")) == []


@pytest.mark.parametrize("odd", ["\u2028", "\u2029", "\u0085", "\v", "\f", "\x1c"])
def test_other_separators_neither_cut_nor_shift(write, odd):
    report = ReadingReport()
    pairs = read(write(f"1\nt{odd}wo\n3\n".encode(), b"eins\nzwei\ndrei\n"), report)
    assert pairs == [("1", "eins"), (f"t{odd}wo", "zwei"), ("3", "drei")]
    assert list(report.odd_characters.values()) == [1]
    assert next(iter(report.odd_characters)).startswith(f"U+{ord(odd):04X}")


def test_windows_line_ends_and_byte_order_marks_vanish(write):
    plain = read(write(b"one\ntwo\n", b"eins\nzwei\n"))
    report = ReadingReport()
    assert read(write(b"\xef\xbb\xbfone\r\ntwo\r\n", b"eins\nzwei\n"), report) == plain
    assert not report.odd_characters


def test_a_carriage_return_inside_a_line_is_text_and_counted(write):
    report = ReadingReport()
    assert read(write(b"o\rne\n", b"eins\n"), report) == [("o\rne", "eins")]
    assert report.odd_characters == {"U+000D CARRIAGE RETURN": 1}


def test_an_invalid_byte_is_named_by_file_line_and_byte(write):
    paths = write(b"1\n2\n3\n", b"eins\nzwei\ndr\xffei\n")
    with pytest.raises(DataError, match=r"a\.de, line 3, byte 3 \(byte 13 of the file\): 0xff is not valid UTF-8"):
        read(paths)


def test_bytes_are_counted_past_a_byte_order_mark(write):
    with pytest.raises(DataError, match=r"line 1, byte 5 \(byte 5 of the file\): 0xe4"):
        read(write(b"\xef\xbb\xbf1\xe4\n", b"eins\n"))


def test_a_tolerant_report_drops_the_pair_and_keeps_the_rest_aligned(write):
    report = ReadingReport(tolerant=True)
    assert read(write(b"1\n\xff\n3\n", b"eins\nzwei\ndrei\nvier\n"), report) == [("1", "eins"), ("3", "drei")]
    assert report.problems.counts == {"line counts differ": 1, "line that is not UTF-8": 1}


@pytest.mark.parametrize("charset", ["utf-16", "utf-16-le", "utf-16-be"])
def test_utf_16_is_told_apart_with_a_way_out(write, charset):
    with pytest.raises(DataError, match=r"a\.en: not UTF-8 but UTF-16.*iconv -f UTF-16 -t UTF-8 a\.en > utf8-a\.en"):
        read(write("Wide text\n".encode(charset), b"eins\n"))


def test_the_way_out_can_be_pasted_whatever_the_name_and_fits_standard_input(tmp_path):
    path = tmp_path / "two words.en"
    path.write_bytes("Wide\n".encode("utf-16"))
    with pytest.raises(DataError, match=r"iconv -f UTF-16 -t UTF-8 'two words\.en' > 'utf8-two words\.en'$"):
        list(raw_lines(path))
    with pytest.raises(DataError, match=r"standard input: not UTF-8.*: … \| iconv -f UTF-16 -t UTF-8 \| …$"):
        list(stream_lines(io.BytesIO(path.read_bytes()), Path("standard input")))


def test_a_damaged_gzip_file_is_refused(tmp_path, write):
    paths = write(b"one\n" * 100, b"eins\n" * 100, ".gz")
    paths[0].write_bytes(paths[0].read_bytes()[:-12])
    with pytest.raises(DataError, match=r"a\.en\.gz: damaged gzip"):
        read(paths)


def test_gzip_is_told_by_its_bytes_not_its_name(write):
    assert read(write(gzip.compress(b"one\n"), b"eins\n")) == [("one", "eins")]


def test_a_missing_file_is_a_data_error(tmp_path):
    with pytest.raises(DataError, match="cannot be read: No such file"):
        read([tmp_path / "a", tmp_path / "b"])


@given(st.binary(max_size=200).map(lambda data: data.replace(b"\x1f\x8b", b"").replace(b"\0", b"0")))
def test_counting_agrees_with_reading(tmp_path_factory, data):
    path = tmp_path_factory.mktemp("lines") / "f"
    path.write_bytes(data.removeprefix(b"\xff\xfe").removeprefix(b"\xfe\xff"))
    try:
        assert count_lines(path) == len(list(raw_lines(path)))
    except DataError as error:
        assert "UTF-16" in str(error)  # both refuse it


@given(st.text(st.characters(exclude_characters="\n\r", exclude_categories=["Cs"]), max_size=50))
def test_any_text_without_line_end_survives(tmp_path_factory, text):
    line = RawLine(tmp_path_factory.getbasetemp(), 2, 0, f"{text}\r\n".encode())
    assert line.text() == text


def test_the_locale_does_not_matter(write):
    paths = write("ồ\n".encode(), "中\n".encode())
    command = (
        "from pathlib import Path; from ferryman.corpus import examine;"
        f"report = examine([Path({str(paths[0])!r}), Path({str(paths[1])!r})], languages=('vi', 'zh'));"
        "assert report.ok and report.cleaning.kept == 1 and not report.warnings.counts"
    )
    ascii_only = {"LC_ALL": "C", "PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    subprocess.run([sys.executable, "-c", command], check=True, env=os.environ | ascii_only)
