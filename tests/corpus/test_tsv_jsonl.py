"""TSV and JSON lines, and which reader a name chooses."""

import gzip
import json

import pytest

from ferryman.corpus import ReadingReport, read_pairs
from ferryman.errors import DataError


def read(path, report=None, **layout):
    pairs = read_pairs([path], languages=("en", "de"), report=report or ReadingReport(), **layout)
    return [(pair.source, pair.target, pair.line) for pair in pairs]


def test_tsv_reads_the_chosen_columns_and_takes_quotes_as_text(tmp_path):
    path = tmp_path / "a.tsv"
    path.write_text('7\tein "Wort\ta "word\r\n\n8\tzwei\ttwo\textra\n', encoding="utf-8", newline="")
    report = ReadingReport()
    assert read(path, report, columns=(3, 2)) == [('a "word', 'ein "Wort', 1), ("two", "zwei", 3)]
    assert report.skipped == {"blank line": 1}


def test_tsv_names_the_line_with_too_few_columns(tmp_path):
    path = tmp_path / "a.tsv"
    path.write_text("a\tb\nc\n")
    with pytest.raises(DataError, match=r"a\.tsv, line 2: column 2 is wanted but there are only 1"):
        read(path)
    report = ReadingReport(tolerant=True)
    assert read(path, report) == [("a", "b", 1)]
    assert report.problems.counts == {"bad TSV line": 1}


def test_jsonl_reads_the_chosen_fields_gzipped_too(tmp_path):
    path = tmp_path / "a.jsonl.gz"
    lines = [json.dumps({"en": "a\u2028b\nc", "de": "ä", "n": 1}), "", json.dumps({"en": "x", "de": "🙂"})]
    path.write_bytes(gzip.compress("\n".join(lines).encode()))
    report = ReadingReport()
    assert read(path, report, fields=("en", "de")) == [("a\u2028b c", "ä", 1), ("x", "🙂", 3)]
    assert report.skipped == {"blank line": 1}


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ('{"source": "a"', "not JSON"),
        ("[" * 100_000, "not JSON"),
        ("[1]", "a JSON object is wanted, not a list"),
        ('{"source": "a", "en": "b"}', r'no key "target" \(keys: source, en\)'),
        ('{"source": "a", "target": 3}', '"target" must be a string, not a number'),
        ('{"source": "a", "target": null}', "not null"),
        (r'{"source": "\ud83d", "target": "b"}', r'"source" holds \\ud83d, half of a surrogate pair'),
    ],
)
def test_jsonl_names_the_line_it_refuses(tmp_path, line, message):
    path = tmp_path / "a.jsonl"
    path.write_text(json.dumps({"source": "s", "target": "t"}) + "\n" + line + "\n")
    with pytest.raises(DataError, match=r"a\.jsonl, line 2: .*" + message):
        read(path)
    report = ReadingReport(tolerant=True)
    assert read(path, report) == [("s", "t", 1)]
    assert report.problems.counts == {"bad JSON line": 1}


def test_an_unknown_format_lists_the_known_ones(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("a,b\n")
    with pytest.raises(DataError, match=r"a\.csv: not a known format of pairs \(\.tsv \.jsonl \.tmx \.po \.mo"):
        read(path)


@pytest.mark.parametrize("count", [0, 3])
def test_other_numbers_of_files_are_refused(tmp_path, count):
    with pytest.raises(DataError, match=f"{count} files"):
        list(read_pairs([tmp_path] * count, languages=("en", "de"), report=ReadingReport()))


def test_a_pattern_leaves_broken_files_out_and_names_them(tmp_path):
    (tmp_path / "1.tsv").write_text("a\tb\n")
    (tmp_path / "2.tsv").write_text("broken\n")
    (tmp_path / "3.tsv").write_text("c\td\n")
    report = ReadingReport()
    assert read(tmp_path / "*.tsv", report) == [("a", "b", 1), ("c", "d", 1)]
    assert list(report.broken_files) == [str(tmp_path / "2.tsv")]
    assert "2.tsv, line 1: column 2" in report.to_text()


def test_a_folder_stops_at_a_broken_file(tmp_path):
    (tmp_path / "2.tsv").write_text("broken\n")
    with pytest.raises(DataError, match=r"2\.tsv, line 1"):
        read(tmp_path)
