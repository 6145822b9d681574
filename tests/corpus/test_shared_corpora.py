"""Real corpora and catalogues, where they are at hand."""

from pathlib import Path

import pytest

from ferryman.config import CleaningConfig
from ferryman.corpus import CleaningReport, HeldOut, ReadingReport, clean, examine, read_pairs

DATA = Path(__file__).parents[2] / ".." / "shared" / "data"
CATALOGUES = Path("/usr/share/locale/de/LC_MESSAGES")

shared = pytest.mark.skipif(not DATA.is_dir(), reason="../shared/data is not here")


@shared
def test_multi30k_and_its_known_defects():
    folder = DATA / "multi30k"
    report = examine([folder / "train.en", folder / "train.de"], languages=("en", "de"))
    assert report.ok
    assert report.reading.read == 29_000
    found = report.warnings.examples
    assert [place.rpartition(":")[2] for place in found["target: '@@' left by subword splitting"]] == ["16510", "16664"]
    assert [place.rpartition(":")[2] for place in found["target: tab inside the text"]] == ["7366"]
    assert report.warnings.counts["source: HTML entity"] > 0
    assert "pairs that look shifted" not in found


@shared
@pytest.mark.parametrize(
    ("name", "languages", "count"),
    [
        ("tatoeba-en-zh/train.tsv", ("en", "zh"), 22_367),
        ("gnome-docs/en-de.tsv", ("en", "de"), 3_902),
        ("gnome-docs/en-zh_CN.tsv", ("en", "zh-Hans"), 3_244),
    ],
)
def test_real_tsv(name, languages, count):
    report = examine([DATA / name], languages=languages)
    assert report.ok
    assert report.reading.read == count
    assert "pairs that look shifted" not in report.warnings.counts
    assert "UTF-8 encoded twice" not in str(report.warnings.counts)


@shared
@pytest.mark.parametrize(
    ("name", "languages", "count"),
    [
        ("tmx/ImportTest1A.tmx", ("en", "fr"), 2),
        ("tmx/ImportTest1C.tmx", ("en-GB", "ja"), 3),
        ("tmx/ImportTest1E.tmx", ("en-US", "en-GB"), 3),
        ("tmx/ImportTest1G.tmx", ("en", "en-GB"), 3),
        ("tmx/ImportTest1I.tmx", ("en", "ja"), 1),
        ("tmx/ImportTest1K.tmx", ("en", "de"), 1),
        ("tmx/ImportTest2A.tmx", ("en", "fr"), 7),
        ("tmx/ImportTest2C.tmx", ("en", "fr"), 1),
        ("tmx/en-US_en-GB_fr_sr.tmx", ("en", "sr"), 1),
        ("tmx/invalid.tmx", ("en", "be"), 1),
        ("tmx/test-SMP.tmx", ("en", "be"), 1),
        ("tmx/test-level1.tmx", ("en", "be"), 4),
        ("tmx/test-match-stat-en-ca.tmx", ("en", "ca"), 259),
        ("tmx/test-multiple-tuv.tmx", ("en", "fr"), 2),
        ("po/file-POFilter-multilines.po", ("en", "es"), 2),
        ("po/plural.po", ("en", "es"), 2),
        ("po/system-admin-guide.de.po", ("en", "de"), 659),
        ("po/tutorial_introduction.po", ("en", "zh-Hans"), 120),
    ],
)
def test_real_memories_and_catalogues(name, languages, count):
    pairs = list(read_pairs([DATA / "formats" / name], languages=languages, report=ReadingReport()))
    assert len(pairs) == count
    assert not any("\n" in pair.source + pair.target for pair in pairs)


@pytest.mark.skipif(len(list(CATALOGUES.glob("*.mo"))) < 5, reason="this machine has no German message catalogues")
def test_the_systems_own_catalogues_are_a_corpus():
    reading, cleaning = ReadingReport(), CleaningReport()
    pairs = read_pairs([CATALOGUES / "*.mo"], languages=("en", "de"), report=reading)
    kept = sum(1 for _ in clean(pairs, CleaningConfig(), held_out=HeldOut(), report=cleaning))
    assert not reading.broken_files
    assert kept > 100
    assert reading.read == cleaning.read == cleaning.kept + cleaning.dropped.total()
